/** A text between single quotes, as every POSIX-like shell takes it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** A text as one word of bash, bytes that are not printable ASCII as octal escapes: `'caf'$'\303\251'`. It holds no NUL. */
export function bashWord(text: string): string {
  const runs = text.split(/([^\x20-\x7e]+)/).filter((run) => run !== '')
  const words = runs.map((run) => (/^[\x20-\x7e]/.test(run) ? quoted(run) : `$'${octal(run)}'`))
  return words.length > 0 ? words.join('') : "''"
}

/** Printable ASCII as it stands between double quotes. Where a user types, `!` recalls a former line even there. */
export function inDoubleQuotes(text: string): string {
  return text.replaceAll(/["$`\\]/g, String.raw`\$&`).replaceAll('!', `"'!'"`)
}

/** Every character as the escape of its byte: `\342\200\213`. */
function octal(text: string): string {
  return Array.from(text, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`).join('')
}
