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
export function printable(text: string) {
  return text
    .replace(unprintable, (character) => short[character] ?? escaped(character))
    .replace(command, String.raw`#\u0023`)
}

/** Like {@link printable}, but keeps line breaks and tabs. */
export function printableLines(text: string) {
  return text.replaceAll(/[^\n\t]+/g, printable)
}

function escaped(character: string) {
  const code = character.codePointAt(0) ?? 0
  return code > 0xffff ? String.raw`\u{${code.toString(16)}}` : unicodeEscapes(character)
}

/** The code units of a text as JSON escapes them, such as `\u202e`. */
export function unicodeEscapes(text: string) {
  return text.replaceAll(/[^]/g, (unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Shortens a text and adds the number of hidden characters; `unseen` is the number already cut from it. */
export function beginning(text: string, length: number, unseen = 0) {
  const start = text.length <= length ? text : firstUnits(text, length)
  const hidden = text.length - start.length + unseen
  return hidden === 0 ? text : `${start}… (${hidden} more characters)`
}

/** The first UTF-16 code units of a text, without half of a character at the end. */
export function firstUnits(text: string, length: number) {
  return text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')
}

/** The message of any thrown value. */
export function errorText(error: unknown) {
  try {
    return String(error instanceof Error ? error.message : error)
  } catch {
    return 'a value that cannot be shown, because reading it throws'
  }
}

/** The code of an error from the system or Node, such as `ENOENT`; undefined if it has none. */
export function codeOf(error: unknown) {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
}

/** A number and a noun, such as `1 rule` or `3 rules`. */
export function plural(count: number, noun: string) {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** A whole number with thousands separators, such as `1,910`. Not by `Intl`, which takes 12 ms to load at the first call. */
export function grouped(count: number) {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
}

/** A number with thousands separators and a noun, such as `1 rule` or `1,910 requests`. */
export function counted(count: number, noun: string) {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** `and 3 more`. */
export function andMore(count: number) {
  return `and ${count} more`
}

/** A duration in words, such as `340 ms`, `14.8 s` or `2 min 5 s`. */
export function duration(milliseconds: number) {
  if (milliseconds < 1_000) return `${milliseconds} ms`
  if (milliseconds < 60_000) return `${(Math.floor(milliseconds / 100) / 10).toFixed(1)} s`
  const seconds = Math.floor(milliseconds / 1_000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** Formats a time as `2026-11-20 02:00 UTC`; other texts are returned unchanged. */
export function moment(iso: string) {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(iso) ? `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC` : iso
}

/** Capitalises the first letter. */
export function capitalised(sentence: string) {
  return sentence.slice(0, 1).toUpperCase() + sentence.slice(1)
}
