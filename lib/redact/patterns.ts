import { entities, levelsOf } from './escapes.ts'
import type { Secret } from './secret.ts'

/** Replaces the value of a credential by its name. */
type Mask = (text: string) => string

/** Maximum length of a searched value, in characters: an echo of this much belongs to a longer value. */
const MAX_WHOLE = 128
/** Minimum length within words: a shorter value occurs by chance, as `ci` in `conclusion`. */
const MIN_WITHIN_WORDS = 4
/** Minimum length in base64 and hexadecimal: a shorter value occurs by chance. */
const MIN_PACKED = 6

/**
 * Mask for whole values in a text, in any letter case and their usual spellings: plain, with any characters escaped as in URLs,
 * JSON or HTML, even repeatedly, in hexadecimal, and in base64 at each of its three offsets. Names of `others` stay too.
 */
export function maskFor(secrets: readonly Secret[], others: readonly Secret[] = []): Mask {
  const values = secrets
    .filter((secret) => secret.reveal() !== '')
    .toSorted((a, b) => b.reveal().length - a.reveal().length)
    .map((secret) => ({ secret, ...spellingsOf(secret.reveal()) }))
  const names = [...secrets, ...others].map((secret) => escapeRegExp(String(secret)))

  return (text) => {
    const present = presentIn(text, values)
    if (present.length === 0) return text
    const spelled = present.map(({ pattern }) => `((?:${pattern()})+)`)
    return text.replaceAll(new RegExp([...names, ...spelled].join('|'), 'giu'), (found, ...groups) =>
      String(present.find((_, index) => groups[index] !== undefined)?.secret ?? found),
    )
  }
}

interface Spellings {
  /** The pattern can match only if the text, in lower case and with escapes undone, holds one of these. */
  readonly signs: readonly string[]
  /** Compiled only after a sign was found: it is the slower step. */
  readonly pattern: () => string
}

/** Searching for plain texts first takes a hundredth of the patterns' time, and nearly always finds nothing. */
function presentIn<T extends Spellings>(text: string, values: readonly T[]): readonly T[] {
  const lower = levelsOf(text).map((one) => one.toLowerCase())
  return values.filter(({ signs }) => signs.some((sign) => lower.some((one) => one.includes(sign))))
}

function spellingsOf(value: string): Spellings {
  const count = Math.ceil(value.length / MAX_WHOLE)
  const length = Math.ceil(value.length / count)
  const parts = Array.from({ length: count }, (_, index) => value.slice(index * length, (index + 1) * length))
  const packed = parts
    .filter((part) => part.length >= MIN_PACKED)
    .flatMap((part) => packedSpellings(Buffer.from(part)))
  const bytes = parts.map((part) => Buffer.from(part).toString('latin1'))
  const signs = [...parts.flatMap(levelsOf), ...bytes, ...packed.map(({ sign }) => sign)]
  return {
    signs: signs.map((sign) => sign.toLowerCase()),
    pattern: () => {
      const plain = parts.map((part) => Array.from(part, spelledCharacter).join(''))
      return value.length < MIN_WITHIN_WORDS
        ? String.raw`(?<![\p{L}\p{N}])${plain.join('')}(?![\p{L}\p{N}])`
        : [...new Set([...plain, ...packed.map(({ pattern }) => pattern)])].join('|')
    },
  }
}

/** A character, plain and escaped once or twice: in URLs (`%41`), HTML (`&#65;`), JSON and JavaScript. */
function spelledCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0
  const bytes = Buffer.from(character)
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
  const percent = Array.from(bytes, (byte) => `%(?:25){0,3}${hex(byte, 2)}`).join('')
  const json = units.map((unit) => String.raw`\\{1,7}u${hex(unit, 4)}`).join('')
  const entity = entityNames.get(character)
  const html = [`#0{0,4}${code}`, `#x0{0,4}${hex(code, 1)}`, ...(entity === undefined ? [] : [entity])]
  const spellings = [
    literal(character),
    percent,
    json,
    ...(code > 0xff ? [] : [String.raw`\\{1,7}x${hex(code, 2)}`]),
    `&(?:amp;){0,3}(?:${html.join('|')});?`,
    ...(character === ' ' ? [String.raw`\+`] : []),
    ...(code < 0x80 ? [] : [escapeRegExp(bytes.toString('latin1'))]),
  ]
  return `(?:${spellings.join('|')})`
}

const entityNames = new Map(Array.from(entities, ([name, character]) => [character, name]))

/** JSON and JavaScript allow backslashes before some characters. */
function literal(character: string): string {
  if (character === '\\') return String.raw`\\{1,8}`
  return `${/["'/]/.test(character) ? String.raw`\\{0,7}` : ''}${escapeRegExp(character)}`
}

interface Packed {
  readonly sign: string
  readonly pattern: string
}

/** Hexadecimal, and base64 after any other bytes. */
function packedSpellings(bytes: Buffer): readonly Packed[] {
  const hexadecimal = bytes.toString('hex')
  const base64 = base64Of(bytes).flatMap(([own, url], before) => {
    const pattern = own.replaceAll(/[+/]/g, (sign) => signs[sign] ?? '')
    // The outer digits also hold bits of the neighbours.
    const isCut = ((before + bytes.length) * 8) % 6 !== 0
    const whole = `${before === 0 ? '' : anyDigit}${pattern}${isCut ? anyDigit : ''}`
    return [own, url].map((sign): Packed => ({ sign, pattern: whole }))
  })
  return [{ sign: hexadecimal, pattern: hexadecimal }, ...base64]
}

/** The base64 digits that bytes alone decide, in both alphabets, after 0, 1 and 2 other bytes. */
export function base64Of(bytes: Buffer): readonly (readonly [own: string, url: string])[] {
  return [0, 1, 2].map((before) => {
    const all = Buffer.concat([Buffer.alloc(before), bytes])
    const own = (alphabet: 'base64' | 'base64url'): string =>
      all.toString(alphabet).slice(Math.ceil((before * 8) / 6), Math.floor((all.length * 8) / 6))
    return [own('base64'), own('base64url')]
  })
}

const anyDigit = String.raw`[\w+/\-]?`
/** Base64 signs in both alphabets, and as JSON and URLs escape them. */
const signs: Readonly<Record<string, string>> = {
  '+': '(?:[+-]|%2B)',
  '/': String.raw`(?:\\{0,3}/|_|%2F)`,
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0')
}

/** A pattern that matches exactly this text. */
export function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
}
