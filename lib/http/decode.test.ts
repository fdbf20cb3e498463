import zlib, { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeContent } from './decode.ts'

const text = '{"name":"a card"}'
const page = Buffer.from('<!doctype html><title>It works!</title>')
const bytes = Buffer.from(text)
const damaged = Buffer.from(gzipSync(bytes))
damaged.writeUInt8(damaged.readUInt8(damaged.length - 6) ^ 0xff, damaged.length - 6)

/** The text decoded from content with these labels, or the reason why it is damaged. */
function decoded(content: Buffer, ...codings: readonly string[]): string {
  const fields = codings.map(
    (coding, at) => [at === 0 ? 'Content-Encoding' : 'content-encoding', coding] as const,
  )
  const read = decodeContent(content, fields, 1000)
  return read.kind === 'content' ? read.content.toString() : read.because
}

describe('content is decoded', () => {
  test.for<readonly [string, Buffer, string?]>([
    ['gzip', gzipSync(bytes)],
    ['X-GZIP', gzipSync(bytes)],
    ['deflate', deflateSync(bytes)],
    ['deflate', deflateRawSync(bytes)],
    ['br', brotliCompressSync(bytes)],
    ['identity', bytes],
    [' ,identity ,', bytes],
    ['', bytes],
    ['gzip, br', brotliCompressSync(gzipSync(bytes))],
    ['deflate,gzip , identity', gzipSync(deflateSync(bytes))],
    ['gzip', Buffer.alloc(0), ''],
    ['rot13', Buffer.alloc(0), ''],
    ['gzip', gzipSync(Buffer.alloc(1000, 'x')), 'x'.repeat(1000)],
  ])('from the coding %j', ([coding, content, says = text]) => {
    expect(decoded(content, coding)).toBe(says)
  })

  test('from codings in two fields, in order', () => {
    expect(decoded(brotliCompressSync(gzipSync(bytes)), 'gzip', 'br')).toBe(text)
  })
})

describe('content that does not match its coding is reported', () => {
  test.for([
    ['gzip', bytes, 'gzip and is not gzip'],
    ['gzip', Buffer.from('['), 'gzip and is not gzip'],
    ['X-Gzip', page, 'x-gzip and is not x-gzip'],
    ['gzip', deflateSync(bytes), 'gzip and is not gzip'],
    ['gzip', gzipSync(bytes).subarray(0, -12), 'gzip and is cut short'],
    ['gzip', gzipSync(bytes).subarray(0, -1), 'gzip and is cut short'],
    ['gzip', gzipSync(bytes).subarray(0, 1), 'gzip and is cut short'],
    ['gzip', damaged, 'gzip and is damaged'],
    ['deflate', bytes, 'deflate and is not deflate, or is cut short'],
    ['deflate', deflateSync(bytes).subarray(0, -5), 'deflate and is cut short'],
    ['deflate', deflateRawSync(bytes).subarray(0, -5), 'deflate and is not deflate, or is cut short'],
    ['br', page, 'br and is not br'],
    ['br', brotliCompressSync(bytes).subarray(0, -5), 'br and is not br, or is cut short'],
    ['deflate, gzip', bytes, 'gzip and is not gzip'],
    ['deflate, gzip', gzipSync(page), 'deflate and is not deflate'],
  ] as const)('under the label %s: %#', ([coding, content, because]) => {
    expect(decodeContent(content, [['content-encoding', coding]], 1000)).toEqual({
      kind: 'damaged',
      because: `labelled ${because}`,
    })
  })

  test('without an exception, for any bytes', () => {
    const codings = fc.constantFrom('gzip', 'x-gzip', 'deflate', 'br', 'identity', 'gzip, br')
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), codings, (given, coding) => {
        const result = decodeContent(Buffer.from(given), [['content-encoding', coding]], 100_000)
        if (result.kind === 'damaged') expect(result.because).toMatch(/^labelled [a-z-]+ and is /)
      }),
    )
  })
})

const zstd: unknown = Reflect.get(zlib, 'zstdCompressSync')

test.skipIf(typeof zstd !== 'function')('zstd is decoded if Node supports it', () => {
  const compressed = typeof zstd === 'function' ? Buffer.from(zstd(bytes)) : bytes

  expect(decoded(compressed, 'zstd')).toBe(text)
  expect(decoded(bytes, 'zstd')).toBe('labelled zstd and is not zstd')
  expect(() => decodeContent(compressed, [['content-encoding', 'zstd']], 5)).toThrow(
    expect.objectContaining({ kind: 'answer-too-large' }),
  )
})

describe('decoding', () => {
  test.for([
    ['rot13', bytes],
    ['constructor', bytes],
    ['gzip, hidden', bytes],
    // Nothing can decode the inner coding, so the outer one may be damaged.
    ['rot13, gzip', bytes],
    [Array.from({ length: 6 }, () => 'identity').join(), bytes],
    ...(typeof zstd === 'function' ? [] : [['zstd', bytes] as const]),
  ] as const)('rejects the coding %s, and the message does not quote it', ([coding, content]) => {
    expect(() => decoded(content, coding)).toThrow(
      expect.objectContaining({ kind: 'undecodable', message: expect.not.stringMatching(/rot13|hidden/) }),
    )
  })

  test.for([
    ['gzip', gzipSync(Buffer.alloc(1001))],
    ['deflate', deflateSync(Buffer.alloc(1001))],
    ['br', brotliCompressSync(Buffer.alloc(1001))],
    ['gzip, gzip', gzipSync(gzipSync(Buffer.alloc(1_000_000)))],
  ] as const)('rejects %s content beyond the maximum size', ([coding, content]) => {
    expect(() => decoded(content, coding)).toThrow(expect.objectContaining({ kind: 'answer-too-large' }))
  })
})
