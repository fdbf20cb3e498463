import type { ShellPart } from '../http/shell.ts'

/** A text between single quotes, as every POSIX-like shell takes it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/**
 * Parts as one word of bash: `"x-api-key: ${TARGET_API_KEY:0:7}"$'\342\200\213'"${TARGET_API_KEY:7:4}"`. What holds no
 * expansion stands between single quotes, bytes that are not printable ASCII as octal escapes. No part holds a NUL.
 */
export function bashWord(parts: readonly ShellPart[]): string {
  const words: string[] = []
  let plain: ShellPart[] = []
  const endPlain = (): void => {
    if (plain.length > 0) words.push(plainWord(plain))
    plain = []
  }
  for (const part of parts.flatMap(split)) {
    if ('text' in part && !isPrintable(part.text)) {
      endPlain()
      words.push(`$'${octal(part.text)}'`)
    } else {
      plain.push(part)
    }
  }
  endPlain()
  return words.length > 0 ? words.join('') : "''"
}

/** Every character as the escape of its byte: `\342\200\213`. */
export function octal(text: string): string {
  return Array.from(text, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`).join('')
}

/** A text in runs of printable ASCII and of other bytes. */
function split(part: ShellPart): readonly ShellPart[] {
  if ('expansion' in part) return [part]
  const runs = part.text.split(/([^\x20-\x7e]+)/).filter((text) => text !== '')
  return runs.map((text) => ({ text }))
}

function isPrintable(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text)
}

/** Printable parts: between double quotes where something is expanded. */
function plainWord(parts: readonly ShellPart[]): string {
  const written = parts.map((part) => ('expansion' in part ? part.expansion : inDoubleQuotes(part.text)))
  const texts = parts.flatMap((part) => ('text' in part ? [part.text] : []))
  return texts.length === parts.length ? quoted(texts.join('')) : `"${written.join('')}"`
}

/** Where a user types, `!` recalls a former line even between double quotes. */
function inDoubleQuotes(text: string): string {
  return text.replaceAll(/["$`\\]/g, String.raw`\$&`).replaceAll('!', `"'!'"`)
}
