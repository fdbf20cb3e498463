import type { ServerResponse } from 'node:http'
import type { Answer } from '../../lib/serve/reference/answer.ts'

/** How an answer differs from the reference service's. */
export interface Written {
  readonly status?: number
  /** Properties added to the answer. */
  readonly added?: Readonly<Record<string, unknown>>
  readonly fields?: Readonly<Record<string, string | readonly string[]>>
  readonly reason?: string
  /** The body that replaces the JSON. */
  readonly body?: string | Buffer
}

/** Writes an answer as JSON, with these additions. */
export function write(
  answer: Answer,
  response: ServerResponse,
  { status, added, fields, reason, body }: Written,
): void {
  response.statusCode = status ?? answer.status
  if (reason !== undefined) response.statusMessage = fieldSafe(reason)
  response.setHeader('content-type', 'application/json')
  for (const [name, value] of Object.entries(fields ?? {}))
    response.setHeader(name, typeof value === 'string' ? fieldSafe(value) : value.map(fieldSafe))
  response.end(body ?? JSON.stringify({ ...answer.payload, ...added }))
}

/** The answer's payload with another message. A success gets a property of that name next to the list. */
export function saying(answer: Answer, text: string): Readonly<Record<string, unknown>> {
  return answer.refusal === null
    ? { note: text }
    : { error_message: `${String(answer.payload['error_message'])}: ${text}` }
}

/** A text reduced to the characters that a field or a reason phrase can contain. */
function fieldSafe(text: string): string {
  return text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?')
}
