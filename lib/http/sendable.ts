import { valueOf, type Field, type Request } from './request.ts'

/** Fields that only the transport sets on a kept connection. */
const reserved: ReadonlySet<string> = new Set(['transfer-encoding', 'keep-alive', 'upgrade', 'expect'])
/** Fields allowed at most once. */
const single: ReadonlySet<string> = new Set(['host', 'content-length'])

/**
 * Why the pool cannot send a request, or null; never quotes a value. `path` includes the prefix of the base URL. Checked before
 * dispatching, because undici never reuses a connection that refused a request.
 */
export function whyNotPooled({ method, fields, body }: Request, path: string): string | null {
  if (!isToken(method) || method === 'CONNECT') return 'HTTP clients never send its method'
  if (!path.startsWith('/')) return 'its target does not begin with a slash'
  if (/[^\x21-\xff]/.test(path))
    return 'its target contains white space, a control character or a character above U+00FF'

  const met = new Set<string>()
  for (const field of fields) {
    const name = field.name.toLowerCase()
    const why = met.has(name) ? 'is there more than once' : whyNotPooledField(name, valueOf(field))
    if (why !== null) return `its field ${JSON.stringify(field.name)} ${why}`
    if (single.has(name)) met.add(name)
  }
  return body !== undefined && met.has('content-length')
    ? 'only the transport sets the length of its body'
    : null
}

function whyNotPooledField(name: string, value: string): string | null {
  if (!isToken(name)) return 'has a name that is not a token'
  if (reserved.has(name)) return 'is set only by the transport'
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
    return 'has a value with a control character or a character above U+00FF'

  if (name === 'content-length' && !/^\d+$/.test(value)) return 'has a value that is not a number'
  if (name === 'connection' && !value.split(',').every((option) => isToken(option.trim())))
    return 'has a value that is not a list of names'
  return null
}

function isToken(text: string): boolean {
  return /^[!#$%&'*+\-.^_`|~\w]+$/.test(text)
}

/** Fields that frame or route a message, by the letters of their names; the suite never sends them itself. */
const framing: ReadonlySet<string> = new Set(['contentlength', 'transferencoding', 'upgrade', 'host'])

/**
 * Why a request must not be written unchanged, or null; never quotes a value. A server or gateway may treat other characters as line
 * endings, and must not see an early end of the head, or a hidden field or request.
 */
export function whyNotRaw(request: Request): string | null {
  if (!isToken(request.method) || request.method === 'CONNECT') {
    return 'the raw socket never sends its method'
  }
  if (/[\r\n]/.test(request.target)) return 'its target contains a line end'
  if (isWide(request.target)) return 'its target contains a character above U+00FF'

  for (const field of request.fields) {
    const why = whyNotRawName(field.name) ?? whyNotRawValue(valueOf(field)) ?? whyNotRawLine(field)
    if (why !== null) return `its field ${JSON.stringify(field.name)} ${why}`
  }
  return null
}

function whyNotRawName(name: string): string | null {
  if (name === '') return 'has no name'
  if (isWide(name)) return 'has a name with a character above U+00FF'
  if (/[\r\n:]/.test(name)) return 'has a name with a line end or a colon'
  if (/^[ \t]/.test(name)) return 'continues the line before it: its name begins with white space'
  return null
}

function whyNotRawValue(value: string): string | null {
  if (isWide(value)) return 'has a value with a character above U+00FF'
  if (/\n(?![ \t])/.test(value)) return 'has a value with a line end that is not a folded line'

  // Some servers treat a bare CR as a line ending, and a line of white space as the empty line that ends a head.
  const [, ...continued] = value.split(/\r\n|[\r\n]/)
  if (continued.some((line) => !/[\x21-\x7e]/.test(line))) return 'has a value with an empty line'
  // Does not use a regular expression with `.*`, which would take time quadratic in the number of CRs.
  const bare = value.search(/\r(?!\n)/)
  if (bare !== -1 && value.includes(':', bare)) return 'has a value with a colon after a bare CR'
  return null
}

/** Refuses a field that frames the message, or that contains such a field if control characters count as line endings. */
function whyNotRawLine(field: Field): string | null {
  const lines = `${field.name}:${valueOf(field)}`.split(/\p{Cc}/u).filter((line) => line.includes(':'))
  const names = [field.name, ...lines.map((line) => line.slice(0, line.indexOf(':')))]
  const frames = names.some((name) => framing.has(name.toLowerCase().replaceAll(/[^a-z]/g, '')))
  return frames ? 'says where the message ends or goes' : null
}

function isWide(text: string): boolean {
  return /[^\0-\xff]/.test(text)
}
