import { describe, expect, test } from 'vitest'
import { readBody, readDecoded, wholeValue } from './body.ts'

const read = (text: string): ReturnType<typeof readBody>['body'] => readBody(Buffer.from(text)).body
const filler = 'x'.repeat(20_000)

describe('a body', () => {
  test.for<readonly [string, unknown, object?]>([
    ['{"a":[1]}', { a: [1] }],
    [' null\n', null],
    ['\uFEFF"ü"', 'ü'],
    ['\uFEFF{"a":1,"b":{"a":1,"a":2}}', { a: 1, b: { a: 2 } }, { duplicates: ['a'] }],
  ])('can be any JSON value, and its repeated names are listed: %s', ([text, value, more]) => {
    expect(read(text)).toEqual({ kind: 'json', value, ...more })
  })

  test('is empty only if it has no bytes', () => {
    expect(readBody(Buffer.alloc(0))).toEqual({ text: '', body: { kind: 'empty' } })
    expect(read(' ')).toMatchObject({ kind: 'not-json' })
    expect(read('\uFEFF')).toMatchObject({ kind: 'not-json' })
  })

  test('is not JSON if it is not UTF-8, and its text then has replacement characters', () => {
    expect(readBody(Buffer.from([0x22, 0xff, 0x22]))).toEqual({
      text: '"\uFFFD"',
      body: { kind: 'not-json', because: 'it is not UTF-8' },
    })
  })

  test.for([
    ['{"a":', 'it ends in the middle of a value'],
    ['"abc', 'it ends in the middle of a value'],
    ['<html>hidden</html>', 'it begins with "<", as HTML and XML do'],
    ['hidden', 'it is not JSON'],
    ['\uFEFF\uFEFF1', 'it is not JSON'],
    [`["${filler}"`, 'it ends in the middle of a value'],
    [`["${filler}`, 'it ends in the middle of a value'],
    ['['.repeat(200_000), 'it ends in the middle of a value'],
    [`<html>${filler}`, 'it begins with "<", as HTML and XML do'],
    [`["${filler}"] and more`, 'it is not JSON from character 20005 on'],
    [`{"${filler}":1,}`, 'it is not JSON from character 20006 on'],
  ] as const)('is not JSON, and the reason does not quote it: %#', ([text, because]) => {
    expect(read(text)).toEqual({ kind: 'not-json', because })
  })

  test('can be 200,000 levels deep', () => {
    expect(read('['.repeat(200_000) + ']'.repeat(200_000)).kind).toBe('json')
    expect(read('{"a":'.repeat(200_000)).kind).toBe('not-json')
  })
})

test('a note replaces the text of content that cannot be decoded', () => {
  const damaged = { kind: 'damaged', because: 'labelled gzip and is cut short' } as const

  expect(readDecoded({ kind: 'content', content: Buffer.from('{}') }, 9)).toEqual(readBody(Buffer.from('{}')))
  expect(readDecoded(damaged, 9)).toEqual({ text: `(9 bytes: ${damaged.because})`, body: damaged })
})

describe('a long body', () => {
  test.for<readonly [unknown, unknown]>([
    [
      { error_code: '1001', error_message: filler, more: [] },
      { error_code: '1001', error_message: filler },
    ],
    [
      { error_code: { deep: filler }, error_message: [filler] },
      { error_code: {}, error_message: [] },
    ],
    [[filler], []],
    [filler, filler],
  ])('is reduced to its kind and the two properties of the error object: %#', ([value, outline]) => {
    expect(read(JSON.stringify(value))).toEqual({ kind: 'json', value: outline })
  })

  test('is read completely on request', () => {
    const value = { items: [{ name: filler }] }

    expect(wholeValue(readBody(Buffer.from(JSON.stringify(value))))).toEqual(value)
  })
})
