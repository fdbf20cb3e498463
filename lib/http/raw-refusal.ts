import { valueOf } from './request.ts'
import type { Field, Request } from './request.ts'

/** The fields that say where a message ends and to whom it goes, by the letters of their names: the suite never sends them by itself. */
const framing: ReadonlySet<string> = new Set(['contentlength', 'transferencoding', 'upgrade', 'host'])

/**
 * Why a request must not be written as it is, or null. Nothing may be hidden in a header: whatever a server, or a gateway
 * before it, takes for the end of a line, it must neither find the end of the head early nor a field or a request that
 * the suite does not name. Never quotes a value.
 */
export function whyNotRaw(request: Request): string | null {
  if (!/^[!#$%&'*+\-.^_`|~\w]+$/.test(request.method) || request.method === 'CONNECT') {
    return 'its method is none that the raw socket sends'
  }
  if (/[\r\n]/.test(request.target)) return 'its target holds a line end'
  if (isWide(request.target)) return 'its target holds a character above U+00FF'

  for (const field of request.fields) {
    const why = whyNotName(field.name) ?? whyNotValue(valueOf(field)) ?? whyNotLine(field)
    if (why !== null) return `its field ${JSON.stringify(field.name)} ${why}`
  }
  return null
}

function whyNotName(name: string): string | null {
  if (name === '') return 'has no name'
  if (isWide(name)) return 'has a name with a character above U+00FF'
  if (/[\r\n:]/.test(name)) return 'has a name with a line end or a colon'
  if (/^[ \t]/.test(name)) return 'continues the line before it: its name begins with white space'
  return null
}

function whyNotValue(value: string): string | null {
  if (isWide(value)) return 'has a value with a character above U+00FF'
  if (/\n(?![ \t])/.test(value)) return 'has a value with a line end that is not a folded line'

  // Some servers take a bare CR for a line end, and a line of white space for an empty one, with which a head ends.
  const [, ...continued] = value.split(/\r\n|[\r\n]/)
  if (continued.some((line) => !/[\x21-\x7e]/.test(line))) return 'has a value with an empty line'
  // Not a regular expression with `.*`: that takes quadratic time on many CRs.
  const bare = value.search(/\r(?!\n)/)
  if (bare !== -1 && value.includes(':', bare)) return 'has a value with a colon after a bare CR'
  return null
}

/** Whether a field frames the message, or one that a parser finds in it, whichever control characters it takes for line ends. */
function whyNotLine(field: Field): string | null {
  const lines = `${field.name}:${valueOf(field)}`.split(/\p{Cc}/u).filter((line) => line.includes(':'))
  const names = [field.name, ...lines.map((line) => line.slice(0, line.indexOf(':')))]
  const frames = names.some((name) => framing.has(name.toLowerCase().replaceAll(/[^a-z]/g, '')))
  return frames ? 'says where the message ends or goes' : null
}

function isWide(text: string): boolean {
  return /[^\0-\xff]/.test(text)
}
