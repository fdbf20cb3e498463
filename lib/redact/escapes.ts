/** Names of HTML's entities for ASCII's punctuation; those that a service's template engine may write. */
const entities: ReadonlyMap<string, string> = new Map([
  ['AMP', '&'],
  ['GT', '>'],
  ['Hat', '^'],
  ['LT', '<'],
  ['NewLine', '\n'],
  ['QUOT', '"'],
  ['Tab', '\t'],
  ['amp', '&'],
  ['apos', "'"],
  ['ast', '*'],
  ['bsol', '\\'],
  ['colon', ':'],
  ['comma', ','],
  ['commat', '@'],
  ['dollar', '$'],
  ['equals', '='],
  ['excl', '!'],
  ['grave', '`'],
  ['gt', '>'],
  ['lbrace', '{'],
  ['lbrack', '['],
  ['lcub', '{'],
  ['lowbar', '_'],
  ['lpar', '('],
  ['lsqb', '['],
  ['lt', '<'],
  ['midast', '*'],
  ['nbsp', '\u00A0'],
  ['num', '#'],
  ['percnt', '%'],
  ['period', '.'],
  ['plus', '+'],
  ['quest', '?'],
  ['quot', '"'],
  ['rbrace', '}'],
  ['rbrack', ']'],
  ['rcub', '}'],
  ['rpar', ')'],
  ['rsqb', ']'],
  ['semi', ';'],
  ['sol', '/'],
  ['verbar', '|'],
  ['vert', '|'],
])

const LONGEST_NAME = 7

/** What a backslash makes of a character, by its code: the escapes of JSON and JavaScript. */
const short: ReadonlyMap<number, number> = new Map(
  ['b\b', 'f\f', 'n\n', 'r\r', 't\t', '""', "''", '//', '\\\\'].map((pair) => [
    pair.charCodeAt(0),
    pair.charCodeAt(1),
  ]),
)

/** One escaped character: its code, and how many characters wrote it. */
export interface Escape {
  readonly code: number
  readonly length: number
}

const PERCENT = 0x25
const AMPERSAND = 0x26
const BACKSLASH = 0x5c
const ZERO = 0x30
const SEMICOLON = 0x3b
const HASH = 0x23
const U = 0x75
const X = 0x78

/** Whether a character may begin an escape: `%`, a backslash, `&`, or the 0 of `0x41`. */
export function mayEscape(code: number): boolean {
  return code === PERCENT || code === BACKSLASH || code === AMPERSAND || code === ZERO
}

/** The escape of URLs, JSON, JavaScript or HTML that stands at an index, or null. By hand, for texts may be all escapes. */
export function escapeAt(codes: Uint16Array, index: number): Escape | null {
  const next = codes[index + 1] ?? 0
  switch (codes[index] ?? 0) {
    case PERCENT:
      return lower(next) === U ? fixed(codes, index + 2, 4, 6) : fixed(codes, index + 1, 2, 3)
    case AMPERSAND:
      return next === HASH ? numeric(codes, index) : named(codes, index)
    case BACKSLASH:
      return backslashed(codes, index, next)
    case ZERO:
      return lower(next) === X ? fixed(codes, index + 2, 2, 4) : null
    default:
      return null
  }
}

function backslashed(codes: Uint16Array, index: number, next: number): Escape | null {
  if (next === X) return fixed(codes, index + 2, 2, 4)
  if (lower(next) === U) {
    return codes[index + 2] === 0x7b ? braced(codes, index) : fixed(codes, index + 2, 4, 6)
  }
  const octal = number(codes, { start: index + 1, base: 8, most: 3 })
  if (octal.digits === 3) return { code: octal.value & 0xff, length: 4 }
  const code = short.get(next)
  return code === undefined ? null : { code, length: 2 }
}

/** `\u{…}` */
function braced(codes: Uint16Array, index: number): Escape | null {
  const { value, digits } = number(codes, { start: index + 3, base: 16, most: MOST_DIGITS })
  const closed = codes[index + 3 + digits] === 0x7d

  return closed && digits > 0 ? unit(value, digits + 4) : null
}

/** `&#…;` and `&#x…;`; the semicolon may be missing. */
function numeric(codes: Uint16Array, index: number): Escape | null {
  const base = lower(codes[index + 2] ?? 0) === X ? 16 : 10
  const before = base === 16 ? 3 : 2
  const { value, digits } = number(codes, { start: index + before, base, most: MOST_DIGITS })
  const end = before + digits

  return digits === 0 ? null : unit(value, codes[index + end] === SEMICOLON ? end + 1 : end)
}

function named(codes: Uint16Array, index: number): Escape | null {
  let name = ''
  for (let at = index + 1; at <= index + LONGEST_NAME + 1; at += 1) {
    const code = codes[at] ?? 0
    if (code === SEMICOLON) {
      const character = entities.get(name)
      return character === undefined ? null : { code: character.charCodeAt(0), length: at + 1 - index }
    }
    if (lower(code) < 0x61 || lower(code) > 0x7a) return null
    name += String.fromCharCode(code)
  }
  return null
}

/** The byte that two hexadecimal digits stand for, or null. */
export function hexByteAt(codes: Uint16Array, start: number): number | null {
  return fixed(codes, start, 2, 2)?.code ?? null
}

/** Exactly so many hexadecimal digits. */
function fixed(codes: Uint16Array, start: number, count: number, length: number): Escape | null {
  let value = 0
  for (let index = start; index < start + count; index += 1) {
    const digit = digitOf(codes[index] ?? 0)
    if (digit === 16) return null
    value = value * 16 + digit
  }
  return { code: value, length }
}

const MOST_DIGITS = 10

function number(
  codes: Uint16Array,
  { start, base, most }: { readonly start: number; readonly base: number; readonly most: number },
): { value: number; digits: number } {
  let value = 0
  let digits = 0
  for (; digits < most; digits += 1) {
    const digit = digitOf(codes[start + digits] ?? 0)
    if (digit >= base) break
    value = value * base + digit
  }
  return { value, digits }
}

/** Characters beyond U+FFFF stay as they are written. */
function unit(code: number, length: number): Escape | null {
  return code > 0xffff ? null : { code, length }
}

/** 16 for what is no hexadecimal digit. */
function digitOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = lower(code)
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : 16
}

function lower(code: number): number {
  return code >= 0x41 && code <= 0x5a ? code + 0x20 : code
}
