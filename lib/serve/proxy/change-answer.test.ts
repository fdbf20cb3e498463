import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { json, jsonText, seeds } from '../../drift/json.testing.ts'
import { otherStrings, changeText } from '../../drift/tolerated.ts'
import { changeAnswer, type ChangedAnswer, type Changing } from './change-answer.ts'
import { changeLines } from './change-log.ts'

const strings = otherStrings(7, (name) => name === 'id')
const every: Changing = { changes: ['added', 'order', 'opaque'], seed: 7, strings, number: 1 }
const answer = '{"id":"cust_1","name":"Blue"}'

function changed(
  content: string | Buffer,
  changing: Partial<Changing> = {},
  fields: object = {},
): ChangedAnswer {
  const given = { type: 'application/json', encoding: '', bytes: Buffer.from(content), ...fields }
  return changeAnswer(given, { ...every, ...changing })
}

it.each<readonly [Changing['changes'], RegExp, RegExp]>([
  [['added'], /^(?=.*"id":"cust_1")(?=.*"name":"Blue").{30,}$/, /^added \d propert.*; seed 7; answer 1$/],
  [['order'], /^\{"name":"Blue","id":"cust_1"\}$/, /^reordered 1 object; seed 7; answer 1$/],
  [['opaque'], /^\{"id":"(?!cust_1")[^"]*","name":"Blue"\}$/, /^changed 1 string; seed 7; answer 1$/],
])('a JSON answer gets only the requested changes: %j', (changes, text, says) => {
  const texts = { before: answer, after: expect.stringMatching(text) }
  expect(changed(answer, { changes })).toEqual({ says: expect.stringMatching(says), texts })
})

it('a JSON answer changes differently each time, but the same way for the same seed', () => {
  const text = (changing: Partial<Changing>) => changed(answer, changing).texts?.after
  const twice = [0, 1].map(() => Array.from({ length: 20 }, (_, at) => text({ number: at + 1 })))

  expect(new Set(twice[0]).size).toBe(20)
  expect(twice[1]).toEqual(twice[0])
  expect(twice[0]).not.toContain(text({ seed: 8 }))
})

it('a JSON answer keeps its byte order mark, and can be as deep as any file that the suite reads', () => {
  expect(changed(`\uFEFF${answer}`).texts?.after).toMatch(/^\uFEFF\{/)
  expect(changed(`${'{"a":['.repeat(100)}"[[[["${']}'.repeat(100)}`).texts).not.toBeNull()
})

it.each<readonly [content: string | Buffer, says: string, fields: object]>([
  ['', 'it is empty', {}],
  ['{"a":', 'it ends in the middle of a value', {}],
  ['<html>', 'it begins with "<", as HTML and XML do', {}],
  [Buffer.from('{"a":"\xe9"}', 'latin1'), 'it is not UTF-8', {}],
  ['[1, 2.50, null]', 'it contains nothing that may change', {}],
  [`[${'{},'.repeat(60_000)}{}]`, 'it contains too many values', {}],
  [`[${'1,'.repeat(100_000)}1]`, 'it contains too many values', {}],
  ['['.repeat(3_000_000), 'it ends in the middle of a value', {}],
  ['['.repeat(1_500_000) + ']'.repeat(1_500_000), 'it is nested deeper than 200 levels', {}],
  [`{"a":${'['.repeat(200)}${']'.repeat(200)}}`, 'it is nested deeper than 200 levels', {}],
  [gzipSync(Buffer.alloc(5_000_000, ' ')), 'the answer is longer than 4 MiB', { encoding: 'gzip' }],
  [answer, 'it is labelled gzip and is not gzip, or is cut short', { encoding: 'gzip' }],
  [answer, "the answer's content-encoding is not one of gzip", { encoding: 'compress' }],
  [answer, 'its label names a charset other than UTF-8', { type: 'application/json; charset=iso-8859-1' }],
])('an answer stays unchanged, with a reason: %#', (content, says, fields) => {
  const why = expect.stringMatching(new RegExp(`^none: ${says}`))
  expect(changed(content, {}, fields)).toEqual({ says: why, texts: null })
})

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
  const property = fc.property(json, seeds, (value, seed) => {
    const before = JSON.stringify(JSON.parse(jsonText(value)))
    const { text: after, done } = changeText(before, ['opaque'], seed)
    const lines = changeLines(1, before, after)

    expect(lines.filter((line) => line.startsWith('  #1 changed '))).toHaveLength(done[0]?.count ?? 0)
  })
  fc.assert(property, { numRuns: 25 })
})

it('the log of changes is limited to 200 lines per answer', () => {
  const ids = (id: string): string => JSON.stringify(Array.from({ length: 250 }, () => id))
  const lines = changeLines(1, ids('a'), ids('b'))

  expect(lines).toHaveLength(201)
  expect(lines.at(-1)).toBe('  #1 … and 50 more')
})
