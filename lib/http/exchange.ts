import type { Request } from './request.ts'

/** The body of an answer, read as JSON (RFC 8259: UTF-8; a byte order mark is passed over). */
export type Body =
  | {
      readonly kind: 'json'
      /** Of a long body only the kind of the value, with `error_code` and `error_message` of an object. */
      readonly value: unknown
      /** Names that stand more than once in one object, where there are any; of a short body. */
      readonly duplicates?: readonly string[]
    }
  | { readonly kind: 'empty' }
  | { readonly kind: 'not-json'; readonly because: string }
  /** Not in the coding that it is labelled with: `labelled gzip and is not gzip`. */
  | { readonly kind: 'damaged'; readonly because: string }

/** An answer as it came. */
export interface Response {
  readonly status: number
  /** Behind the status; mostly that of the status, and often empty. */
  readonly reason: string
  /** Names in the letter case in which they came, in order; repeated ones stand repeatedly. */
  readonly fields: readonly (readonly [name: string, value: string])[]
  /**
   * The content after decoding of its codings, as text; bytes that are not UTF-8 as U+FFFD. Of content that cannot be decoded, a
   * note in parentheses.
   */
  readonly text: string
  /** How long the text was, where only its beginning was kept: {@link truncateBody}. */
  readonly cutFrom?: number
  readonly body: Body
  /** Fields behind the body (RFC 9110, section 6.5). */
  readonly trailers: Response['fields']
}

/** A request and its answer, as they were on the wire. */
export interface Exchange {
  readonly request: Request
  readonly response: Response
  /** From the start of sending to the last byte of the answer. */
  readonly durationMs: number
  /** Whether the connection had carried a request before. */
  readonly reused: boolean
}

/** All values of a response's header field, whatever the letter case of its name. */
export function responseFields(response: Response, name: string): readonly string[] {
  const wanted = name.toLowerCase()
  return response.fields.filter(([given]) => given.toLowerCase() === wanted).map(([, value]) => value)
}

/** How much of a text is kept once an exchange was judged whole, in characters. */
const keptText = 64 * 1024

/** The exchange with the beginning of its text only: a run holds many at once, and findings show less. */
export function truncateBody(exchange: Exchange): Exchange {
  const { text } = exchange.response
  if (text.length <= keptText) return exchange

  // A slice would keep the whole text alive; a copy does not.
  const beginning = Buffer.from(text.slice(0, keptText)).toString()
  return { ...exchange, response: { ...exchange.response, text: beginning, cutFrom: text.length } }
}
