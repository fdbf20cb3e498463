import { isUtf8 } from 'node:buffer'
import { constants, inflateRawSync } from 'node:zlib'

import { encodings } from './encodings.ts'
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

/** Thrown for a text that takes too long to decode. */
export class UndecodableText extends Error {}

/** Maximum depth of nested encodings. */
const MAX_DEPTH = 8
/** Maximum number of decoded characters, per character of the text and in addition. */
const MAX_WORK = 48
const MIN_WORK = 256 * 1024
/** Maximum size of unpacked data, in bytes. */
const MAX_UNPACKED = 32 * 1024

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
      const runs = decoded.bytes.flatMap((one) => charactersOf(one).match(visible) ?? [])
      if (runs.length > 0) yield* layers(runs.join(BREAK), [...how, name], true)
      for (const content of decoded.short.flatMap(unpacked))
        yield* layers(content.toString('latin1'), [...how, name, 'packed data'], true)
    }
  }
  yield* layers(text, [], false)
}

/** Rewritten characters, in the order of undoing. */
const rewritings: readonly (readonly [name: string, rewrite: (text: string) => string])[] = [
  ['UTF-16', (text) => text.replaceAll('\0', '')],
  ['escape sequences', undoEscapes],
  ['UTF-8', characters],
  ['quoted-printable', (text) => text.replaceAll(/=\r?\n|=([\dA-F]{2})/g, (_, hex?: string) => byteOf(hex))],
  ['full-width or mathematical letters', usual],
  [
    'marked-up text',
    (text) => text.replaceAll(/<!\[CDATA\[|\]\]>|<[^<>]{0,200}>/g, '').replaceAll(terminalCodes, ''),
  ],
]

const beyondAscii = /[^\0-\x7f]/
const beyondBytes = /[^\0-\xff]/

/** Bytes as characters. In UTF-16, every other byte is 0; what is no UTF-8 is left as it is. */
function charactersOf(bytes: Buffer): string {
  const text = characters(bytes.toString('latin1').replaceAll('\0', ''))
  return beyondBytes.test(text) ? usual(text) : text
}

/** The characters of UTF-8, where each byte is one. */
function characters(text: string): string {
  return text.replaceAll(/[\xc2-\xf4][\x80-\xbf]{1,3}/g, (written) => {
    const bytes = Buffer.from(written, 'latin1')
    return isUtf8(bytes) ? bytes.toString('utf8') : written
  })
}

/** As they are usually written. Characters of no width part letters that are read as one word. */
function usual(text: string): string {
  return beyondAscii.test(text) ? text.normalize('NFKC').replaceAll(/\p{Cf}|\p{Mn}/gu, '') : text
}

const [bell, escape] = ['\u0007', '\u001B']
const string = `[^${bell}${escape}\u009C]{0,200}(?:${bell}|${escape}\\\\|\u009C)`
/** Titles, colours, other strings and single codes, with an escape or as one byte. Source: ECMA-48, 5. */
const terminalCodes = new RegExp(
  `(?:${escape}\\[|\u009B)[^@-~]{0,50}[@-~]|(?:${escape}[\\]PX^_]|[\u0090\u0098\u009D-\u009F])${string}|${escape}[ -/]{0,2}[0-~]`,
  'g',
)

function byteOf(hex: string | undefined): string {
  return hex === undefined ? '' : String.fromCharCode(Number.parseInt(hex, 16))
}

/** Headers of bare deflate, zlib and gzip, in bytes. */
const headers = [0, 2, 10] as const
const options = { maxOutputLength: MAX_UNPACKED, finishFlush: constants.Z_SYNC_FLUSH, chunkSize: 4096 }

/** What bytes may be packed data of; its end may be missing. */
function unpacked(bytes: Buffer): readonly Buffer[] {
  return headers.flatMap((length) => {
    try {
      return mayBeDeflated(bytes, length) ? [inflateRawSync(bytes.subarray(length), options)] : []
    } catch {
      return []
    }
  })
}

/** Whether a block with fixed codes begins there, with three visible characters: as little data as that has no other codes. */
function mayBeDeflated(bytes: Buffer, at: number): boolean {
  if (bytes.length < at + 4) return false
  const bits = bytes.readUInt32LE(at)
  return (bits & 6) === 2 && [3, 11, 19].every((from) => isVisible[(bits >>> from) & 0xff] === true)
}

/** By the eight bits of a fixed code, the first one lowest, whether it stands for a visible character. */
const isVisible = Array.from({ length: 256 }, (_, bits) => {
  const code = Number.parseInt(Array.from(bits.toString(2).padStart(8, '0')).toReversed().join(''), 2)
  return code >= 0x50 && code < 0xaf
})
