import { Secret } from '../redact/secret.ts'

/** A header field as it is sent: the name in exactly this letter case, the value byte for byte (characters up to U+00FF). */
export interface Field {
  readonly name: string
  readonly value: string | Secret
}

/** A request as it is sent. It has no body. */
export interface Request {
  /**
   * `raw`: written by ourselves on a connection of its own, for what no HTTP client sends (control characters, folded lines,
   * names that are no tokens, connection-specific fields); names and values may then hold any character up to U+00FF.
   */
  readonly lane?: 'raw'
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

/** The credentials of a request, and what it sends that was made from one. */
export function secretsOf({ fields }: Request): readonly Secret[] {
  return fields.flatMap(({ value }) => (value instanceof Secret ? [value] : []))
}
