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
    const bare = rewritten(reading, tagOrCode, () => '')
    if (bare !== null) yield bare
    const printable = rewritten(reading, quotedPrintable, (_, hex = '') => byteOf(hex, 16))
    if (printable !== null) yield printable
    reading = unescaped(reading)
  }
}

/** `<b>`, also `<!-- … -->`; the codes that steer a terminal, and its titles. */
// oxlint-disable-next-line no-control-regex -- Terminals are steered by them.
const tagOrCode = /<[^<>]{0,198}>|\u001b\][^\u0007]{0,197}\u0007|\u001b[^\]][^@-~]{0,197}[@-~]/g
/** `=41`, and line breaks behind an equals sign. */
const quotedPrintable = /=\r?\n|=([\da-f]{2})/gi
/** `%u0041`, `\u0041`, `%41`, `\x41`, `\u{41}`, `&#x41;`, `&#65;`, `\101`, `\n`, `&amp;`; numbers of HTML also without a semicolon. */
const escape =
  /(?:%u|\\u)([\da-f]{4})|(?:%|\\x)([\da-f]{2})|\\u\{([\da-f]{1,10})\}?|&#x([\da-f]{1,10});?|&#(\d{1,10});?|\\([0-7]{3})|\\([^xu])|&([a-z]{1,24});/gi

/** Of the characters with names only what may begin something else is kept. */
const named: Readonly<Record<string, string>> = {
  amp: '&',
  percnt: '%',
  bsol: '\\',
  lt: '<',
  gt: '>',
  num: '#',
  semi: ';',
  equals: '=',
}

/** One level of escapes undone; null where there are none. */
export function unescaped(bytes: Uint8Array): Uint8Array | null {
  return rewritten(bytes, escape, (_, four, two, point, hex, decimal, octal, sign, name) => {
    const digits = four ?? two ?? point ?? hex
    if (digits !== undefined) return byteOf(digits, 16)
    if (decimal !== undefined) return byteOf(decimal, 10)
    if (octal !== undefined) return byteOf(octal, 8)
    if (sign === undefined) return named[name?.toLowerCase() ?? ''] ?? ''
    if (sign.toLowerCase() === 'n') return '\n'
    return 'bfrt0v'.includes(sign) ? ' ' : sign
  })
}

/** Null where nothing is undone, which would leave fewer bytes. */
function rewritten(
  bytes: Uint8Array,
  pattern: RegExp,
  undone: (...found: readonly (string | undefined)[]) => string,
): Uint8Array | null {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
  const made = text.replaceAll(pattern, undone)
  return made.length === text.length ? null : Buffer.from(made, 'latin1')
}

/** Beyond Latin-1 there are no letters that are looked for, but characters of no width. */
function byteOf(digits: string, base: number): string {
  const code = Number.parseInt(digits, base)
  return code <= 0xff ? String.fromCharCode(code) : ''
}
