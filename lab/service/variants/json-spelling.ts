import type { Variant } from '../../../lib/serve/reference/variant.ts'

/** The same JSON in another spelling (RFC 8259). */
export const jsonSpellingVariants: readonly Variant[] = [
  printing('json-pretty-printed', 'JSON is indented with tabs.', (value) =>
    JSON.stringify(value, null, '\t'),
  ),
  printing(
    'json-with-line-ends-of-windows',
    'JSON is indented and its lines end in CR LF.',
    (value) => `${JSON.stringify(value, null, 2).replaceAll('\n', '\r\n')}\r\n`,
  ),
  printing(
    'json-with-white-space-around',
    'White space stands before and behind every value.',
    (value) => `\n \t\r\n${JSON.stringify(value, null, 1)} \n\n`,
  ),
  printing(
    'json-with-much-white-space-before',
    'Three thousand blanks stand before the value.',
    (value) => `${' '.repeat(3_000)}${JSON.stringify(value)}`,
  ),
  printing(
    'json-with-all-letters-escaped',
    'Every letter and digit of a string is escaped, property names too.',
    (value) => inStrings(JSON.stringify(value), (text) => text.replaceAll(/[a-z\d]/gi, escaped)),
  ),
  printing(
    'json-with-all-but-ascii-escaped',
    'Characters beyond ASCII are escaped, in capital digits.',
    (value) =>
      JSON.stringify(value, beyondAscii).replaceAll(/[^\0-\x7f]/g, (character) =>
        escaped(character).toUpperCase().replace('\\U', '\\u'),
      ),
  ),
  printing('json-with-escaped-slashes', 'Slashes are escaped, as PHP does.', (value) =>
    JSON.stringify(value).replaceAll('/', '\\/'),
  ),
  printing('json-with-line-separators', 'Strings hold line separators as they are.', (value) =>
    JSON.stringify(value, withSeparators),
  ),
  printing('json-with-odd-numbers', 'Numbers are spelled with fractions and exponents.', (value) =>
    JSON.stringify(value).replaceAll(/(?<=[:[,])(\d+)(?=[,}\]])/g, (_, digits: string) => `${digits}0.0E-1`),
  ),
]

function printing(name: string, about: string, print: (value: unknown) => string): Variant {
  return { name, about, manner: () => ({ writing: { print } }) }
}

/** The text between quotes. The texts of this service contain no escapes. */
function inStrings(json: string, change: (text: string) => string): string {
  return json.replaceAll(/"([^"\\]*)"/g, (_, text: string) => `"${change(text)}"`)
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function beyondAscii(name: string, value: unknown): unknown {
  return name === 'name' || name === 'error_message' ? `${String(value)} – Üñí 🎨` : value
}

function withSeparators(name: string, value: unknown): unknown {
  return name === 'name' || name === 'error_message' ? `${String(value)}\u2028\u2029\u007f` : value
}
