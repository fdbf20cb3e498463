import type { Sent } from '../redact/redact.ts'
import { Secret } from '../redact/secret.ts'

/** A header field as sent, with the name in this letter case and the value byte for byte (characters up to U+00FF). */
export interface Field {
  readonly name: string
  readonly value: string | Secret
}

/** Unusual ways in which the raw socket writes a request and reads its answer. */
export type MessageForm = Readonly<{
  /** The version in the request line; by default HTTP/1.1. */
  version?: '1.0'
  /** Omits the space after the colons of fields. */
  isTight?: true
  /** The end of the first of two segments, this many bytes after a text in the header section. */
  cut?: { readonly behind: string; readonly by: number }
  /** What to wait for after the answer: the answer to the next request, or the end of the connection. */
  followedBy?: NextRequest | 'closing'
}>

/** The second request on a connection. */
interface NextRequest {
  readonly request: Request
  readonly isInSameSegment: boolean
}

/** The request to send next on the same connection; usually absent. */
export function nextOf({ form }: Request): readonly Request[] {
  const { followedBy = 'closing' } = form ?? {}
  return followedBy === 'closing' ? [] : [followedBy.request]
}

/** A request as sent. */
export type Request = Readonly<{
  /**
   * `raw` means that the suite writes the request on a separate connection, for requests that HTTP clients never send (control characters,
   * folded lines, invalid names, connection-specific fields). Names and values may then contain any character up to U+00FF.
   */
  route?: 'raw'
  /** Form on the raw socket; absent for the usual form. */
  form?: MessageForm
  method: string
  /** Path and query under the base URL, exactly as in the request line, such as `/api/customizations/list?page=1`. */
  target: string
  /** In the order in which they are sent; the transport adds `host` and `connection`. */
  fields: readonly Field[]
  /** Sent in UTF-8; its `content-type` is one of the fields, and the transport adds `content-length`. Absent if there is no body. */
  body?: string
}>

/** Value of a field as sent, with credentials revealed. */
export function valueOf(field: Field): string {
  return typeof field.value === 'string' ? field.value : field.value.reveal()
}

/** The size of a request's header lines, in bytes. */
export function headerSize({ fields }: Request): number {
  return fields.reduce((sum, field) => sum + field.name.length + valueOf(field).length + 4, 0)
}

/** Parts of a request that its answer may repeat: credentials and values derived from them, as received, and all other text. */
export function sentIn(request: Request): Sent {
  const { target, body = '' } = request
  const fields = [request, ...nextOf(request)].flatMap((message) => message.fields)
  const secrets = fields.flatMap(({ value }) =>
    value instanceof Secret ? [new Secret(value.name, trimOws(value.reveal()))] : [],
  )
  const texts = fields.flatMap(({ name, value }) => (value instanceof Secret ? [name] : [name, value]))
  return { secrets, text: [target, ...texts, body].join('\n') }
}

/** All values received under a name in any letter case, in the order in which they were sent. */
export function fieldsOf(request: Request, name: string): readonly string[] {
  const wanted = name.toLowerCase()
  return request.fields
    .filter((field) => field.name.toLowerCase() === wanted)
    .map((field) => trimOws(valueOf(field)))
}

/** Trims SP and HTAB from both ends of a header field's value, since they are not part of it (RFC 9110, section 5.5). */
export function trimOws(value: string): string {
  // Does not use `/[ \t]+$/`, which takes quadratic time on a long run of spaces inside a value.
  let start = 0
  let end = value.length
  while (start < end && isBlank(value.charCodeAt(start))) start += 1
  while (end > start && isBlank(value.charCodeAt(end - 1))) end -= 1

  return value.slice(start, end)
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}

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

/** Parts of the base URL of a target. */
export type Target = ReturnType<typeof targetOf>

/** Parses `http(s)://host[:port][/prefix]`, with or without a trailing slash. */
export function targetOf(baseUrl: string) {
  const { origin, host, hostname, port: given, protocol } = new URL(baseUrl)
  const isEncrypted = protocol === 'https:'
  const port = given || (isEncrypted ? '443' : '80')
  return {
    origin,
    hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
    port,
    isEncrypted,
    /** Value of the field `host`. */
    host,
    /** Host and port, for messages. */
    at: `${hostname}:${port}`,
    /** Precedes the target of every request; taken from the text, because `URL` would normalise it. */
    prefix: baseUrl.replace(/^[^:]+:\/\/[^/?#]*|[?#].*$/gs, '').replace(/\/+$/, ''),
  }
}
