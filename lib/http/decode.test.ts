import zlib, { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { decodeContent, type Decoded } from './decode.ts'

const text = '{"name":"a card"}'
const page = Buffer.from('<!doctype html><title>It works!</title>')
const bytes = Buffer.from(text)
const contentOf = (decoded: Decoded): string =>
  decoded.kind === 'content' ? decoded.content.toString() : decoded.because
const decoded = (content: Buffer, coding: string): string =>
  contentOf(decodeContent(content, [['Content-Encoding', coding]], 1000))

describe('codings are undone', () => {
  test.for([
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
  ] as const)('%s', ([coding, content]) => {
    expect(decoded(content, coding)).toBe(text)
  })

  test('named in two fields, in their order', () => {
    const fields = [
      ['content-encoding', 'gzip'],
      ['Content-Encoding', 'br'],
    ] as const

    expect(contentOf(decodeContent(brotliCompressSync(gzipSync(bytes)), fields, 1000))).toBe(text)
  })

  test('but not of an empty body', () => {
    expect(decoded(Buffer.alloc(0), 'gzip')).toBe('')
    expect(decoded(Buffer.alloc(0), 'rot13')).toBe('')
  })
})

describe('content that is not in its coding is said to be so', () => {
  const damaged = Buffer.from(gzipSync(bytes))
  damaged.writeUInt8(damaged.readUInt8(damaged.length - 6) ^ 0xff, damaged.length - 6)

  test.for([
    ['gzip', bytes, 'labelled gzip and is not gzip'],
    ['gzip', Buffer.from('['), 'labelled gzip and is not gzip'],
    ['X-Gzip', page, 'labelled x-gzip and is not x-gzip'],
    ['gzip', deflateSync(bytes), 'labelled gzip and is not gzip'],
    ['gzip', gzipSync(bytes).subarray(0, -12), 'labelled gzip and is cut short'],
    ['gzip', gzipSync(bytes).subarray(0, -1), 'labelled gzip and is cut short'],
    ['gzip', gzipSync(bytes).subarray(0, 1), 'labelled gzip and is cut short'],
    ['gzip', damaged, 'labelled gzip and is damaged'],
    ['deflate', bytes, 'labelled deflate and is not deflate, or is cut short'],
    ['deflate', deflateSync(bytes).subarray(0, -5), 'labelled deflate and is cut short'],
    [
      'deflate',
      deflateRawSync(bytes).subarray(0, -5),
      'labelled deflate and is not deflate, or is cut short',
    ],
    ['br', page, 'labelled br and is not br'],
    ['br', brotliCompressSync(bytes).subarray(0, -5), 'labelled br and is not br, or is cut short'],
    ['deflate, gzip', bytes, 'labelled gzip and is not gzip'],
    ['deflate, gzip', gzipSync(page), 'labelled deflate and is not deflate'],
  ] as const)('%s', ([coding, content, because]) => {
    expect(decodeContent(content, [['content-encoding', coding]], 1000)).toEqual({ kind: 'damaged', because })
  })

  test('whatever the bytes are, and nothing but codings without a decoder is trouble', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 60 }),
        fc.constantFrom('gzip', 'x-gzip', 'deflate', 'br', 'identity', 'gzip, br'),
        (given, coding) => {
          const result = decodeContent(Buffer.from(given), [['content-encoding', coding]], 100_000)
          if (result.kind === 'damaged') expect(result.because).toMatch(/^labelled [a-z-]+ and is /)
        },
      ),
    )
  })
})

describe.skipIf(Reflect.get(zlib, 'zstdCompressSync') === undefined)('zstd, where Node has it', () => {
  const compressed = (): Buffer => {
    const made: unknown = Reflect.apply(Reflect.get(zlib, 'zstdCompressSync'), zlib, [bytes])
    if (!Buffer.isBuffer(made)) throw new TypeError('no Buffer')
    return made
  }

  test('is undone', () => {
    expect(decoded(compressed(), 'zstd')).toBe(text)
  })

  test('is missed where it is not there', () => {
    expect(decoded(bytes, 'zstd')).toBe('labelled zstd and is not zstd')
  })

  test('may be no longer than is allowed', () => {
    expect(() => decodeContent(compressed(), [['content-encoding', 'zstd']], 5)).toThrow(
      expect.objectContaining({ kind: 'answer-too-large' }),
    )
  })
})

describe.skipIf(Reflect.get(zlib, 'zstdCompressSync') !== undefined)('zstd, where Node has it not', () => {
  test('has no decoder here', () => {
    expect(() => decoded(bytes, 'zstd')).toThrow(expect.objectContaining({ kind: 'undecodable' }))
  })
})

describe('trouble', () => {
  test.for([
    ['rot13', bytes],
    ['constructor', bytes],
    ['gzip, hidden', bytes],
    // Nobody decodes the inner coding, so that the outer one may be damaged.
    ['rot13, gzip', bytes],
    [Array.from({ length: 6 }, () => 'identity').join(), bytes],
  ] as const)('%s has no decoder here, in words that do not quote it', ([coding, content]) => {
    expect(() => decoded(content, coding)).toThrow(
      expect.objectContaining({ kind: 'undecodable', message: expect.not.stringMatching(/rot13|hidden/) }),
    )
  })

  test.for([
    ['gzip', gzipSync(Buffer.alloc(1001))],
    ['deflate', deflateSync(Buffer.alloc(1001))],
    ['br', brotliCompressSync(Buffer.alloc(1001))],
    ['gzip, gzip', gzipSync(gzipSync(Buffer.alloc(1_000_000)))],
  ] as const)('%s of more than is allowed', ([coding, content]) => {
    expect(() => decoded(content, coding)).toThrow(expect.objectContaining({ kind: 'answer-too-large' }))
  })

  test('exactly as much as is allowed is none', () => {
    expect(decoded(gzipSync(Buffer.alloc(1000, 'x')), 'gzip')).toHaveLength(1000)
  })
})
