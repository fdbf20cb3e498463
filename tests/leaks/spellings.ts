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
  'in base64, reversed after': (text) => reversed(base64(text)),
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

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
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
