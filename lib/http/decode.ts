import zlib, { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import { TransportError } from './transport-error.ts'

/** The content of an answer, or what is wrong with its coding, such as `labelled gzip and is not gzip`. */
export type Decoded =
  | { readonly kind: 'content'; readonly content: Buffer }
  | { readonly kind: 'damaged'; readonly because: string }

interface Coding {
  readonly decode: (bytes: Buffer, maxOutputLength: number) => Buffer
  /** Whether the first bytes belong to this coding; null if that is unclear. */
  readonly begins: (bytes: Buffer) => boolean | null
}

const gzip: Coding = {
  decode: (bytes, maxOutputLength) => gunzipSync(bytes, { maxOutputLength }),
  begins: startingWith(0x1f, 0x8b),
}

const brotli: Coding = {
  decode: (bytes, maxOutputLength) => brotliDecompressSync(bytes, { maxOutputLength }),
  begins: () => null,
}

const codings: ReadonlyMap<string, Coding> = new Map([
  ['gzip', gzip],
  ['x-gzip', gzip],
  ['deflate', { decode: inflate, begins: (bytes) => looksLikeZlib(bytes) || null }],
  ['br', brotli],
  ['identity', { decode: (bytes: Buffer) => bytes, begins: () => true }],
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
  const known = named.map((name) => ({ name, coding: decoderOf(name) }))
  return known.reduceRight<Decoded>(
    (decoded, { name, coding }) =>
      decoded.kind === 'damaged' ? decoded : decodeOne(decoded.content, { name, coding }, maxBytes),
    { kind: 'content', content: bytes },
  )
}

function decoderOf(name: string): Coding {
  const coding = codings.get(name)
  if (coding !== undefined) return coding
  // The service chooses the name, so it may be anything.
  const others = [...codings.keys()].filter((known) => known !== 'x-gzip' && known !== 'identity')
  throw new TransportError(
    'undecodable',
    `the answer's content-encoding is not one of ${others.join(', ')} and identity: the suite cannot decode it, so the answer cannot be judged`,
  )
}

function decodeOne(
  bytes: Buffer,
  { name, coding }: { readonly name: string; readonly coding: Coding },
  maxBytes: number,
): Decoded {
  try {
    return { kind: 'content', content: coding.decode(bytes, maxBytes) }
  } catch (error) {
    if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') {
      throw new TransportError(
        'answer-too-large',
        `the answer is longer than ${maxBytes} bytes after decoding ${name}`,
      )
    }
    if (!isOfContent(error)) throw error
    // zlib's code for input that ends in the middle of the coding.
    const isCut = codeOf(error) === 'Z_BUF_ERROR'
    return {
      kind: 'damaged',
      because: `labelled ${name} and is ${damageOf(name, coding.begins(bytes), isCut)}`,
    }
  }
}

function damageOf(name: string, begins: boolean | null, isCut: boolean): string {
  if (begins === null && isCut) return `not ${name}, or is cut short`
  if (begins !== true) return `not ${name}`
  return isCut ? 'cut short' : 'damaged'
}

/** Whether a decoder failed because of its input rather than for lack of memory. */
function isOfContent(error: unknown): boolean {
  const code = codeOf(error)
  return code !== '' && !/MEM|ALLOC|INITIALIZATION/i.test(code)
}

/** `deflate` means the zlib format. Many services send the bare stream, which browsers also accept. */
function inflate(bytes: Buffer, maxOutputLength: number): Buffer {
  return looksLikeZlib(bytes)
    ? inflateSync(bytes, { maxOutputLength })
    : inflateRawSync(bytes, { maxOutputLength })
}

function looksLikeZlib(bytes: Buffer): boolean {
  return bytes.length >= 2 && (bytes.readUInt8(0) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0
}

/** Zstandard (RFC 8878), which Node has been able to decode since 22.15. */
function zstd(): readonly (readonly [string, Coding])[] {
  const decompress: unknown = Reflect.get(zlib, 'zstdDecompressSync')
  if (typeof decompress !== 'function') return []

  const decode = (bytes: Buffer, maxOutputLength: number): Buffer => {
    const content: unknown = Reflect.apply(decompress, zlib, [bytes, { maxOutputLength }])
    if (!Buffer.isBuffer(content)) throw new TypeError('zstdDecompressSync gave no Buffer')
    return content
  }
  return [['zstd', { decode, begins: startingWith(0x28, 0xb5, 0x2f, 0xfd) }]]
}

function startingWith(...magic: readonly number[]): (bytes: Buffer) => boolean {
  return (bytes) => magic.every((byte, index) => index >= bytes.length || bytes[index] === byte)
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
