import type { Answer, Code, Headers } from './answer.ts'
import type { Call } from './call.ts'

/** How a service writes its answers, where the specification leaves it open. Omitted choices are as in the plain service. */
export interface Writing {
  /** Replaces the list. */
  readonly success?: (list: Readonly<Record<string, unknown>>, call: Call) => unknown
  readonly successStatus?: number
  /** Replaces the documented error object. */
  readonly error?: (refusal: ErrorObject, call: Call) => Readonly<Record<string, unknown>>
  /** A value as JSON. */
  readonly print?: (value: unknown) => string
  readonly contentType?: (answer: Answer) => string
  readonly headers?: (answer: Answer, call: Call) => Headers
}

/** The documented error object. */
export interface ErrorObject {
  readonly error_code: Code
  readonly error_message: string
}

/**
 * An answer as written in this variant. `own` is the service's answer, and `given` the same answer after any fault. Only the parts that the
 * fault did not change are rewritten.
 */
export function dressed(own: Answer, given: Answer, call: Call, writing: Writing): Answer {
  const isOwn = given.payload === own.payload && given.status === own.status && given.text === null
  const isLabelled = given.contentType !== own.contentType || given.text !== null
  return {
    ...given,
    status: isOwn && given.refusal === null ? (writing.successStatus ?? given.status) : given.status,
    text: given.text ?? printed(isOwn ? valueOf(given, call, writing) : given.payload, writing),
    contentType: isLabelled ? given.contentType : (writing.contentType?.(given) ?? given.contentType),
    headers: { ...writing.headers?.(given, call), ...given.headers },
  }
}

function valueOf({ refusal, payload }: Answer, call: Call, { success, error }: Writing): unknown {
  if (refusal === null) return success === undefined ? payload : success(payload, call)
  const documented = { error_code: refusal, error_message: String(payload['error_message']) }
  return error === undefined ? documented : error(documented, call)
}

function printed(value: unknown, { print = JSON.stringify }: Writing): string {
  return print(value)
}
