import type { ServerResponse } from 'node:http'
import type { Client } from './clients.ts'

/** The documented errors of the reference service: status and message by code. Source: Errors. */
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
 * How an answer is sent: complete; `reset`, which closes the connection instead; `never`; `cut`, which closes it in the middle of the body;
 * `drip`, which sends white space forever; or as a deliverer writes it.
 */
export type Delivery = 'whole' | 'reset' | 'never' | 'cut' | 'drip' | Deliverer

/** An answer ready to be written: its body, and alternating names and values of its fields, without the length. */
export interface Outgoing {
  readonly status: number
  readonly fields: readonly string[]
  readonly body: string
}

/** Writes an answer and ends it. */
export type Deliverer = (outgoing: Outgoing, response: ServerResponse) => void

/** Names and values; a list means repeated fields. */
export type Headers = Readonly<Record<string, string | readonly string[]>>

/** An answer before it is written. Faults copy and change it. */
export interface Answer {
  /** The result of the checks, even if a fault changes the answer later; null for success. */
  readonly refusal: Code | null
  /** The client that the service recognised. */
  readonly client: Client | null
  readonly status: number
  /** The body, to be sent as JSON. */
  readonly payload: Readonly<Record<string, unknown>>
  /** A body to send unchanged instead of `payload`. */
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

/** The body of an answer as sent. */
export function bodyOf(answer: Answer): string {
  return answer.text ?? JSON.stringify(answer.payload)
}
