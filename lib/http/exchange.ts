import type { Request } from './request.ts'

/** The body of an answer, read as JSON in UTF-8 (RFC 8259). A byte order mark is skipped. */
export type Body =
  | {
      readonly kind: 'json'
      /** For a long body, only its kind and, for an object, `error_code` and `error_message`. */
      readonly value: unknown
      /** Names repeated within an object, if any; only for a short body. */
      readonly duplicates?: readonly string[]
    }
  | { readonly kind: 'empty' }
  | { readonly kind: 'not-json'; readonly because: string }
  /** Does not match its labelled coding, as in `labelled gzip and is not gzip, or is cut short`. */
  | { readonly kind: 'damaged'; readonly because: string }

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
export type Behind = Readonly<{
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
  return { ...exchange, response: { ...exchange.response, text: beginning, cutFrom: text.length } }
}
