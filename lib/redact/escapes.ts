/** HTML entities of ASCII characters, as template engines write them. */
const entities: ReadonlyMap<string, string> = new Map(
  [
    'amp& lt< gt> quot" apos\' num# percnt% plus+ equals= sol/ bsol\\ lowbar_ commat@ dollar$ excl! quest?',
    'colon: semi; comma, period. ast* midast* grave` lpar( rpar) lsqb[ rsqb] lbrack[ rbrack] lcub{ rcub}',
    'lbrace{ rbrace} verbar| vert| hat^ nbsp\u00A0 tab\t newline\n',
  ].flatMap((line) => line.split(' ').map((entry) => [entry.slice(0, -1), entry.slice(-1)])),
)

const controls: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
])

/** Escapes of URLs, JSON, JavaScript, C and HTML, and two-digit hexadecimal numbers. */
const escapes =
  /%u[\da-f]{4}|%[\da-f]{2}|0x[\da-f]{2}|\\(?:u\{[\da-f]{1,6}\}|u[\da-f]{4}|x[\da-f]{2}|[0-3][0-7]{2}|["'\\/bfnrt])|&(?:#x[\da-f]{1,8};?|#\d{1,9};?|[a-z]{2,7};)/gi

/** Undoes one level of escapes; bytes become one character each. */
export function undoEscapes(text: string): string {
  return text.replaceAll(escapes, (written) => {
    if (/^&[a-z]/i.test(written)) return entities.get(written.slice(1, -1).toLowerCase()) ?? written
    if (/^\\[^\dux]/i.test(written)) return controls.get(written.slice(1)) ?? written.slice(1)

    const digits = /[\da-f]+(?=[};]?$)/i.exec(written)?.[0] ?? ''
    const base = /^\\\d/.test(written) ? 8 : /^&#\d/.test(written) ? 10 : 16
    const code = Number.parseInt(digits, base)
    return code > 0x10ffff ? written : String.fromCodePoint(code)
  })
}

/** Undoes the escapes of a JSON string, and no others: what stands in it may be digits of an encoding, as `%20` in uuencode. */
export function undoJsonEscapes(content: string): string {
  return content.replaceAll(/\\(?:u([\da-f]{4})|(["\\/bfnrt]))/gi, (_, hex?: string, control = '') =>
    hex === undefined ? (controls.get(control) ?? control) : String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

/** Separates characters that do not follow each other (U+FFFF is no character). */
export const BREAK = '\uFFFF'

/** Maximum number of characters between letters that belong together. */
export const MAX_GAP = 400

/** Letters and digits of a text, so that a spaced out, grouped or partly quoted value reads as one. */
export function lettersOf(text: string): string {
  return text.replaceAll(/[^A-Za-z\d]+/g, (gap) => (gap.length > MAX_GAP ? BREAK : ''))
}
