import { isUtf8 } from 'node:buffer'
import zlib, { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import { duplicateNames, skimJson } from '../text/json.ts'
import type { Body, Response } from './exchange.ts'
import { TransportError } from './transport-error.ts'

/** Maximum size of an answer, in bytes, before and after decoding; documented answers are far smaller. */
export const MAX_ANSWER_BYTES = 4 * 1024 * 1024

/** Maximum length of a body to parse completely. A run keeps many answers, and a parsed body needs many times the memory of its text. */
const wholeUpTo = 16 * 1024

/** Must not precede JSON (RFC 8259, section 8.1); skipped here. */
export const BYTE_ORDER_MARK = '\uFEFF'

/** Reads decoded content as text and as JSON; never throws. */
export function readBody(content: Buffer): Pick<Response, 'text' | 'body'> {
  const text = content.toString('utf8')

  return { text, body: bodyOf(content, text) }
}

function bodyOf(content: Buffer, text: string): Body {
  if (content.length === 0) return { kind: 'empty' }
  if (!isUtf8(content)) return { kind: 'not-json', because: 'it is not UTF-8' }

  const json = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
  const outline = skimJson(json)
  if (outline.kind === 'not-json') return { kind: 'not-json', because: reasonAt(json, outline.at) }
  if (text.length > wholeUpTo) return outline

  const value: unknown = JSON.parse(json)
  const duplicates = duplicateNames(json)
  return { kind: 'json', value, ...(duplicates.length === 0 ? {} : { duplicates }) }
}

/** Parses the whole JSON value of an answer whose body is JSON. */
export function wholeValue({ text }: Pick<Response, 'text'>): unknown {
  const value: unknown = JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text)
  return value
}

/** Does not quote the text, which may contain a credential. */
function reasonAt(text: string, at: number): string {
  if (at >= text.length) return 'it ends in the middle of a value'
  return text.trimStart().startsWith('<')
    ? 'it begins with "<", as HTML and XML do'
    : `it is not JSON from character ${at} on`
}

type Decode = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Buffer

/** Zstandard (RFC 8878), which Node has been able to decode since 22.15. */
const { zstdDecompressSync }: typeof zlib & { readonly zstdDecompressSync?: Decode } = zlib

const codings: ReadonlyMap<string, Decode> = new Map([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflate],
  ['br', brotliDecompressSync],
  ['identity', (bytes: Buffer) => bytes],
  ...(zstdDecompressSync === undefined ? [] : [['zstd', zstdDecompressSync] as const]),
])

/** Maximum number of stacked codings; each needs a pass over the content. */
const MAX_CODINGS = 5

/**
 * Decodes the content of an answer (RFC 9110, section 8.4) to at most `maxBytes`, and reads it. If it does not match its label, the text is a
 * note. Throws a `TransportError` of kind `undecodable` for an unknown coding, or of kind `answer-too-large`.
 */
export function readContent(
  bytes: Buffer,
  fields: Response['fields'],
  maxBytes = MAX_ANSWER_BYTES,
): Pick<Response, 'text' | 'body'> {
  // An answer to HEAD, a 204 or a 304 may name a coding even though it has no content.
  if (bytes.length === 0) return readBody(bytes)

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
      const because = `labelled ${name} and is not ${name}, or is cut short`
      return { text: `(${bytes.length} bytes: ${because})`, body: { kind: 'damaged', because } }
    }
  }
  return readBody(content)
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
