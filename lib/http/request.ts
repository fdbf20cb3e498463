import type { Sent } from '../redact/redact.ts'
import { Secret } from '../redact/secret.ts'

/** A header field as sent, with the name in this letter case and the value byte for byte (characters up to U+00FF). */
export interface Field {
  readonly name: string
  readonly value: string | Secret
}

/** Unusual ways in which the raw socket writes a request and reads its answer. */
export interface MessageForm {
  /** The version in the request line; by default HTTP/1.1. */
  readonly version?: '1.0'
  /** Omits the space after the colons of fields. */
  readonly isTight?: true
  /** The end of the first of two segments, this many bytes after a text in the header section. */
  readonly cut?: { readonly behind: string; readonly by: number }
  /** What to wait for after the answer: the answer to the next request, or the end of the connection. */
  readonly followedBy?: NextRequest | 'closing'
}

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
export interface Request {
  /**
   * `raw` means that the suite writes the request on a separate connection, for requests that HTTP clients never send (control characters,
   * folded lines, invalid names, connection-specific fields). Names and values may then contain any character up to U+00FF.
   */
  readonly route?: 'raw'
  /** Form on the raw socket; absent for the usual form. */
  readonly form?: MessageForm
  readonly method: string
  /** Path and query under the base URL, exactly as in the request line, such as `/api/customizations/list?page=1`. */
  readonly target: string
  /** In the order in which they are sent; the transport adds `host` and `connection`. */
  readonly fields: readonly Field[]
  /** Sent in UTF-8; its `content-type` is one of the fields, and the transport adds `content-length`. Absent if there is no body. */
  readonly body?: string
}

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
