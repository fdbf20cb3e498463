import { gunzipSync, inflateRawSync, inflateSync, constants } from 'node:zlib'

import { encodings, type DecodedRuns } from './encodings.ts'
import { BREAK, lettersOf, undoEscapes } from './escapes.ts'

/** One way to read a text. */
export interface Decoding {
  readonly text: string
  readonly letters: string
  /** Decodings applied, outermost first. */
  readonly how: readonly string[]
  /** Whether it was read from encoded bytes, rather than written in other characters. */
  readonly isOfBytes: boolean
}

/** Thrown for a text that takes too long to decode or unpacks to too much. */
export class UndecodableText extends Error {}

/** Maximum depth of nested encodings. */
const MAX_DEPTH = 8
/** Maximum number of decoded characters, per character of the text and in addition. */
const MAX_WORK = 48
const MIN_WORK = 2 * 1024 * 1024
/** Maximum size of unpacked data, in bytes. */
const MAX_UNPACKED = 1024 * 1024
/** Maximum number of runs per encoding unpacked without the magic bytes of packed data, longest first. */
const MAX_GUESSES = 8

/**
 * Decodes a text layer by layer, the text itself first; decoded bytes give runs of at least `shortest` visible characters. Throws
 * {@link UndecodableText}.
 */
export function* decodings(text: string, shortest: number): Generator<Decoding> {
  let left = text.length * MAX_WORK + MIN_WORK
  const visible = new RegExp(`[\\t\\n\\r -~]{${shortest},}`, 'g')

  function* layers(given: string, how: readonly string[], isOfBytes: boolean): Generator<Decoding> {
    left -= given.length
    if (left < 0) throw new UndecodableText()
    const layer = { text: given, letters: lettersOf(given), how, isOfBytes }
    yield layer
    if (how.length === MAX_DEPTH) return

    for (const [name, rewrite] of rewritings) {
      const rewritten = rewrite(given)
      if (rewritten === given) continue
      yield* layers(rewritten, [...how, name], isOfBytes)
      break
    }
    for (const [name, decode] of encodings) {
      const decoded = decode(layer, shortest)
      // In UTF-16, every other byte is 0.
      const runs = decoded.bytes.flatMap(
        (one) => one.toString('latin1').replaceAll('\0', '').match(visible) ?? [],
      )
      if (runs.length > 0) yield* layers(runs.join(BREAK), [...how, name], true)
      for (const content of unpacked(decoded))
        yield* layers(content.toString('latin1'), [...how, name, 'packed data'], true)
    }
  }
  yield* layers(text, [], false)
}

/** Rewritten characters, in the order of undoing. */
const rewritings: readonly (readonly [name: string, rewrite: (text: string) => string])[] = [
  ['UTF-16', (text) => text.replaceAll('\0', '')],
  ['escape sequences', undoEscapes],
  ['quoted-printable', (text) => text.replaceAll(/=\r?\n|=([\dA-F]{2})/g, (_, hex?: string) => byteOf(hex))],
  ['full-width or mathematical letters', (text) => (/[^\0-\x7f]/.test(text) ? text.normalize('NFKC') : text)],
  ['marked-up text', (text) => text.replaceAll(/<[^<>]{0,200}>/g, '').replaceAll(terminalCodes, '')],
]

const [bell, escape] = ['\u0007', '\u001B']
/** Titles, colours and the like. */
const terminalCodes = new RegExp(`${escape}(?:\\][^${bell}]{0,200}${bell}|.[^@-~]{0,50}[@-~])`, 'g')

function byteOf(hex: string | undefined): string {
  return hex === undefined ? '' : String.fromCharCode(Number.parseInt(hex, 16))
}

/** Contents of packed data (gzip, zlib or bare deflate), even if only its beginning is there. */
function* unpacked({ starts, isRadix }: DecodedRuns): Generator<Buffer> {
  for (const bytes of starts) {
    if (bytes.readUInt16BE(0) === GZIP) yield* unpackedBy(gunzipSync, bytes)
    else if (isZlib(bytes)) yield* unpackedBy(inflateSync, bytes)
  }
  const longest = starts
    .filter((bytes) => isRadix && mayBeDeflated(bytes))
    .toSorted((a, b) => b.length - a.length)
    .slice(0, MAX_GUESSES)
  for (const bytes of longest) yield* unpackedBy(inflateRawSync, bytes)
}

const GZIP = 0x1f8b

function isZlib(bytes: Buffer): boolean {
  return (bytes.readUInt8(0) & 0x8f) === 8 && bytes.readUInt16BE(0) % 31 === 0
}

/** Whether the only block, or the first one of long data, is compressed: deflate of text begins so. */
function mayBeDeflated(bytes: Buffer): boolean {
  const block = bytes.readUInt8(0) & 7
  return block === 3 || block === 5 || (block === 4 && bytes.length > 1024)
}

function unpackedBy(unpack: typeof inflateSync, bytes: Buffer): readonly Buffer[] {
  try {
    return [
      unpack(bytes, { maxOutputLength: MAX_UNPACKED, finishFlush: constants.Z_SYNC_FLUSH, chunkSize: 4096 }),
    ]
  } catch (error) {
    if (error instanceof RangeError) throw new UndecodableText()
    return []
  }
}
