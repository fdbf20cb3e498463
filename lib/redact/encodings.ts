/** Minimum size of packed data that may hold a credential, in bytes. */
const MIN_PACKED = 14

/** What the digits of a text stand for. */
export interface DecodedRuns {
  /** Bytes; those of runs that do not belong together are kept apart by bytes that are not visible. */
  readonly bytes: readonly Buffer[]
  /** The bytes of each run that is long enough for packed data, from its first digit on. */
  readonly starts: readonly Buffer[]
  /** Whether services put packed data into it that does not say so (bare deflate). */
  readonly isRadix: boolean
}

type Decode = (layer: { readonly text: string; readonly letters: string }, shortest: number) => DecodedRuns

/** Encodings of bytes as text; each is given a text, its letters and digits alone, and how many bytes are of interest. */
export const encodings: readonly (readonly [name: string, decode: Decode])[] = [
  ['hexadecimal', ({ text, letters }, shortest) => radix(hexadecimal, [unfolded(text), letters], shortest)],
  ['base64', ({ text }, shortest) => radix(base64, [unfolded(text), text.replaceAll(/\s+/g, '')], shortest)],
  ['base32', ({ text }, shortest) => radix(base32, [unfolded(text)], shortest)],
  ['binary digits', ({ letters }, shortest) => radix(binary, [letters], shortest)],
  ['base58', ({ text }) => eachRun(base58(text))],
  ['base85', ({ text }) => eachRun(base85(text))],
  ['uuencode', ({ text }) => eachRun(uuencode(text))],
  ['character codes', ({ text }) => eachRun(characterCodes(text))],
]

/** An encoding in which each digit stands for the same number of bits. */
interface Radix {
  /** Digits as in a character class. */
  readonly digits: string
  readonly bits: number
  /** After so many digits a byte ends with a digit. */
  readonly group: number
  /** The highest digit: bytes of its bits alone are not visible. */
  readonly highest: string
  readonly decode: (digits: string) => Buffer
}

const hexadecimal: Radix = {
  digits: String.raw`\da-f`,
  bits: 4,
  group: 2,
  highest: 'f',
  decode: (digits) => Buffer.from(digits, 'hex'),
}
/** Both alphabets. */
const base64: Radix = {
  digits: String.raw`\w+/\-`,
  bits: 6,
  group: 4,
  highest: '/',
  decode: (digits) => Buffer.from(digits, 'base64'),
}
const base32: Radix = {
  digits: 'a-z2-7',
  bits: 5,
  group: 8,
  highest: '7',
  decode: (digits) => bytesOf(digits, 'abcdefghijklmnopqrstuvwxyz234567'),
}
const binary: Radix = {
  digits: '01',
  bits: 1,
  group: 8,
  highest: '1',
  decode: (digits) => bytesOf(digits, '01'),
}

/** The bytes of all runs of digits, once from each digit on that a byte may begin with. */
function radix(
  { digits, bits, group, highest, decode }: Radix,
  texts: readonly string[],
  shortest: number,
): DecodedRuns {
  const fewest = Math.floor((shortest * 8) / bits)
  const runsOf = (text: string): readonly string[] =>
    text.match(new RegExp(`[${digits}]{${fewest},}`, 'gi')) ?? []
  const runs = [...new Set(texts)].flatMap(runsOf)
  if (runs.length === 0) return { bytes: [], starts: [], isRadix: true }

  const offsets = Array.from({ length: group }, (_, offset) => offset)
  const bytes = offsets.map((offset) =>
    decode(
      runs
        .map((run) => run.slice(offset) + highest.repeat(2 * group - ((run.length - offset) % group)))
        .join(''),
    ),
  )
  const long = runs.filter((run) => run.length * bits >= MIN_PACKED * 8)
  return { bytes, starts: long.map(decode), isRadix: true }
}

function eachRun(runs: Iterable<Buffer>): DecodedRuns {
  const bytes = [...runs]
  return { bytes, starts: bytes.filter((one) => one.length >= MIN_PACKED), isRadix: false }
}

/** Without line breaks and the indents behind them. */
function unfolded(text: string): string {
  return text.replaceAll(/\r?\n\s*/g, '')
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

/** Bitcoin's alphabet. The time is quadratic in a word's length, so long words are left out. */
function* base58(text: string): Generator<Buffer> {
  const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
  for (const [word] of text.matchAll(/(?<![A-Za-z0-9])[1-9A-HJ-NP-Za-km-z]{6,128}(?![A-Za-z0-9])/g)) {
    const value = Array.from(word).reduce((sum, digit) => sum * 58n + BigInt(digits.indexOf(digit)), 0n)
    const hex = value.toString(16)
    yield Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex')
  }
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
/** The values of the digits of Adobe's Ascii85, of RFC 1924 and of Z85, by code; 85 for what is no digit. */
const base85Values: readonly Uint8Array[] = [
  String.fromCharCode(...Array.from({ length: 85 }, (_, index) => 33 + index)),
  `0123456789${letters}${letters.toLowerCase()}!#$%&()*+-;<=>?@^_\`{|}~`,
  `0123456789${letters.toLowerCase()}${letters}.-:+=^!/*?&<>()[]{}@%$#`,
].map((digits) =>
  Uint8Array.from({ length: 128 }, (_, code) => (digits.indexOf(String.fromCharCode(code)) + 86) % 86),
)

/** Five digits for four bytes, from the beginning of a word on. */
function* base85(text: string): Generator<Buffer> {
  for (const [, word = ''] of unfolded(text).matchAll(/(?:<~)?([!-~]{7,})/g)) {
    for (const values of base85Values) yield bytesOfBase85(word, values)
  }
}

/** As far as there are digits; a last group of fewer than five is filled up with the highest one. */
function bytesOfBase85(word: string, values: Uint8Array): Buffer {
  const bytes = Buffer.alloc(Math.ceil(word.length / 5) * 4)
  for (let start = 0; start < word.length; start += 5) {
    let value = 0
    for (let at = start; at < start + 5; at += 1) {
      const digit = at < word.length ? (values[word.charCodeAt(at)] ?? 85) : 84
      if (digit === 85) return bytes.subarray(0, (start / 5) * 4)
      value = value * 85 + digit
    }
    bytes.writeUInt32BE(value % 2 ** 32, (start / 5) * 4)
  }
  return bytes
}

/** Lines that begin with the number of their bytes, as a character. */
function* uuencode(text: string): Generator<Buffer> {
  const lines = text.split(/\r?\n/).filter((line) => {
    const count = (line.charCodeAt(0) - 32) & 63
    return count > 0 && /^[ -`]{5,}$/.test(line) && Math.abs(line.length - 1 - Math.ceil(count / 3) * 4) <= 1
  })
  if (lines.length === 0) return
  const digits = lines.map((line) => line.slice(1, line.length - ((line.length - 1) % 4)))
  yield Buffer.from(digits.join('').replaceAll(/./g, base64DigitOf), 'base64')
}

function base64DigitOf(character: string): string {
  const digits = `${letters}${letters.toLowerCase()}0123456789+/`
  return digits.charAt((character.charCodeAt(0) - 32) & 63)
}

/** Decimal and octal numbers with little between, as in lists and calls: `[107, 101]`, `chr(107) . chr(101)`. */
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
