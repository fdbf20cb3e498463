import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'

import { describe, expect, test } from 'vitest'

import { decodeContent } from './decode.ts'

const text = '{"name":"a card"}'
const bytes = Buffer.from(text)
const decoded = (content: Buffer, coding: string): string =>
  decodeContent(content, [['Content-Encoding', coding]], 1000).toString()

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

    expect(decodeContent(brotliCompressSync(gzipSync(bytes)), fields, 1000).toString()).toBe(text)
  })

  test('but not of an empty body', () => {
    expect(decodeContent(Buffer.alloc(0), [['content-encoding', 'gzip']], 1000)).toHaveLength(0)
  })
})

describe('trouble', () => {
  test.for([
    ['gzip', bytes],
    ['br', bytes],
    ['deflate', bytes],
    ['gzip', gzipSync(bytes).subarray(0, -12)],
    ['zstd', bytes],
    ['constructor', bytes],
    [Array.from({ length: 6 }, () => 'identity').join(), bytes],
  ] as const)('%s that cannot be undone', ([coding, content]) => {
    expect(() => decoded(content, coding)).toThrow(expect.objectContaining({ kind: 'undecodable' }))
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
