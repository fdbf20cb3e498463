/** Control, format, invisible and separating characters, and lone surrogates, all of which can mislead a reader; used for all reports. */
export const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

const short: Partial<Record<string, string>> = {
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
  '\t': String.raw`\t`,
}

/** The start of a command for GitHub, Azure or TeamCity in a log, even in the middle of a line. */
const command = /##(?=[a-z]*\[)/gi

/**
 * Text that is safe to show on a terminal or in a log, whatever a service has put into it. Characters that move the cursor, change colours,
 * reverse the reading direction or are invisible are written as escapes (`\n`, `\u001b`, `\u{e0041}`), as is the start of anything that a
 * pipeline would take for a command (`#\u0023[error]`).
 */
export function printable(text: string): string {
  return text
    .replace(unprintable, (character) => short[character] ?? escaped(character))
    .replace(command, String.raw`#\u0023`)
}

/** Like {@link printable}, but keeps line breaks and tabs. */
export function printableLines(text: string): string {
  return text.replaceAll(/[^\n\t]+/g, printable)
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return code > 0xffff ? String.raw`\u{${code.toString(16)}}` : unicodeEscapes(character)
}

/** The code units of a text as JSON escapes them, such as `\u202e`. */
export function unicodeEscapes(text: string): string {
  return text.replaceAll(/[^]/g, (unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Shortens a text and adds the number of hidden characters; `unseen` is the number already cut from it. */
export function beginning(text: string, length: number, unseen = 0): string {
  const start = text.length <= length ? text : firstUnits(text, length)
  const hidden = text.length - start.length + unseen
  return hidden === 0 ? text : `${start}… (${hidden} more characters)`
}

/** The first UTF-16 code units of a text, without half of a character at the end. */
export function firstUnits(text: string, length: number): string {
  return text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')
}

/** The message of any thrown value. */
export function errorText(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error)
  } catch {
    return 'a value that cannot be shown, because reading it throws'
  }
}

/** The code of an error from the system or Node, such as `ENOENT`; undefined if it has none. */
export function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
}
