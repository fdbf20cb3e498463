import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import zlib, { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import type { Sent } from '../redact/redact.ts'
import { Secret } from '../redact/secret.ts'
import { duplicateNames, skimJson } from '../text/json.ts'
import { MAX_ANSWER_BYTES, TransportError } from './transport-error.ts'

/** A header field as sent, with the name in this letter case and the value byte for byte (characters up to U+00FF). */
export type Field = Readonly<{ name: string; value: string | Secret }>

/** Unusual ways in which the raw socket writes a request and reads its answer. */
export type MessageForm = Readonly<{
  /** The version in the request line; by default HTTP/1.1. */
  version?: '1.0'
  /** Omits the space after the colons of fields. */
  isTight?: true
  /** The end of the first of two segments, this many bytes after a text in the header section. */
  cut?: Readonly<{ behind: string; by: number }>
  /** What to wait for after the answer: the answer to the next request, or the end of the connection. */
  followedBy?: NextRequest | 'closing'
}>

/** The second request on a connection. */
type NextRequest = Readonly<{ request: Request; isInSameSegment: boolean }>

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
export function valueOf(field: Field) {
  return typeof field.value === 'string' ? field.value : field.value.reveal()
}

/** The size of a request's header lines, in bytes. */
export function headerSize({ fields }: Request) {
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
export function trimOws(value: string) {
  // Does not use `/[ \t]+$/`, which takes quadratic time on a long run of spaces inside a value.
  let start = 0
  let end = value.length
  while (start < end && isBlank(value.charCodeAt(start))) start += 1
  while (end > start && isBlank(value.charCodeAt(end - 1))) end -= 1

  return value.slice(start, end)
}

function isBlank(code: number) {
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
export function whyNotPooled({ method, fields, body }: Request, path: string) {
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

function whyNotPooledField(name: string, value: string) {
  if (!isToken(name)) return 'has a name that is not a token'
  if (reserved.has(name)) return 'is set only by the transport'
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
    return 'has a value with a control character or a character above U+00FF'

  if (name === 'content-length' && !/^\d+$/.test(value)) return 'has a value that is not a number'
  if (name === 'connection' && !value.split(',').every((option) => isToken(option.trim())))
    return 'has a value that is not a list of names'
  return null
}

function isToken(text: string) {
  return /^[!#$%&'*+\-.^_`|~\w]+$/.test(text)
}

/** Fields that frame or route a message, by the letters of their names; the suite never sends them itself. */
const framing: ReadonlySet<string> = new Set(['contentlength', 'transferencoding', 'upgrade', 'host'])

/**
 * Why a request must not be written unchanged, or null; never quotes a value. A server or gateway may treat other characters as line
 * endings, and must not see an early end of the head, or a hidden field or request.
 */
export function whyNotRaw(request: Request) {
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

function whyNotRawName(name: string) {
  if (name === '') return 'has no name'
  if (isWide(name)) return 'has a name with a character above U+00FF'
  if (/[\r\n:]/.test(name)) return 'has a name with a line end or a colon'
  if (/^[ \t]/.test(name)) return 'continues the line before it: its name begins with white space'
  return null
}

function whyNotRawValue(value: string) {
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
function whyNotRawLine(field: Field) {
  const lines = `${field.name}:${valueOf(field)}`.split(/\p{Cc}/u).filter((line) => line.includes(':'))
  const names = [field.name, ...lines.map((line) => line.slice(0, line.indexOf(':')))]
  const frames = names.some((name) => framing.has(name.toLowerCase().replaceAll(/[^a-z]/g, '')))
  return frames ? 'says where the message ends or goes' : null
}

function isWide(text: string) {
  return /[^\0-\xff]/.test(text)
}

/** Parts of the base URL of a target. */
export type Target = ReturnType<typeof targetOf>

/** Parses `http(s)://host[:port][/prefix]`, with or without a trailing slash. */
export function targetOf(baseUrl: string) {
  const { origin, host, hostname, port: given, protocol } = new URL(baseUrl)
  const port = given || (protocol === 'https:' ? '443' : '80')
  return {
    origin,
    hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
    port,
    protocol,
    /** Value of the field `host`. */
    host,
    /** Host and port, for messages. */
    at: `${hostname}:${port}`,
    /** Precedes the target of every request; taken from the text, because `URL` would normalise it. */
    prefix: baseUrl.replace(/^[^:]+:\/\/[^/?#]*|[?#].*$/gs, '').replace(/\/+$/, ''),
  }
}

/** The fields of a trace, which a case may also set. */
const traceFields: ReadonlySet<string> = new Set(['traceparent', 'tracestate'])

/** The trace id of a case, 32 hexadecimal digits derived from its name `rule:seed:case`. Source: W3C Trace Context, 3.2.2.3. */
export function traceIdOf(name: string) {
  return digitsOf(name, 32)
}

/**
 * Returns a request with the `traceparent` of its case, for the service's traces. The request is unchanged if it already has a trace field
 * or is sent byte for byte. The parent id depends on the purpose and the request line, never on field values.
 */
export function traced(request: Request, name: string, purpose: string): Request {
  const { method, target, fields, route } = request
  if (route === 'raw' || fields.some((field) => traceFields.has(field.name.toLowerCase()))) return request
  const names = fields.map((field) => field.name).join(' ')
  const parent = digitsOf(`${name} ${purpose} ${method} ${target} ${names}`, 16)
  const value = `00-${traceIdOf(name)}-${parent}-01`
  return { ...request, fields: [...fields, { name: 'traceparent', value }] }
}

function digitsOf(text: string, count: number) {
  return createHash('sha256').update(text).digest('hex').slice(0, count)
}

/** The body of an answer, read as JSON in UTF-8 (RFC 8259). A byte order mark is skipped. */
type Body =
  | {
      readonly kind: 'json'
      /** For a long body, only its kind and, for an object, `error_code` and `error_message`. */
      readonly value: unknown
      /** Names repeated within an object, if any; only for a short body. */
      readonly duplicates?: readonly string[]
    }
  | { readonly kind: 'empty' }
  | Readonly<{ kind: 'not-json'; because: string }>
  /** Does not match its labelled coding, as in `labelled gzip and is not gzip, or is cut short`. */
  | Readonly<{ kind: 'damaged'; because: string }>

/** An answer as received. */
export type Response = Readonly<{
  status: number
  /** Reason phrase after the status; often empty. */
  reason: string
  /** In the order and letter case in which they were received, including repeated fields. */
  fields: readonly (readonly [name: string, value: string])[]
  /** Decoded content as text, with U+FFFD for bytes that are not UTF-8; a note in parentheses if it cannot be decoded. */
  text: string
  /** Length of the whole text, if truncated by {@link truncateBody}. */
  cutFrom?: number
  body: Body
  /** Trailer fields (RFC 9110, section 6.5). */
  trailers: Response['fields']
}>

/** Data received on a connection of the raw socket after an answer. */
type Behind = Readonly<{
  /** Bytes outside any message, except line endings. */
  strayBytes: number
  /** Whether the server closed the connection. */
  isClosed: boolean
  /** The answer to the next request, or null. */
  next: Response | null
}>

/** A request and its answer, as sent and received. */
export type Exchange = Readonly<{
  request: Request
  response: Response
  /** From the start of sending to the last byte of the answer. */
  durationMs: number
  /** Whether the connection had carried a request before. */
  reused: boolean
  /** Whether other requests were in flight when it was sent. */
  amidOthers?: boolean
  /** Whether the last answer before it was sent had a 2xx status. */
  followsSuccess?: boolean
  /** Data received after the answer, if the form of the request asks for it. */
  behind?: Behind
}>

/** All values of a response's header field, regardless of the letter case of its name. */
export function responseFields(response: Response, name: string): readonly string[] {
  const wanted = name.toLowerCase()
  return response.fields.filter(([given]) => given.toLowerCase() === wanted).map(([, value]) => value)
}

/** Maximum length of a text kept after judging, in characters. */
const keptText = 64 * 1024

/** Truncates the text of an exchange, because a run keeps many exchanges and findings show less. */
export function truncateBody(exchange: Exchange): Exchange {
  const { text } = exchange.response
  if (text.length <= keptText) return exchange

  // A slice would keep the whole text in memory; a copy does not.
  const beginning = Buffer.from(text.slice(0, keptText)).toString()
  return {
    ...exchange,
    response: {
      ...exchange.response,
      text: beginning,
      cutFrom: text.length,
    },
  }
}

/** Maximum length of a body to parse completely. A run keeps many answers, and a parsed body needs many times the memory of its text. */
const wholeUpTo = 16 * 1024

/** Must not precede JSON (RFC 8259, section 8.1); skipped here. */
export const BYTE_ORDER_MARK = '\uFEFF'

/** Reads decoded content as text and as JSON; never throws. @internal */
export function readBody(content: Buffer): Pick<Response, 'text' | 'body'> {
  const text = content.toString('utf8')

  return { text, body: bodyOf(content, text) }
}

function bodyOf(content: Buffer, text: string): Body {
  if (content.length === 0) return { kind: 'empty' }
  if (!isUtf8(content)) return { kind: 'not-json', because: 'it is not UTF-8' }

  const json = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
  const outline = skimJson(json)
  if (outline.kind === 'not-json') return { kind: 'not-json', because: reasonAt(json, outline.at) }
  if (text.length > wholeUpTo) return outline

  const value: unknown = JSON.parse(json)
  const duplicates = duplicateNames(json)
  return { kind: 'json', value, ...(duplicates.length === 0 ? {} : { duplicates }) }
}

/** Parses the whole JSON value of an answer whose body is JSON. */
export function wholeValue({ text }: Pick<Response, 'text'>): unknown {
  const value: unknown = JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text)
  return value
}

/** Does not quote the text, which may contain a credential. */
function reasonAt(text: string, at: number) {
  if (at >= text.length) return 'it ends in the middle of a value'
  return text.trimStart().startsWith('<')
    ? 'it begins with "<", as HTML and XML do'
    : `it is not JSON from character ${at} on`
}

type Decode = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Buffer

/** Zstandard (RFC 8878), which Node has been able to decode since 22.15. */
const { zstdDecompressSync }: typeof zlib & { readonly zstdDecompressSync?: Decode } = zlib

const codings: ReadonlyMap<string, Decode> = new Map([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflate],
  ['br', brotliDecompressSync],
  ['identity', (bytes: Buffer) => bytes],
  ...(zstdDecompressSync === undefined ? [] : [['zstd', zstdDecompressSync] as const]),
])

/** Maximum number of stacked codings; each needs a pass over the content. */
const MAX_CODINGS = 5

/**
 * Decodes the content of an answer (RFC 9110, section 8.4) to at most `maxBytes`, and reads it. If it does not match its label, the text is a
 * note. Throws a `TransportError` of kind `undecodable` for an unknown coding, or of kind `answer-too-large`.
 * @internal
 */
export function readContent(
  bytes: Buffer,
  fields: Response['fields'],
  maxBytes = MAX_ANSWER_BYTES,
): Pick<Response, 'text' | 'body'> {
  // An answer to HEAD, a 204 or a 304 may name a coding even though it has no content.
  if (bytes.length === 0) return readBody(bytes)

  const named = fields
    .filter(([name]) => name.toLowerCase() === 'content-encoding')
    .flatMap(([, value]) => value.split(','))
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '')
  if (named.length > MAX_CODINGS) {
    throw new TransportError('undecodable', `the answer's content-encoding names ${named.length} codings`)
  }
  const known = named.map((name) => ({ name, decode: decoderOf(name) }))
  let content = bytes
  for (const { name, decode } of known.toReversed()) {
    try {
      content = decode(content, { maxOutputLength: maxBytes })
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : ''
      if (code === 'ERR_BUFFER_TOO_LARGE') {
        throw new TransportError(
          'answer-too-large',
          `the answer is longer than ${maxBytes} bytes after decoding ${name}`,
        )
      }
      // A lack of memory says nothing about the content.
      if (code === '' || /MEM|ALLOC|INITIALIZATION/i.test(code)) throw error
      const because = `labelled ${name} and is not ${name}, or is cut short`
      return { text: `(${bytes.length} bytes: ${because})`, body: { kind: 'damaged', because } }
    }
  }
  return readBody(content)
}

function decoderOf(name: string): Decode {
  const decode = codings.get(name)
  if (decode !== undefined) return decode
  // The service chooses the name, so it may be anything.
  const others = [...codings.keys()].filter((known) => known !== 'x-gzip' && known !== 'identity')
  throw new TransportError(
    'undecodable',
    `the answer's content-encoding is not one of ${others.join(', ')} and identity: the suite cannot decode it, so the answer cannot be judged`,
  )
}

/** `deflate` means the zlib format. Many services send the bare stream, which browsers also accept. */
function inflate(bytes: Buffer, options: { readonly maxOutputLength: number }) {
  const isZlib = bytes.length >= 2 && (bytes.readUInt8(0) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0
  return isZlib ? inflateSync(bytes, options) : inflateRawSync(bytes, options)
}
