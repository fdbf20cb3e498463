import { Secret } from '../redact/secret.ts'

/** A header field as it is sent: the name in exactly this letter case, the value byte for byte (characters up to U+00FF). */
export interface Field {
  readonly name: string
  readonly value: string | Secret
}

/** A request as it is sent. It has no body. */
export interface Request {
  /**
   * `raw` (the raw socket): written by ourselves on a connection of its own, for what no HTTP client sends (control characters, folded lines,
   * names that are no tokens, connection-specific fields); names and values may then hold any character up to U+00FF.
   */
  readonly route?: 'raw'
  readonly method: string
  /** Path and query below the base URL, exactly as they go into the request line: `/api/customizations/list?page=1`. */
  readonly target: string
  /** In the order in which they are sent; `host` and `connection` are the transport's. */
  readonly fields: readonly Field[]
}

/** The value of a field as the characters that go on the wire. */
export function valueOf(field: Field): string {
  return typeof field.value === 'string' ? field.value : field.value.reveal()
}

/** The credentials of a request, and what it sends that was made from one, as they arrive. */
export function secretsOf({ fields }: Request): readonly Secret[] {
  return fields.flatMap(({ value }) =>
    value instanceof Secret ? [new Secret(value.name, trimOws(value.reveal()))] : [],
  )
}

/** All values that arrive under a name, whatever the letter case, in the order in which they are sent. */
export function fieldsOf(request: Request, name: string): readonly string[] {
  const wanted = name.toLowerCase()

  return request.fields
    .filter((field) => field.name.toLowerCase() === wanted)
    .map((field) => trimOws(valueOf(field)))
}

/**
 * What arrives of a header field's value: white space (SP and HTAB) at both ends is no part of it (RFC 9110, section 5.5).
 * No other character is stripped.
 */
export function trimOws(value: string): string {
  // Not `/[ \t]+$/`: on a long run of spaces inside a value, that takes quadratic time.
  let start = 0
  let end = value.length
  while (start < end && isBlank(value.charCodeAt(start))) start += 1
  while (end > start && isBlank(value.charCodeAt(end - 1))) end -= 1

  return value.slice(start, end)
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}
