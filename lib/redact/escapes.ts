/** HTML entities of ASCII characters, as template engines write them, and of characters of no width. */
export const entities: ReadonlyMap<string, string> = new Map(
  [
    'amp& lt< gt> quot" apos\' num# percnt% plus+ equals= sol/ bsol\\ lowbar_ commat@ dollar$ excl! quest?',
    'colon: semi; comma, period. ast* midast* grave` lpar( rpar) lsqb[ rsqb] lbrack[ rbrack] lcub{ rcub}',
    'lbrace{ rbrace} verbar| vert| hat^ nbsp\u00A0 tab\t newline\n',
    'shy\u00AD zwnj\u200C zwj\u200D zerowidthspace\u200B lrm\u200E rlm\u200F nobreak\u2060',
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
  /%u[\da-f]{4}|%[\da-f]{2}|0x[\da-f]{2}|\\(?:u\{[\da-f]{1,6}\}|u[\da-f]{4}|x[\da-f]{2}|[0-3][0-7]{2}|["'\\/bfnrt])|&(?:#x[\da-f]{1,8};?|#\d{1,9};?|[a-z]{2,14};)/gi

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

/** Maximum depth of nested escapes that are undone. */
const MAX_LEVELS = 4

/** A text, then the same after each level of escapes is undone. */
export function levelsOf(text: string): readonly string[] {
  const levels = [text]
  for (let level = 0; level < MAX_LEVELS; level += 1) levels.push(undoEscapes(levels[level] ?? ''))
  return [...new Set(levels)]
}

/** Separates characters that do not follow each other (U+FFFF is no character). */
export const BREAK = '\uFFFF'

/** Maximum number of characters between letters or pieces that belong together: they may stand anywhere in a field as it is shown. */
export const MAX_GAP = 500

/** Letters and digits of a text, so that a spaced out, grouped or partly quoted value reads as one. */
export function lettersOf(text: string): string {
  return text.replaceAll(/[^A-Za-z\d]+/g, (gap) => (gap.length > MAX_GAP ? BREAK : ''))
}
