import type { Request } from './request.ts'

/** The body of an answer, read as JSON (RFC 8259: UTF-8; a byte order mark is passed over). */
export type Body =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'empty' }
  | { readonly kind: 'not-json'; readonly because: string }

/** An answer as it came. */
export interface Response {
  readonly status: number
  /** Names in the letter case in which they came, in order; repeated ones stand repeatedly. */
  readonly fields: readonly (readonly [name: string, value: string])[]
  /** The content after decoding of gzip, deflate and br, as text; bytes that are not UTF-8 as U+FFFD. */
  readonly text: string
  readonly body: Body
}

/** A request and its answer, as they were on the wire. */
export interface Exchange {
  readonly request: Request
  readonly response: Response
  /** From the start of sending to the last byte of the answer. */
  readonly durationMs: number
}

/** All values of a response's header field, whatever the letter case of its name. */
export function responseFields(response: Response, name: string): readonly string[] {
  const wanted = name.toLowerCase()
  return response.fields.filter(([given]) => given.toLowerCase() === wanted).map(([, value]) => value)
}
