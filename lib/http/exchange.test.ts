import zlib, { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { answer, exchange } from '../judge/testing/exchanges.ts'
import { Secret } from '../redact/secret.ts'
import { forAll } from '../text/properties.testing.ts'
import { readBody, readContent, wholeValue, responseFields, truncateBody, fieldsOf } from './exchange.ts'
import { trimOws } from './exchange.ts'

const read = (text: string): ReturnType<typeof readBody>['body'] => readBody(Buffer.from(text)).body
const filler = 'x'.repeat(20_000)

test.for<readonly [string, unknown, object?]>([
  ['{"a":[1]}', { a: [1] }],
  [' null\n', null],
  ['\uFEFF"ü"', 'ü'],
  ['\uFEFF{"a":1,"b":{"a":1,"a":2}}', { a: 1, b: { a: 2 } }, { duplicates: ['a'] }],
])('a body can be any JSON value, and its repeated names are listed: %s', ([text, value, more]) => {
  expect(read(text)).toEqual({ kind: 'json', value, ...more })
})

test('a body is empty only without bytes, and not JSON with bytes that are not UTF-8', () => {
  const body = { kind: 'not-json', because: 'it is not UTF-8' }

  expect(readBody(Buffer.alloc(0))).toEqual({ text: '', body: { kind: 'empty' } })
  expect([' ', '\uFEFF'].map((one) => read(one).kind)).toEqual(['not-json', 'not-json'])
  expect(readBody(Buffer.from([0x22, 0xff, 0x22]))).toEqual({ text: '"\uFFFD"', body })
})

test.for([
  ['{"a":', 'it ends in the middle of a value'],
  ['"abc', 'it ends in the middle of a value'],
  ['<html>hidden</html>', 'it begins with "<", as HTML and XML do'],
  ['hidden', 'it is not JSON from character 0 on'],
  ['\uFEFF\uFEFF1', 'it is not JSON from character 0 on'],
  [`["${filler}"`, 'it ends in the middle of a value'],
  [`["${filler}`, 'it ends in the middle of a value'],
  ['['.repeat(200_000), 'it ends in the middle of a value'],
  [`<html>${filler}`, 'it begins with "<", as HTML and XML do'],
  [`["${filler}"] and more`, 'it is not JSON from character 20005 on'],
  [`{"${filler}":1,}`, 'it is not JSON from character 20006 on'],
] as const)('a body is not JSON, and the reason does not quote it: %#', ([text, because]) => {
  expect(read(text)).toEqual({ kind: 'not-json', because })
})

test('a long body is reduced to its kind and the two properties of an error, but can be read completely', () => {
  const error = { error_code: '1001', error_message: filler }
  const deep = { error_code: { deep: filler }, error_message: [filler] }
  const long = [{ ...error, more: [] }, deep, [filler], filler]
  const outlines = [error, { error_code: {}, error_message: [] }, [], filler]

  for (const [at, value] of long.entries()) {
    const body = readBody(Buffer.from(JSON.stringify(value)))
    expect(body.body).toEqual({ kind: 'json', value: outlines[at] })
    expect(wholeValue(body)).toEqual(value)
  }
})

const text = '{"name":"a card"}'
const zstd: unknown = Reflect.get(zlib, 'zstdCompressSync')
/** Content in zstd, if Node supports it. */
const inZstd = (content: Buffer) => (typeof zstd === 'function' ? [Buffer.from(zstd(content))] : [])
const page = Buffer.from('<!doctype html><title>It works!</title>')
const bytes = Buffer.from(text)
const damaged = Buffer.from(gzipSync(bytes))
damaged.writeUInt8(damaged.readUInt8(damaged.length - 6) ^ 0xff, damaged.length - 6)

/** The text decoded from content with these labels, or the reason why it is damaged. */
function decoded(content: Buffer, ...codings: readonly string[]): string {
  const names = ['Content-Encoding', 'content-encoding']
  const fields = codings.map((coding, at) => [names[at] ?? '', coding] as const)
  return readContent(content, fields, 1000).text
}

test.for<readonly [codings: readonly string[], Buffer, string?]>([
  [['gzip'], gzipSync(bytes)],
  [['X-GZIP'], gzipSync(bytes)],
  [['deflate'], deflateSync(bytes)],
  [['deflate'], deflateRawSync(bytes)],
  [['br'], brotliCompressSync(bytes)],
  [['identity'], bytes],
  [[' ,identity ,'], bytes],
  [[''], bytes],
  [['gzip, br'], brotliCompressSync(gzipSync(bytes))],
  [['gzip', 'br'], brotliCompressSync(gzipSync(bytes))],
  [['deflate,gzip , identity'], gzipSync(deflateSync(bytes))],
  [['gzip'], Buffer.alloc(0), ''],
  [['rot13'], Buffer.alloc(0), ''],
  [['gzip'], gzipSync(Buffer.alloc(1000, 'x')), 'x'.repeat(1000)],
  ...inZstd(bytes).map((content) => [['zstd'], content] as const),
])('content is decoded from the codings in these fields: %j', ([codings, content, says = text]) => {
  expect(decoded(content, ...codings)).toBe(says)
})

test.for<readonly [coding: string, Buffer, named?: string]>([
  ['gzip', bytes],
  ['X-Gzip', page, 'x-gzip'],
  ['gzip', deflateSync(bytes)],
  ['gzip', gzipSync(bytes).subarray(0, -12)],
  ['gzip', gzipSync(bytes).subarray(0, 1)],
  ['gzip', damaged],
  ['deflate', bytes],
  ['deflate', deflateSync(bytes).subarray(0, -5)],
  ['deflate', deflateRawSync(bytes).subarray(0, -5)],
  ['br', page],
  ['br', brotliCompressSync(bytes).subarray(0, -5)],
  ['deflate, gzip', bytes, 'gzip'],
  ...inZstd(bytes).map(() => ['zstd', bytes] as const),
  ['deflate, gzip', gzipSync(page), 'deflate'],
])('content that does not match its label %s is reported: %#', ([coding, content, named = coding]) => {
  const because = `labelled ${named} and is not ${named}, or is cut short`

  const { text: shown, body } = readContent(content, [['content-encoding', coding]])
  expect([shown, body]).toEqual([`(${content.length} bytes: ${because})`, { kind: 'damaged', because }])
})

test('content is decoded or reported without another exception, for any bytes', () => {
  const codings = fc.constantFrom('gzip', 'x-gzip', 'deflate', 'br', 'identity', 'gzip, br')
  forAll(fc.uint8Array({ maxLength: 60 }), codings, (given, coding) => {
    const { body } = readContent(Buffer.from(given), [['content-encoding', coding]], 100_000)
    if (body.kind === 'damaged') expect(body.because).toMatch(/^labelled [a-z-]+ and is /)
  })
})

// Nothing can decode the inner coding, so the outer one may be damaged.
const unknown = ['rot13', 'constructor', 'gzip, hidden', 'rot13, gzip', Array(6).fill('identity').join()]

test.for<readonly [kind: string, coding: string, Buffer]>([
  ...unknown.map((coding) => ['undecodable', coding, bytes] as const),
  ...(typeof zstd === 'function' ? [] : [['undecodable', 'zstd', bytes] as const]),
  ['answer-too-large', 'gzip', gzipSync(Buffer.alloc(1001))],
  ...inZstd(Buffer.alloc(1001)).map((content) => ['answer-too-large', 'zstd', content] as const),
  ['answer-too-large', 'deflate', deflateSync(Buffer.alloc(1001))],
  ['answer-too-large', 'br', brotliCompressSync(Buffer.alloc(1001))],
  ['answer-too-large', 'gzip, gzip', gzipSync(gzipSync(Buffer.alloc(1_000_000)))],
])('content is %s with the coding %s, which the message does not quote', ([kind, coding, content]) => {
  const error = { kind, message: expect.not.stringMatching(/rot13|hidden/) }
  expect(() => decoded(content, coding)).toThrow(expect.objectContaining(error))
})

test('a short text is kept unchanged; a long text keeps its beginning and its length', () => {
  const short = exchange(answer(200, 'short'))
  const { response } = truncateBody(exchange(answer(200, 'ab'.repeat(100_000))))

  expect(truncateBody(short)).toBe(short)
  expect(response).toMatchObject({ status: 200, text: 'ab'.repeat(32 * 1024), cutFrom: 200_000 })
})

test('fields of requests and answers are found by name in any letter case, in order', () => {
  const names = ['Set-Cookie', 'x', 'set-cookie']
  const response = answer(200, '', { fields: names.map((name, at) => [name, `${at}`]) })
  const key = { name: 'X-Api-Key', value: new Secret('K', ' secret ') }
  const fields = [key, { name: 'x-api-keys', value: 'no' }, { name: 'x-api-key', value: '' }]
  const request = { method: 'GET', target: '/', fields }

  expect(responseFields(response, 'SET-COOKIE')).toEqual(['0', '2'])
  expect(fieldsOf(request, 'X-API-KEY')).toEqual(['secret', ''])
  expect(fieldsOf(request, 'x-version')).toEqual([])
})

test('a value arrives without the blanks at its ends, which takes linear time', () => {
  const sent = ['a', ' \t a b\t ', '\u00A0a\u00A0', ' \t', '']

  expect(sent.map(trimOws)).toEqual(['a', 'a b', '\u00A0a\u00A0', '', ''])
  expect(trimOws(`a${' '.repeat(1_000_000)}b`)).toHaveLength(1_000_002)
})
