import zlib, { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import { TransportError } from './transport-error.ts'

/** The content of an answer, or what is wrong with its coding, such as `labelled gzip and is not gzip, or is cut short`. */
export type Decoded =
  | { readonly kind: 'content'; readonly content: Buffer }
  | { readonly kind: 'damaged'; readonly because: string }

type Decode = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Buffer

const codings: ReadonlyMap<string, Decode> = new Map([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflate],
  ['br', brotliDecompressSync],
  ['identity', (bytes: Buffer) => bytes],
  ...zstd(),
])

/** Maximum number of stacked codings; each needs a pass over the content. */
const MAX_CODINGS = 5

/**
 * Decodes the content of an answer (RFC 9110, section 8.4) to at most `maxBytes`. Throws a `TransportError` of kind `undecodable` for an
 * unknown coding, or of kind `answer-too-large`.
 */
export function decodeContent(
  bytes: Buffer,
  fields: readonly (readonly [name: string, value: string])[],
  maxBytes: number,
): Decoded {
  // An answer to HEAD, a 204 or a 304 may name a coding even though it has no content.
  if (bytes.length === 0) return { kind: 'content', content: bytes }

  const named = fields
    .filter(([name]) => name.toLowerCase() === 'content-encoding')
    .flatMap(([, value]) => value.split(','))
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '')
  if (named.length > MAX_CODINGS) {
    throw new TransportError('undecodable', `the answer's content-encoding names ${named.length} codings`)
  }
  const known = named.map((name) => ({ name, decode: decoderOf(name) }))
  let content = bytes
  for (const { name, decode } of known.toReversed()) {
    try {
      content = decode(content, { maxOutputLength: maxBytes })
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : ''
      if (code === 'ERR_BUFFER_TOO_LARGE') {
        throw new TransportError(
          'answer-too-large',
          `the answer is longer than ${maxBytes} bytes after decoding ${name}`,
        )
      }
      // A lack of memory says nothing about the content.
      if (code === '' || /MEM|ALLOC|INITIALIZATION/i.test(code)) throw error
      return { kind: 'damaged', because: `labelled ${name} and is not ${name}, or is cut short` }
    }
  }
  return { kind: 'content', content }
}

function decoderOf(name: string): Decode {
  const decode = codings.get(name)
  if (decode !== undefined) return decode
  // The service chooses the name, so it may be anything.
  const others = [...codings.keys()].filter((known) => known !== 'x-gzip' && known !== 'identity')
  throw new TransportError(
    'undecodable',
    `the answer's content-encoding is not one of ${others.join(', ')} and identity: the suite cannot decode it, so the answer cannot be judged`,
  )
}

/** `deflate` means the zlib format. Many services send the bare stream, which browsers also accept. */
function inflate(bytes: Buffer, options: { readonly maxOutputLength: number }): Buffer {
  const isZlib = bytes.length >= 2 && (bytes.readUInt8(0) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0
  return isZlib ? inflateSync(bytes, options) : inflateRawSync(bytes, options)
}

/** Zstandard (RFC 8878), which Node has been able to decode since 22.15. */
function zstd(): readonly (readonly [string, Decode])[] {
  const decompress: unknown = Reflect.get(zlib, 'zstdDecompressSync')
  if (typeof decompress !== 'function') return []

  const decode: Decode = (bytes, options) => {
    const content: unknown = Reflect.apply(decompress, zlib, [bytes, options])
    if (!Buffer.isBuffer(content)) throw new TypeError('zstdDecompressSync gave no Buffer')
    return content
  }
  return [['zstd', decode]]
}
