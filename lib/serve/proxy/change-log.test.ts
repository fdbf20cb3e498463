import fc from 'fast-check'
import { expect, it } from 'vitest'
import { json, jsonText, seeds } from '../../drift/json.testing.ts'
import { changeText } from '../../drift/tolerated.ts'
import { changeLines } from './change-log.ts'

it('the log of changes names each change by its path, without values or names that may be values', () => {
  const before = '\uFEFF{"id":"abc","list":[{"id":"b","n":1}],"sk-9fQ2":{"a":"x"}}'
  const after = '\uFEFF{"list":[{"then":[],"id":"cd","n":1}],"id":"","sk-9fQ2":{"a":"y"}}'

  expect(changeLines(3, before, after)).toEqual([
    '  #3 reordered $',
    '  #3 changed $.id: 3 → 0 characters',
    '  #3 added $.list[0].then',
    '  #3 changed $.list[0].id: 1 → 2 characters',
    "  #3 changed $['…'].a: 1 → 1 characters",
  ])
})

it('the log of changes has one line per changed string', () => {
  fc.assert(
    fc.property(json, seeds, (value, seed) => {
      const before = JSON.stringify(JSON.parse(jsonText(value)))
      const { text: after, done } = changeText(before, ['opaque'], seed)
      const lines = changeLines(1, before, after)

      expect(lines.filter((line) => line.startsWith('  #1 changed '))).toHaveLength(done[0]?.count ?? 0)
    }),
    { numRuns: 25 },
  )
})

it('the log of changes is limited to 200 lines per answer', () => {
  const ids = (id: string): string => JSON.stringify(Array.from({ length: 250 }, () => id))
  const lines = changeLines(1, ids('a'), ids('b'))

  expect(lines).toHaveLength(201)
  expect(lines.at(-1)).toBe('  #1 … and 50 more')
})
