/** Minimum size of packed data that can hold a credential, in bytes. */
const MIN_PACKED = 14

/** Bytes that the digits of a text stand for. */
export interface DecodedRuns {
  /** Bytes; invisible ones separate runs that do not belong together. */
  readonly bytes: readonly Buffer[]
  /** Bytes of each run long enough for packed data, from its first digit on. */
  readonly starts: readonly Buffer[]
  /** Whether services use it for packed data without magic bytes (bare deflate). */
  readonly isRadix: boolean
}

type Decode = (layer: { readonly text: string; readonly letters: string }, shortest: number) => DecodedRuns

/** Encodings of bytes as text; each takes a text, its letters and digits alone, and the minimum number of bytes. */
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

/** Removes line breaks and the indents after them. */
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

/** Bitcoin's alphabet; long words are left out, since the time is quadratic. */
function* base58(text: string): Generator<Buffer> {
  const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
  for (const [word] of text.matchAll(/(?<![A-Za-z0-9])[1-9A-HJ-NP-Za-km-z]{6,128}(?![A-Za-z0-9])/g)) {
    const value = Array.from(word).reduce((sum, digit) => sum * 58n + BigInt(digits.indexOf(digit)), 0n)
    const hex = value.toString(16)
    yield Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex')
  }
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
/** Digit values of Adobe's Ascii85, RFC 1924 and Z85, by code; 85 for other characters. */
const base85Values: readonly Uint8Array[] = [
  String.fromCharCode(...Array.from({ length: 85 }, (_, index) => 33 + index)),
  `0123456789${letters}${letters.toLowerCase()}!#$%&()*+-;<=>?@^_\`{|}~`,
  `0123456789${letters.toLowerCase()}${letters}.-:+=^!/*?&<>()[]{}@%$#`,
].map((digits) =>
  Uint8Array.from({ length: 128 }, (_, code) => (digits.indexOf(String.fromCharCode(code)) + 86) % 86),
)

/** Five digits for four bytes, from the beginning of a word. */
function* base85(text: string): Generator<Buffer> {
  for (const [, word = ''] of unfolded(text).matchAll(/(?:<~)?([!-~]{7,})/g)) {
    for (const values of base85Values) yield bytesOfBase85(word, values)
  }
}

/** Decodes up to the first other character; fills a last short group up with the highest digit. */
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

/** Lines that begin with their number of bytes, as a character. */
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
