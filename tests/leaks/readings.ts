const [PERCENT, AMPERSAND, BACKSLASH, EQUALS, LESS, ESCAPE] = [0x25, 0x26, 0x5c, 0x3d, 0x3c, 0x1b] as const

/** Escapes within escapes: JSON in JSON in HTML, and one to spare. */
const deepest = 4

/**
 * Everything that bytes may be read as: as they are; with the escapes of JSON, JavaScript, HTML and URLs undone, again and
 * again; each without tags and terminal codes, and each read as quoted-printable.
 */
export function* readingsOf(bytes: Uint8Array): Generator<Uint8Array> {
  let reading: Uint8Array | null = bytes
  for (let level = 0; reading !== null && level <= deepest; level += 1) {
    yield reading
    const bare = untagged(reading)
    if (bare !== null) yield bare
    const printable = unquoted(reading)
    if (printable !== null) yield printable
    reading = unescaped(reading)
  }
}

/** One level of escapes undone; null where there are none. */
export function unescaped(bytes: Uint8Array): Uint8Array | null {
  return rewritten(bytes, mayEscape, (index) => {
    if (bytes[index] === PERCENT) return percent(bytes, index)
    return bytes[index] === BACKSLASH ? backslashed(bytes, index) : entity(bytes, index)
  })
}

/** Quoted-printable undone: `=41`, and line breaks behind an equals sign. */
function unquoted(bytes: Uint8Array): Uint8Array | null {
  return rewritten(bytes, flags(EQUALS), (index) => {
    const next = bytes[index + 1] ?? 0
    if (next === 0x0a) return { length: 2, code: null }
    if (next === 0x0d && bytes[index + 2] === 0x0a) return { length: 3, code: null }
    return digits(bytes, { start: index + 1, count: 2, base: 16, length: 3 })
  })
}

/** Without tags (`<b>`, also `<!-- … -->`) and without the codes that steer a terminal. */
function untagged(bytes: Uint8Array): Uint8Array | null {
  return rewritten(bytes, flags(LESS, ESCAPE), (index) => {
    const isTag = bytes[index] === LESS
    const isTitle = bytes[index + 1] === 0x5d
    for (let end = index + (isTag ? 1 : 2); end < index + 200 && end < bytes.length; end += 1) {
      const code = bytes[end] ?? 0
      if (isTag && code === LESS) return null
      const ends = isTag ? code === 0x3e : isTitle ? code === 7 : code >= 0x40 && code <= 0x7e
      if (ends) return { length: end + 1 - index, code: null }
    }
    return null
  })
}

interface Undone {
  /** How many bytes stood for it. */
  readonly length: number
  /** Null where nothing is left of it. */
  readonly code: number | null
}

function rewritten(
  bytes: Uint8Array,
  begins: Uint8Array,
  undone: (index: number) => Undone | null,
): Uint8Array | null {
  const first = begins.reduce((least, flag, code) => {
    const at = flag === 1 ? bytes.subarray(0, least).indexOf(code) : -1
    return at < 0 ? least : at
  }, bytes.length)
  if (first === bytes.length) return null

  const made = new Uint8Array(bytes.length)
  made.set(bytes.subarray(0, first))
  let length = first
  for (let index = first; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0
    const one = begins[byte] === 1 ? undone(index) : null
    if (one === null) {
      made[length] = byte
      length += 1
      continue
    }
    index += one.length - 1
    // Beyond Latin-1 there are no letters that are looked for, but characters of no width.
    if (one.code === null || one.code > 0xff) continue
    made[length] = one.code
    length += 1
  }
  return length === bytes.length ? null : made.subarray(0, length)
}

function percent(bytes: Uint8Array, index: number): Undone | null {
  return isLetter(bytes[index + 1], 'u')
    ? digits(bytes, { start: index + 2, count: 4, base: 16, length: 6 })
    : digits(bytes, { start: index + 1, count: 2, base: 16, length: 3 })
}

function backslashed(bytes: Uint8Array, index: number): Undone | null {
  const next = bytes[index + 1]
  if (next === undefined) return null
  if (isLetter(next, 'x')) return digits(bytes, { start: index + 2, count: 2, base: 16, length: 4 })
  if (isLetter(next, 'u')) {
    return bytes[index + 2] === 0x7b
      ? upTo(bytes, { start: index + 3, base: 16, end: 0x7d, from: index })
      : digits(bytes, { start: index + 2, count: 4, base: 16, length: 6 })
  }
  const octal = digits(bytes, { start: index + 1, count: 3, base: 8, length: 4 })
  if (octal !== null) return octal
  if (isLetter(next, 'n')) return { length: 2, code: 0x0a }
  return { length: 2, code: 'bfrt0v'.includes(String.fromCharCode(next)) ? 0x20 : next }
}

const named = new Map([
  ['amp', AMPERSAND],
  ['percnt', PERCENT],
  ['bsol', BACKSLASH],
  ['lt', LESS],
  ['gt', 0x3e],
  ['num', 0x23],
  ['semi', 0x3b],
  ['equals', EQUALS],
])

/** `&#65;` and `&#x41;`, also without a semicolon; of those with names only what may begin something else is kept. */
function entity(bytes: Uint8Array, index: number): Undone | null {
  if (bytes[index + 1] === 0x23) {
    const isHex = isLetter(bytes[index + 2], 'x')
    return upTo(bytes, { start: index + (isHex ? 3 : 2), base: isHex ? 16 : 10, end: 0x3b, from: index })
  }
  let name = ''
  for (let at = index + 1; at < index + 26; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte === 0x3b && name !== '')
      return { length: at + 1 - index, code: named.get(name.toLowerCase()) ?? null }
    if ((byte | 0x20) < 0x61 || (byte | 0x20) > 0x7a) return null
    name += String.fromCharCode(byte)
  }
  return null
}

/** Exactly so many digits. */
function digits(
  bytes: Uint8Array,
  run: { readonly start: number; readonly count: number; readonly base: number; readonly length: number },
): Undone | null {
  let code = 0
  for (let index = run.start; index < run.start + run.count; index += 1) {
    const digit = digitOf(bytes[index] ?? 0)
    if (digit >= run.base) return null
    code = code * run.base + digit
  }
  return { length: run.length, code }
}

/** As many digits as there are, at most ten, and what ends them. */
function upTo(
  bytes: Uint8Array,
  run: { readonly start: number; readonly base: number; readonly end: number; readonly from: number },
): Undone | null {
  let code = 0
  let at = run.start
  for (; at < run.start + 10 && digitOf(bytes[at] ?? 0) < run.base; at += 1)
    code = code * run.base + digitOf(bytes[at] ?? 0)
  if (at === run.start) return null
  return { length: at - run.from + (bytes[at] === run.end ? 1 : 0), code }
}

/** 99 for what is no digit. */
function digitOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : 99
}

function isLetter(code: number | undefined, letter: string): boolean {
  return code !== undefined && String.fromCharCode(code).toLowerCase() === letter
}

function flags(...codes: readonly number[]): Uint8Array {
  const set = new Uint8Array(256)
  for (const code of codes) set[code] = 1
  return set
}

const mayEscape = flags(PERCENT, AMPERSAND, BACKSLASH)
