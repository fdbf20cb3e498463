import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { OpaqueStrings } from '../../drift/opaque-strings.ts'
import { changeAnswer, isLabelledJson, tooLong, type Changing } from './change-answer.ts'

const json = [['Content-Type', 'application/json']] as const
const every: Changing = {
  changes: ['added', 'order', 'opaque'],
  seed: 7,
  strings: new OpaqueStrings(7, (name) => name === 'id'),
  logChanges: false,
}

function changed(text: string | Buffer, { number = 1, fields = json, changing = every }: Options = {}) {
  return changeAnswer({ fields, bytes: Buffer.from(text), number }, changing)
}

interface Options {
  readonly number?: number
  readonly fields?: readonly (readonly [string, string])[]
  readonly changing?: Changing
}

function textOf(answer: ReturnType<typeof changed>): string {
  if (answer.kind === 'unchanged') throw new Error(answer.says)
  return answer.content.toString()
}

const answer = '{"id":"cust_1","name":"Blue"}'

describe('a JSON answer', () => {
  it('says what was done to it, and no value', () => {
    expect(changed(answer).says).toMatch(
      /^added \d propert(?:y|ies); reordered 1 object; changed 1 string; seed 7; answer 1$/,
    )
  })

  it.each<readonly [Changing['changes'][number], RegExp]>([
    ['added', /^(?=.*"id":"cust_1")(?=.*"name":"Blue").{30,}$/],
    ['order', /^\{"name":"Blue","id":"cust_1"\}$/],
    ['opaque', /^\{"id":"(?!cust_1")[^"]*","name":"Blue"\}$/],
  ])('is changed only in the way that is asked for: %s', (change, text) => {
    expect(textOf(changed(answer, { changing: { ...every, changes: [change] } }))).toMatch(text)
  })

  it('is changed otherwise each time, and the same way by the same seed', () => {
    const texts = Array.from({ length: 20 }, (_, at) => textOf(changed(answer, { number: at + 1 })))
    const others = texts.map((_, at) => textOf(changed(answer, { number: at + 1 })))
    const reseeded = textOf(changed(answer, { changing: { ...every, seed: 8 } }))

    expect(new Set(texts).size).toBe(20)
    expect(others).toEqual(texts)
    expect(texts).not.toContain(reseeded)
  })

  it.each([
    ['gzip', gzipSync(answer)],
    ['x-gzip', gzipSync(answer)],
    ['br', brotliCompressSync(answer)],
    ['deflate', deflateSync(answer)],
    ['deflate', deflateRawSync(answer)],
  ])('is decoded from %s', (coding, bytes) => {
    const fields = [...json, ['content-encoding', coding]] as const

    expect(textOf(changed(bytes, { fields }))).toBe(textOf(changed(answer)))
  })

  it('may be as deep as any file that is read', () => {
    expect(changed(`${'{"a":['.repeat(100)}"[[[["${']}'.repeat(100)}`).kind).toBe('changed')
  })

  it('keeps its byte order mark', () => {
    expect(textOf(changed(`\uFEFF${answer}`))).toMatch(/^\uFEFF\{/)
  })
})

describe('an answer is left as it is, and says why:', () => {
  it.each([
    ['', 'it is empty'],
    ['{"a":', 'it ends in the middle of a value'],
    ['<html>', 'it begins with "<", as HTML and XML do'],
    [Buffer.from('{"a":"\xe9"}', 'latin1'), 'it is not UTF-8'],
    ['[1, 2.50, null]', 'it holds nothing that may change'],
    [`[${'{},'.repeat(200_000)}{}]`, 'it holds too many values'],
    [`[${'1,'.repeat(1_000_000)}1]`, 'it holds too many values'],
    [`[${'"",'.repeat(1_000_000)}""]`, 'it holds too many values'],
    [`[${'[],'.repeat(600_000)}[]]`, 'it holds too many values'],
    ['['.repeat(3_000_000), 'it ends in the middle of a value'],
    ['['.repeat(1_500_000) + ']'.repeat(1_500_000), 'it is nested deeper than 200 levels'],
    [`${'{"a":['.repeat(101)}${']}'.repeat(101)}`, 'it is nested deeper than 200 levels'],
    [`{"a":${'['.repeat(200)}${']'.repeat(200)}}`, 'it is nested deeper than 200 levels'],
    [`["${'a'.repeat(4 * 1024 * 1024)}"]`, tooLong.replace('none: ', '')],
  ])('content %#', (text, says) => {
    const fields = [...json, ['content-encoding', 'gzip']] as const

    expect(changed(text === '' ? text : gzipSync(text), { fields })).toEqual({
      kind: 'unchanged',
      says: `none: ${says}`,
    })
  })

  it.each<[string, readonly (readonly [string, string])[], RegExp]>([
    [
      'an unknown coding',
      [...json, ['content-encoding', 'compress']],
      /^none: .*content-encoding is none of gzip/,
    ],
    [
      'another charset',
      [['content-type', 'application/json; charset=iso-8859-1']],
      /^none: its label names another charset than UTF-8$/,
    ],
  ])('%s', (_, fields, says) => {
    expect(changed(answer, { fields }).says).toMatch(says)
  })
})

it.each([
  ['application/json', true],
  ['Application/JSON; charset=utf-8', true],
  ['application/problem+json', true],
  ['application/vnd.a.b+json;v=1', true],
  ['text/html', false],
  ['text/event-stream', false],
  ['application/x-ndjson', false],
  ['application/json-seq', false],
  ['application/jsonp', false],
  ['', false],
])('the label "%s" is of JSON: %s', (label, isJson) => {
  const fields = label === '' ? [] : [['content-type', label] as const]

  expect(isLabelledJson(fields)).toBe(isJson)
  if (isJson) expect(changed(answer, { fields }).kind).toBe('changed')
})
