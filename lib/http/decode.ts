import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'

import { Trouble } from './trouble.ts'

type Decoder = (bytes: Buffer, maxOutputLength: number) => Buffer

const decoders: ReadonlyMap<string, Decoder> = new Map([
  ['gzip', (bytes: Buffer, maxOutputLength: number) => gunzipSync(bytes, { maxOutputLength })],
  ['x-gzip', (bytes: Buffer, maxOutputLength: number) => gunzipSync(bytes, { maxOutputLength })],
  ['deflate', inflate],
  ['br', (bytes: Buffer, maxOutputLength: number) => brotliDecompressSync(bytes, { maxOutputLength })],
  ['identity', (bytes: Buffer) => bytes],
])

/** More codings on top of each other than anybody uses; each one costs a pass over the content. */
const MAX_CODINGS = 5

/**
 * The content of an answer without its content codings (RFC 9110, section 8.4), at most `maxBytes` long.
 * Throws a `Trouble`: `undecodable` for a coding that is unknown or damaged, `answer-too-large`.
 */
export function decodeContent(
  bytes: Buffer,
  fields: readonly (readonly [name: string, value: string])[],
  maxBytes: number,
): Buffer {
  // The answer to a HEAD, and a 204 or 304, may name a coding without having any content.
  if (bytes.length === 0) return bytes

  const codings = fields
    .filter(([name]) => name.toLowerCase() === 'content-encoding')
    .flatMap(([, value]) => value.split(','))
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '')
  if (codings.length > MAX_CODINGS) {
    throw new Trouble('undecodable', `the answer's content-encoding names ${codings.length} codings`)
  }
  return codings.reduceRight((content, coding) => decodeOne(content, coding, maxBytes), bytes)
}

function decodeOne(bytes: Buffer, coding: string, maxBytes: number): Buffer {
  const decode = decoders.get(coding)
  if (decode === undefined) {
    throw new Trouble(
      'undecodable',
      "the answer's content-encoding is none of gzip, deflate, br and identity",
    )
  }
  try {
    return decode(bytes, maxBytes)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') {
      throw new Trouble(
        'answer-too-large',
        `the answer is longer than ${maxBytes} bytes after decoding of ${coding}`,
      )
    }
    throw new Trouble(
      'undecodable',
      `the answer is labelled ${coding}, and its content is damaged or something else`,
    )
  }
}

/** `deflate` means the zlib format; many services send the bare stream, which every browser takes too. */
function inflate(bytes: Buffer, maxOutputLength: number): Buffer {
  const looksLikeZlib =
    bytes.length >= 2 && (bytes.readUInt8(0) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0

  return looksLikeZlib ? inflateSync(bytes, { maxOutputLength }) : inflateRawSync(bytes, { maxOutputLength })
}
