import { beginning, printable } from '../../text/printable.ts'
import type { ChangeMade } from './changes-made.ts'

/** Maximum number of logged changes of an answer. */
const mostLines = 200

/** Maximum length of a logged value, in characters. */
const longestValue = 200

/** Names whose values are credentials, whatever they are. */
const secretName = /secret|token|passw|api_?-?key|credential|authorization|cookie/i

const withheld = '(withheld: it may hold a credential)'

/** Lines of the log that say what was changed in an answer: path, before and after. A value is withheld if it holds a credential. */
export function changeLines(
  number: number,
  made: readonly ChangeMade[],
  redact: (text: string) => string,
): readonly string[] {
  const shown = made.slice(0, mostLines).map((change) => `  #${number} ${changeLine(change, redact)}`)
  const more = made.length - shown.length
  return more === 0 ? shown : [...shown, `  #${number} … and ${more} more`]
}

function changeLine({ what, path, before, after }: ChangeMade, redact: (text: string) => string): string {
  // What a value becomes may begin as it did.
  const isWithheld = (what === 'changed' && secretName.test(path)) || [before ?? '', after].some(holds)
  const place = `${what} ${safe(redact(path))}`
  if (isWithheld) return `${place}: ${withheld}`
  return `${place}: ${before === null ? '' : `${safe(before)} → `}${safe(after)}`

  function holds(value: string): boolean {
    return redact(value) !== value
  }
}

/** Escapes a text and cuts it, once nothing in it is to be hidden. */
function safe(text: string): string {
  return printable(beginning(text, longestValue))
}
