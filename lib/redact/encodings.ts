/** Minimum number of digits of a run that may be packed data. */
const MIN_PACKED = 16
/** Maximum size of data that is unpacked, in bytes: of as long random data, one run in a hundred thousand is not opaque. */
const MAX_PACKED = 64

/** Bytes that the digits of a text stand for. */
interface DecodedRuns {
  /** Bytes; invisible ones separate runs that do not belong together. */
  readonly bytes: readonly Buffer[]
  /** Bytes of each run that may be packed data and is short enough to be shown whole. */
  readonly short: readonly Buffer[]
}

type Decode = (layer: { readonly text: string; readonly letters: string }, shortest: number) => DecodedRuns

/** Encodings of bytes as text; each takes a text, its letters and digits alone, and the minimum number of bytes. */
export const encodings: readonly (readonly [name: string, decode: Decode])[] = [
  ['hexadecimal', ({ text, letters }, shortest) => radix(hexadecimal, [unfolded(text), letters], shortest)],
  ['base64', ({ text }, shortest) => radix(base64, [unfolded(text), text.replaceAll(/\s+/g, '')], shortest)],
  ['base32', ({ text }, shortest) => radix(base32, [unfolded(text), ungrouped(text)], shortest)],
  ['binary digits', ({ letters }, shortest) => radix(binary, [letters], shortest)],
  ['character codes', ({ text }) => ({ bytes: characterCodes(text), short: [] })],
]

/** An encoding whose digits all stand for the same number of bits. */
interface Radix {
  /** Digits as a character class. */
  readonly digits: string
  readonly bits: number
  /** Number of digits after which a byte ends with a digit. */
  readonly group: number
  /** Highest digit: bytes of its bits alone are not visible. */
  readonly highest: string
  readonly decode: (digits: string) => Buffer
}

const fromHex = (digits: string): Buffer => Buffer.from(digits, 'hex')
const hexadecimal: Radix = { digits: String.raw`\da-f`, bits: 4, group: 2, highest: 'f', decode: fromHex }
const fromBase64 = (digits: string): Buffer => Buffer.from(digits, 'base64')
/** Both alphabets. */
const base64: Radix = { digits: String.raw`\w+/\-`, bits: 6, group: 4, highest: '/', decode: fromBase64 }
const fromBase32 = (digits: string): Buffer => bytesOf(digits, 'abcdefghijklmnopqrstuvwxyz234567')
const base32: Radix = { digits: 'a-z2-7', bits: 5, group: 8, highest: '7', decode: fromBase32 }
const fromBinary = (digits: string): Buffer => bytesOf(digits, '01')
const binary: Radix = { digits: '01', bits: 1, group: 8, highest: '1', decode: fromBinary }

/** Bytes of all runs of digits, from each digit at which a byte may begin. */
function radix(
  { digits, bits, group, highest, decode }: Radix,
  texts: readonly string[],
  shortest: number,
): DecodedRuns {
  const fewest = Math.floor((shortest * 8) / bits)
  const runsOf = (text: string): readonly string[] =>
    text.match(new RegExp(`[${digits}]{${fewest},}`, 'gi')) ?? []
  const runs = [...new Set(texts)].flatMap(runsOf)
  if (runs.length === 0) return { bytes: [], short: [] }

  const offsets = Array.from({ length: group }, (_, offset) => offset)
  const bytes = offsets.map((offset) =>
    decode(
      runs
        .map((run) => run.slice(offset) + highest.repeat(2 * group - ((run.length - offset) % group)))
        .join(''),
    ),
  )
  // What precedes packed data ends with a sign: `/session/eJw…`, `v1_eJw…`.
  const most = Math.floor((MAX_PACKED * 8) / bits)
  const packed = new RegExp(`(?<![a-z\\d])(?=([${digits}]{${MIN_PACKED},${most}})(?![${digits}]))`, 'gi')
  const short = runs.flatMap((run) => Array.from(run.matchAll(packed), ([, one = '']) => decode(one)))
  return { bytes, short }
}

/** Removes line breaks and the indents after them. */
function unfolded(text: string): string {
  return text.replaceAll(/\r?\n\s*/g, '')
}

/** Without what parts groups of four and more digits of base32, as keys of authenticators are shown. */
function ungrouped(text: string): string {
  return text.replaceAll(/(?<=[a-z2-7]{4})[ -](?=[a-z2-7])/gi, '')
}

function bytesOf(text: string, digits: string): Buffer {
  const width = Math.log2(digits.length)
  const bytes = Buffer.alloc(Math.floor((text.length * width) / 8))
  let [held, value, length] = [0, 0, 0]
  for (const digit of text.toLowerCase()) {
    value = ((value << width) | digits.indexOf(digit)) & 0xfff
    held += width
    if (held < 8) continue
    held -= 8
    bytes[length] = value >> held
    length += 1
  }
  return bytes
}

/** Decimal and octal numbers close together, as in lists and calls: `[107, 101]`, `chr(107) . chr(101)`. */
function characterCodes(text: string): readonly Buffer[] {
  const [decimal, octal]: [number[], number[]] = [[], []]
  let end = 0
  for (const { 0: number, index } of text.matchAll(/\d+/g)) {
    const gap = index - end > 12 ? [NOT_VISIBLE] : []
    decimal.push(...gap, byteIn(number, 10))
    octal.push(...gap, byteIn(number, 8))
    end = index + number.length
  }
  return [Buffer.from(decimal), Buffer.from(octal)]
}

const NOT_VISIBLE = 0xff

function byteIn(number: string, base: number): number {
  const value = number.length > 3 ? Number.NaN : Number.parseInt(number, base)
  return value <= 0xff ? value : NOT_VISIBLE
}
