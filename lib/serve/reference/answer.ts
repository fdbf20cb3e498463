import type { ServerResponse } from 'node:http'
import type { Client } from './clients.ts'

/** The documented errors as the reference service understands them: status and message by code. Source: Errors. */
const errors = {
  '1001': { status: 400, message: 'api key header is missing' },
  '1002': { status: 400, message: 'secret key header is missing' },
  '1003': { status: 400, message: 'version header is missing' },
  '1006': { status: 401, message: 'invalid api key' },
  '1007': { status: 401, message: 'invalid secret key' },
  '1010': { status: 400, message: 'endpoint not found for the specified version' },
  '1011': { status: 401, message: 'inactive endpoint' },
  '1012': { status: 401, message: 'customer not found' },
  '1013': { status: 401, message: 'unauthorized_endpoint' },
  '1020': { status: 429, message: 'daily quota limit exceeded' },
  '1030': { status: 400, message: 'invalid input parameters' },
} as const

/** A code of the documented error object. */
export type Code = keyof typeof errors

/**
 * How an answer goes out: whole; `reset`, the connection closed instead; `never`; `cut`, closed half-way through the
 * body; `drip`, white space for ever before the body; or however a deliverer writes it.
 */
export type Delivery = 'whole' | 'reset' | 'never' | 'cut' | 'drip' | Deliverer

/** An answer ready to be written: its body, and fields as names and values in turn, the length of the body not among them. */
export interface Outgoing {
  readonly status: number
  readonly fields: readonly string[]
  readonly body: string
}

/** Writes an answer and ends it. */
export type Deliverer = (outgoing: Outgoing, response: ServerResponse) => void

/** Names and values; a list is several fields of one name. */
export type Headers = Readonly<Record<string, string | readonly string[]>>

/** An answer before it is written; faults change it by copying. */
export interface Answer {
  /** What the checks decided, whatever a fault makes of it later; null for success. */
  readonly refusal: Code | null
  /** Whom the service took the sender for. */
  readonly client: Client | null
  readonly status: number
  /** The body, to be sent as JSON. */
  readonly payload: Readonly<Record<string, unknown>>
  /** A body to send as it stands instead of `payload`. */
  readonly text: string | null
  readonly contentType: string | null
  readonly headers: Headers
  readonly delivery: Delivery
}

const plain = {
  client: null,
  text: null,
  contentType: 'application/json; charset=utf-8',
  headers: {},
  delivery: 'whole',
} as const

/** A success with this body. */
export function succeed(payload: Readonly<Record<string, unknown>>): Answer {
  return { ...plain, refusal: null, status: 200, payload }
}

/** The documented error of a code. Source: Errors. */
export function refuse(code: Code): Answer {
  const { status, message } = errors[code]
  return { ...plain, refusal: code, status, payload: { error_code: code, error_message: message } }
}

/** The body of an answer as it goes out. */
export function bodyOf(answer: Answer): string {
  return answer.text ?? JSON.stringify(answer.payload)
}
