import { unescaped } from './readings.ts'

/** How many characters in a row of a credential are a leak. */
export const telling = 10

/** How many letters and digits there must be among them: fewer are written by chance. */
export const shortest = 8

/** A piece of a credential as it may be written somewhere: letters and digits alone, in lower case. */
export interface Writing {
  readonly written: string
  readonly how: string
  /** What it was before it was folded, in lower case, where it is too short to be told from chance by itself. */
  readonly exactly?: string
}

/**
 * Every run of {@link telling} characters of a value in every writing. What is looked through is folded in the same way
 * (letters and digits alone, in lower case), so that breaks, quotes, separators and letter case need no writings of their own.
 */
export function writingsOf(value: string): readonly Writing[] {
  const plain: readonly Writing[] = [...plainReadings(value)].flatMap((reading) => [
    ...windowsOf(folded(reading), telling).map((written) => ({ written, how: 'as text' })),
    ...windowsOf(reading, telling)
      .map((exactly) => ({ written: folded(exactly), how: 'as text', exactly: exactly.toLowerCase() }))
      .filter(({ written }) => written.length >= shortest && written.length < telling),
  ])
  const packed = windowsOf(value, telling).flatMap((_, start) =>
    packings.flatMap(({ how, width, pack }) => {
      // Where punctuation makes a piece too short to be told from chance, it takes in the characters after it.
      for (let length = telling; length <= telling + 6 && start + length <= value.length; length += 1) {
        const pieces = pack(value.slice(start, start + length)).map(folded)
        if (pieces.every((piece) => piece.length >= width))
          return pieces.map((piece) => ({ written: piece.slice(0, width), how }))
      }
      return []
    }),
  )
  return [...plain, ...packed].flatMap((one) => [one, backwards(one)])
}

function backwards({ written, how, exactly }: Writing): Writing {
  const turned = { written: reversed(written), how: `${how}, reversed` }
  return exactly === undefined ? turned : { ...turned, exactly: reversed(exactly) }
}

function reversed(text: string): string {
  return Array.from(text).toReversed().join('')
}

/** Letters and digits of ASCII alone, in lower case. */
export function folded(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase()
}

interface Packing {
  readonly how: string
  /** How many characters of the writing are looked for: below this, chance could write them. */
  readonly width: number
  readonly pack: (text: string) => readonly string[]
}

type Change = (text: string) => string

const cases: readonly Change[] = [
  (text) => text,
  (text) => text.toUpperCase(),
  (text) => text.toLowerCase(),
  (text) => text.replaceAll(/[A-Za-z]/g, (one) => (one < 'a' ? one.toLowerCase() : one.toUpperCase())),
  reversed,
]
const every =
  (write: (code: number) => string): Change =>
  (text) =>
    Array.from(Buffer.from(text), write).join('')
const hex: Change = (text) => Buffer.from(text).toString('hex')
const percent: Change = every((code) => `%${code.toString(16)}`)
const wide = (text: string): readonly Buffer[] => {
  const little = Buffer.from(text, 'utf16le')
  return [little, Buffer.from(little).swap16()]
}

const packings: readonly Packing[] = [
  { how: 'in base64', width: 12, pack: (text) => cased(text).flatMap((one) => base64(Buffer.from(one))) },
  { how: 'in base32', width: 14, pack: (text) => cased(text).flatMap(base32) },
  { how: 'in hexadecimal', width: 20, pack: (text) => cased(text).map(hex) },
  { how: 'in decimal codes', width: 24, pack: (text) => [every(String)(text)] },
  { how: 'in octal codes', width: 28, pack: (text) => [every((code) => code.toString(8))(text)] },
  {
    how: 'in hexadecimal codes',
    width: 30,
    pack: (text) => [every((code) => `x${code.toString(16)}`)(text)],
  },
  {
    how: 'in hexadecimal numbers',
    width: 40,
    pack: (text) => [every((code) => `0x${code.toString(16)}`)(text)],
  },
  { how: 'in UTF-16 codes', width: 50, pack: (text) => [every((code) => `u00${code.toString(16)}`)(text)] },
  { how: 'in base64 of UTF-16', width: 14, pack: (text) => wide(text).flatMap(base64) },
  { how: 'in hexadecimal UTF-16', width: 20, pack: (text) => wide(text).map((one) => one.toString('hex')) },
  { how: 'in base64 of base64', width: 14, pack: (text) => base64(Buffer.from(text)).flatMap(base64Of) },
  {
    how: 'in base64 of hexadecimal or percent-encoding',
    width: 20,
    pack: (text) =>
      [hex(text), hex(text).toUpperCase(), percent(text), percent(text).toUpperCase()].flatMap(base64Of),
  },
  { how: 'in hexadecimal of base64', width: 20, pack: (text) => base64(Buffer.from(text)).map(hex) },
]

function cased(text: string): readonly string[] {
  return [...new Set(cases.map((change) => change(text)))]
}

function base64Of(text: string): readonly string[] {
  return base64(Buffer.from(text))
}

/** What every base64 text (of both alphabets) has in common that holds these bytes after 0, 1 or 2 others. */
function base64(bytes: Uint8Array): readonly string[] {
  return [0, 1, 2].flatMap((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
    return inner(text, { bits: 6, shift, bytes: bytes.length })
  })
}

const base32Digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

function base32(text: string): readonly string[] {
  return [0, 1, 2, 3, 4].map((shift) => {
    const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(text)])
    let digits = ''
    let held = 0
    let value = 0
    for (const byte of bytes) {
      value = ((value << 8) | byte) & 0xfff
      for (held += 8; held >= 5; held -= 5) digits += base32Digits[(value >> (held - 5)) & 31] ?? ''
    }
    return inner(digits, { bits: 5, shift, bytes: bytes.length - shift })
  })
}

/** The digits that hold nothing but the bytes asked for. */
function inner(
  text: string,
  { bits, shift, bytes }: { readonly bits: number; readonly shift: number; readonly bytes: number },
): string {
  return text.slice(Math.ceil((shift * 8) / bits), Math.floor(((shift + bytes) * 8) / bits))
}

/** The value, and as it reads where escapes are undone that it holds itself. */
function plainReadings(value: string): ReadonlySet<string> {
  const readings = new Set([value])
  let bytes: Uint8Array | null = Buffer.from(value)
  for (let level = 0; level < 3 && bytes !== null; level += 1) {
    bytes = unescaped(bytes)
    if (bytes !== null) readings.add(Buffer.from(bytes).toString('latin1'))
  }
  return readings
}

function windowsOf(text: string, width: number): readonly string[] {
  return Array.from({ length: Math.max(0, text.length - width + 1) }, (_, start) =>
    text.slice(start, start + width),
  )
}
