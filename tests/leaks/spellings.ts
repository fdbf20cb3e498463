import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib'

/** Ways in which a service, a library or a terminal may write a credential, from plain to far-fetched. */
export const spellings: Readonly<Record<string, (text: string) => string | Buffer>> = {
  'as it is': (text) => text,
  'in upper case': (text) => text.toUpperCase(),
  'in lower case': (text) => text.toLowerCase(),
  'in swapped case': swapped,
  reversed,
  'in JSON': (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replaceAll('/', String.raw`\/`),
  'in JSON, every character': (text) => each(text, (code) => `\\u${hex(code, 4)}`),
  'in JSON, every other character': (text) => half(text, (code) => `\\u${hex(code, 4).toUpperCase()}`),
  'in JSON within JSON': (text) => JSON.stringify(JSON.stringify(text)).slice(3, -3),
  'in JSON within JSON, every character': (text) => each(text, (code) => `\\\\u${hex(code, 4)}`),
  'in JavaScript, hexadecimal': (text) => each(text, (code) => `\\x${hex(code, 2)}`),
  'in JavaScript, code points': (text) => half(text, (code) => `\\u{${hex(code, 1)}}`),
  'in JavaScript, put together': (text) =>
    `${text.slice(0, text.length / 2)}" + "${text.slice(text.length / 2)}`,
  'in C, octal': (text) => half(text, (code) => `\\${code.toString(8).padStart(3, '0')}`),
  'in HTML, decimal': (text) => each(text, (code) => `&#${code};`),
  'in HTML, every other character': (text) => half(text, (code) => `&#${code};`),
  'in HTML, hexadecimal': (text) => each(text, (code) => `&#x${hex(code, 2)};`),
  'in HTML, named': (text) => text.replaceAll(/[&<>"+/=%_]/g, (one) => `&${entities[one] ?? ''};`),
  'in HTML, twice': (text) => half(text, (code) => `&amp;#${code};`),
  'percent-encoded': encodeURIComponent,
  'percent-encoded as a form': (text) => new URLSearchParams({ a: text }).toString().slice(2),
  'percent-encoded, every byte': (text) => each(text, (code) => `%${hex(code, 2)}`),
  'percent-encoded, every byte, in upper case': (text) =>
    each(text, (code) => `%${hex(code, 2).toUpperCase()}`),
  'percent-encoded, every other byte': (text) => half(text, (code) => `%${hex(code, 2)}`),
  'percent-encoded twice': (text) => half(text, (code) => `%25${hex(code, 2)}`),
  'in base64': base64,
  'in base64 after one byte': (text) => base64(`u${text}`),
  'in base64 after two bytes': (text) => base64(`us${text}`),
  'in base64 with its key': (text) => base64(`a-key-of-ours:${text}`),
  'in base64 of JSON': (text) => base64(JSON.stringify({ secret: text })),
  'in base64url': (text) => Buffer.from(`??>${text}`).toString('base64url'),
  'in base64, broken into lines': (text) =>
    base64(`${'x'.repeat(29)}${text}`).replaceAll(/(.{19})/g, '$1\r\n'),
  'in base64, percent-encoded': (text) => encodeURIComponent(base64(text)),
  'in base64 of base64': (text) => base64(base64(`u${text}`)),
  'in base64 of hexadecimal': (text) => base64(Buffer.from(text).toString('hex')),
  'in base64 of percent-encoding': (text) => base64(each(text, (code) => `%${hex(code, 2)}`)),
  'in base64 of UTF-16': (text) => Buffer.from(text, 'utf16le').toString('base64'),
  'in base64, in upper case before': (text) => base64(text.toUpperCase()),
  'in base64, reversed before': (text) => base64(reversed(text)),
  'in hexadecimal': (text) => Buffer.from(text).toString('hex'),
  'in hexadecimal, in upper case': (text) => Buffer.from(text).toString('hex').toUpperCase(),
  'in hexadecimal with colons': (text) => spelt(text, (code) => hex(code, 2), ':'),
  'in hexadecimal with spaces': (text) => spelt(text, (code) => hex(code, 2).toUpperCase(), ' '),
  'in hexadecimal numbers': (text) => spelt(text, (code) => `0x${hex(code, 2)}`, ', '),
  'as the bytes of a buffer': (text) => JSON.stringify(Buffer.from(text)),
  'as a list of characters': (text) => JSON.stringify(Array.from(text)),
  'in UTF-16': (text) => Buffer.from(text, 'utf16le'),
  'in UTF-16, big-endian': (text) => Buffer.from(text, 'utf16le').swap16(),
  'in quoted-printable': (text) => each(text, (code) => `=${hex(code, 2).toUpperCase()}`),
  'in quoted-printable, broken': (text) =>
    `${text.replaceAll('=', '=3D').slice(0, 7)}=\r\n${text.replaceAll('=', '=3D').slice(7)}`,
  'broken by a line': (text) => `${text.slice(0, 9)}\n${text.slice(9)}`,
  'broken by a space': (text) => `${text.slice(0, 9)} ${text.slice(9)}`,
  'broken into fours': (text) => text.replaceAll(/(.{4})/g, '$1-'),
  'with spaces between': (text) => Array.from(text).join(' '),
  'with characters of no width': (text) => Array.from(text).join('\u200b'),
  'with characters of no width in HTML': (text) => Array.from(text).join('&#8203;'),
  'with tags between': (text) => Array.from(text).join('<wbr class="a">'),
  'with escaped tags between': (text) => Array.from(text).join('\\u003cb\\u003e'),
  'with colours between': (text) => Array.from(text).join('\u001b[31m'),
  'in base64 of gzip': (text) => gzipSync(text).toString('base64'),
  'in base64url of gzipped JSON': (text) => gzipSync(JSON.stringify({ secret: text })).toString('base64url'),
  'in base64 of zlib': (text) => deflateSync(text).toString('base64'),
  'in base64 of bare deflate': (text) => deflateRawSync(text).toString('base64'),
  'in hexadecimal of gzip': (text) => gzipSync(text).toString('hex'),
  'in hexadecimal of zlib': (text) => deflateSync(text).toString('hex'),
  'in hexadecimal of bare deflate': (text) => deflateRawSync(text).toString('hex'),
  'in hexadecimal of base64 of gzip': (text) => Buffer.from(base64(gzipSync(text))).toString('hex'),
  'in base64, broken into lines with an indent': (text) =>
    base64(`${'x'.repeat(29)}${text}`).replaceAll(/(.{19})/g, '$1\r\n    '),
  'in base64 of base64 of base64': (text) => base64(base64(base64(text))),
  'in base32': (text) => inBits(text, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'),
  'in base32, in lower case': (text) => inBits(text, 'abcdefghijklmnopqrstuvwxyz234567'),
  'in base32, in groups': (text) =>
    inBits(text, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567').replaceAll(/(.{4})(?=.)/g, '$1 '),
  'in full-width letters': fullWidth,
  'in full-width letters, percent-encoded': (text) => encodeURIComponent(fullWidth(text)),
  'with soft hyphens by name': (text) => Array.from(text).join('&shy;'),
  'in mathematical letters': (text) => text.replaceAll(/[A-Za-z\d]/g, mathematical),
  'in calls of chr()': (text) => spelt(text, (code) => `chr(${String(code)})`, ' . '),
  'in decimal numbers with dashes': (text) => spelt(text, String, '-'),
  'in octal numbers': (text) => spelt(text, (code) => code.toString(8), ' '),
  'in octal numbers with a prefix': (text) => spelt(text, (code) => `0o${code.toString(8)}`, ', '),
  'in binary digits': (text) => inBits(text, '01'),
  'in binary digits with spaces': (text) => spelt(text, (code) => code.toString(2).padStart(8, '0'), ' '),
  'in pieces of seven': (text) => pieces(text, 7).join(', and then '),
  'in pieces of seven, in a list': (text) => JSON.stringify(pieces(text, 7)),
  'in pieces of seven, each with a name': (text) => JSON.stringify({ ...pieces(text, 7) }),
  'in pieces of five, in a table': (text) => pieces(text, 5).join('</td><td>'),
}

/** Ways in which nobody writes a credential by accident. They are not recognised, and the documents name them. */
export const disguises: Readonly<Record<string, (text: string) => string>> = {
  'in base64, reversed after': (text) => reversed(base64(text)),
  'in ROT13': (text) =>
    text.replaceAll(/[a-z]/gi, (one) =>
      String.fromCharCode(one.charCodeAt(0) + ((one.charCodeAt(0) & 31) > 13 ? -13 : 13)),
    ),
  'in hexadecimal, each byte combined with 0x2a': (text) =>
    Buffer.from(text.split('').map((one) => one.charCodeAt(0) ^ 0x2a)).toString('hex'),
  'in look-alikes of another alphabet': (text) =>
    text.replaceAll(/[aceopxyABCEHIKMOPTXhijsvdqgwlknzmtrufb\d]/g, (one) =>
      String.fromCodePoint(0x0400 + one.charCodeAt(0)),
    ),
  'in pieces of three': (text) => pieces(text, 3).join(' or else '),
  'in base58': base58,
  'in ascii85': ascii85,
  'in uuencode': uuencode,
}

const entities: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  '+': 'plus',
  '/': 'sol',
  '=': 'equals',
  '%': 'percnt',
  _: 'lowbar',
}

function base64(text: string | Buffer): string {
  return Buffer.from(text).toString('base64')
}

/** Digits that stand for as many bits each as their number has. */
function inBits(text: string, digits: string): string {
  const width = Math.log2(digits.length)
  const bits = Array.from(Buffer.from(text), (byte) => byte.toString(2).padStart(8, '0')).join('')
  return bits.replaceAll(new RegExp(`.{1,${String(width)}}`, 'g'), (one) =>
    digits.charAt(Number.parseInt(one.padEnd(width, '0'), 2)),
  )
}

function base58(text: string): string {
  const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
  let written = ''
  for (let value = BigInt(`0x0${Buffer.from(text).toString('hex')}`); value > 0n; value /= 58n)
    written = digits.charAt(Number(value % 58n)) + written
  return written
}

function ascii85(text: string): string {
  return groupsOf(text, 4)
    .map((group) => {
      const value = Buffer.concat([group, Buffer.alloc(4)]).readUInt32BE(0)
      const digits = [4, 3, 2, 1, 0].map((power) => Math.floor(value / 85 ** power) % 85)
      return String.fromCharCode(...digits.map((digit) => 33 + digit)).slice(0, group.length + 1)
    })
    .join('')
}

function uuencode(text: string): string {
  const lines = groupsOf(text, 45).map((line) => {
    const digits = inBits(line.toString('latin1'), uuDigits)
    return `${uuDigits.charAt(line.length)}${digits.padEnd(Math.ceil(line.length / 3) * 4, '`')}`
  })
  return ['begin 644 secret', ...lines, '`', 'end'].join('\n')
}

const uuDigits = `\`${String.fromCharCode(...Array.from({ length: 63 }, (_, index) => 33 + index))}`

function groupsOf(text: string, length: number): readonly Buffer[] {
  const bytes = Buffer.from(text)
  return Array.from({ length: Math.ceil(bytes.length / length) }, (_, index) =>
    bytes.subarray(index * length, (index + 1) * length),
  )
}

function fullWidth(text: string): string {
  return each(text, (code) => String.fromCharCode(code > 0x20 && code < 0x7f ? code + 0xfee0 : code))
}

function mathematical(character: string): string {
  const [first, plain] =
    character < 'A' ? [0x1d7ce, 0x30] : character < 'a' ? [0x1d400, 0x41] : [0x1d41a, 0x61]
  return String.fromCodePoint(character.charCodeAt(0) - plain + first)
}

function pieces(text: string, length: number): readonly string[] {
  return groupsOf(text, length).map(String)
}

function reversed(text: string): string {
  return Array.from(text).toReversed().join('')
}

function swapped(text: string): string {
  return text.replaceAll(/[a-z]/gi, (one) => (one < 'a' ? one.toLowerCase() : one.toUpperCase()))
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0')
}

function spelt(text: string, write: (code: number) => string, between: string): string {
  return Array.from(text, (one) => write(one.charCodeAt(0))).join(between)
}

function each(text: string, write: (code: number) => string): string {
  return spelt(text, write, '')
}

function half(text: string, write: (code: number) => string): string {
  return Array.from(text, (one, index) => (index % 2 === 0 ? write(one.charCodeAt(0)) : one)).join('')
}
