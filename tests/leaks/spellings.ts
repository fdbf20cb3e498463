const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** Spellings in which services and libraries repeat a credential. Each is hidden. */
export const spellings: Readonly<Record<string, (text: string) => string>> = {
  unchanged: (text) => text,
  'in upper case': (text) => text.toUpperCase(),
  'in lower case': (text) => text.toLowerCase(),
  'in swapped case': swapped,
  'in JSON': (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replaceAll('/', String.raw`\/`),
  'in JSON, every character': (text) => each(text, (code) => `\\u${hex(code, 4)}`),
  'in JSON, every other character': (text) => half(text, (code) => `\\u${hex(code, 4).toUpperCase()}`),
  'in JSON within JSON': (text) => JSON.stringify(JSON.stringify(text)).slice(3, -3),
  'in JSON within JSON, every character': (text) => each(text, (code) => `\\\\u${hex(code, 4)}`),
  'in JavaScript, hexadecimal': (text) => each(text, (code) => `\\x${hex(code, 2)}`),
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
  'in hexadecimal': (text) => Buffer.from(text).toString('hex'),
  'in hexadecimal, in upper case': (text) => Buffer.from(text).toString('hex').toUpperCase(),
  'as the bytes of a buffer': (text) => JSON.stringify(Buffer.from(text)),
}

/** Named characters of HTML. */
export const entities: Readonly<Record<string, string>> = {
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

function swapped(text: string): string {
  return text.replaceAll(/[a-z]/gi, (one) => (one < 'a' ? one.toLowerCase() : one.toUpperCase()))
}

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0')

function each(text: string, write: (code: number) => string): string {
  return Array.from(text, (one) => write(one.charCodeAt(0))).join('')
}

function half(text: string, write: (code: number) => string): string {
  return Array.from(text, (one, index) => (index % 2 === 0 ? write(one.charCodeAt(0)) : one)).join('')
}
