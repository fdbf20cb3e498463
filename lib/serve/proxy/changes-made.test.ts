import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { json, jsonText, seeds } from '../../drift/json.testing.ts'
import { changeText } from '../../drift/tolerated.ts'
import { changeLines } from './change-lines.ts'
import { changesMade } from './changes-made.ts'

const plain = (text: string): string => text

describe('the changes of an answer', () => {
  it('are told by place, with what was there before and after', () => {
    const before = '\uFEFF{"id":"a","list":[{"id":"b","n":1}]}'
    const after = '\uFEFF{"list":[{"then":[],"id":"c","n":1}],"id":""}'

    expect(changeLines(3, changesMade(before, after), plain)).toEqual([
      '  #3 reordered $: "id", "list" → "list", "id"',
      '  #3 changed $.id: "a" → ""',
      '  #3 added $.list[0].then: []',
      '  #3 changed $.list[0].id: "b" → "c"',
    ])
  })

  it('are as many as were made', () => {
    fc.assert(
      fc.property(json, seeds, (value, seed) => {
        const text = jsonText(value)
        const changed = changeText(text, ['added', 'order', 'opaque'], seed)
        const made = changesMade(text, changed.text)
        const count = (what: string): number => made.filter((one) => one.what === what).length
        // Objects with an added property among one of theirs were reordered with it, not without.
        const [added, , opaque] = changed.done
        const inAdded = made.filter(
          (one) => one.what === 'added' && /"(?:[^"]*)"(?!:)/.test(one.after),
        ).length

        expect(count('added')).toBe(added?.count)
        if (inAdded === 0) expect(count('changed')).toBe(opaque?.count)
        expect(count('reordered')).toBeLessThanOrEqual(changed.done[1]?.count ?? 0)
      }),
    )
  })

  it('are none of an answer that was not changed', () => {
    expect(changesMade('[1, {"a": "\\u0041"}]', '[1,{"a":"A"}]')).toEqual([])
  })

  it('are told up to a bound, and counted beyond', () => {
    const ids = (letter: string): string => JSON.stringify(Array.from({ length: 250 }, () => letter))
    const lines = changeLines(1, changesMade(ids('a'), ids('b')), plain)

    expect(lines).toHaveLength(201)
    expect(lines.at(-1)).toBe('  #1 … and 50 more')
  })

  it('cannot steer a terminal or fill it', () => {
    const long = JSON.stringify(`\u009b31m${'x'.repeat(5_000)}`)
    const [line = ''] = changeLines(1, changesMade('{"id":"a"}', `{"id":${long}}`), plain)

    expect(line).toContain('\\u009b31mxxx')
    expect(line.length).toBeLessThan(400)
  })
})
