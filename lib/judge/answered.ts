import { responseFields, type Exchange, type Response } from '../http/exchange.ts'
import { isErrorCode } from '../specification/answers.ts'
import { isObject } from '../text/json.ts'

/** The meaning of an answer. `errorCode` is null if the body contains no string `error_code`. */
export type Answered = Readonly<{
  status: number
  errorCode: string | null
  /** The flaw in the answer's form, as a kind of difference; null if the form is right. */
  flaw: AnswerFlaw | null
  /** Details of the flaw, such as `labelled gzip and is not gzip, or is cut short`. */
  because?: string
}>

/** Flaws in an answer's form, for any request, with the phrase that follows the status. */
export const flawText = {
  'empty body': 'with an empty body',
  'body is not JSON': 'with a body that is not JSON',
  'body is not in its content coding': 'with a body that is not in its content coding',
  'body is not an object': 'with JSON that is not an object',
  'error_code is missing': 'without error_code',
  'error_code is not a string': 'with an error_code that is not a string',
  'error_message is missing': 'without error_message',
  'error_message is not a string': 'with an error_message that is not a string',
  'documented error under success': 'which is a documented error under a success status',
} as const

export type AnswerFlaw = keyof typeof flawText

/** Interprets any answer; pure. Source: Errors. */
export function answeredBy({ status, body }: Response): Answered {
  if (body.kind === 'empty') return { status, errorCode: null, flaw: 'empty body' }
  if (body.kind === 'not-json') return { status, errorCode: null, flaw: 'body is not JSON' }
  if (body.kind === 'damaged') {
    return {
      status,
      errorCode: null,
      flaw: 'body is not in its content coding',
      because: body.because,
    }
  }

  const errorCode = codeOf(body.value)
  if (!isSuccessStatus(status))
    return {
      status,
      errorCode,
      flaw: errorObjectFlaw(body.value),
    }
  const isError = isErrorCode(errorCode) && errorObjectFlaw(body.value) === null
  return {
    status,
    errorCode,
    flaw: isError ? 'documented error under success' : null,
  }
}

/** An answer with its request. */
type Answer = Pick<Exchange, 'request' | 'response'>

/** Whether a status code is a 2xx. */
export function isSuccessStatus(status: number): boolean {
  return status >= 200 && status <= 299
}

/** Whether an answer is a success: a 2xx with JSON that is not the documented error object with a documented code. */
export function isSuccess({ status, flaw }: Answered): boolean {
  return isSuccessStatus(status) && flaw === null
}

/** Whether an answer reports a used-up daily quota, whatever else it contains. */
export function isQuotaRefusal({ status, errorCode }: Answered): boolean {
  return status === 429 && errorCode === '1020'
}

/** Whether the answer in an exchange reports a used-up daily quota. */
export function isRefusedForQuota({ response }: Exchange): boolean {
  return isQuotaRefusal(answeredBy(response))
}

/** Whether the answer in an exchange is a success. */
export function isServed({ response }: Exchange): boolean {
  return isSuccess(answeredBy(response))
}

/**
 * Whether a transport, gateway or firewall may have answered: a 4xx without the error object, a page with a 2xx status, or a 505 to
 * HTTP/1.0 (RFC 9110, 15.6.6).
 */
export function isTransportRefusal({ request, response }: Answer): boolean {
  const { status, flaw } = answeredBy(response)
  if (status === 505 && request.form?.version !== undefined) return flaw !== null
  if (isSuccessStatus(status)) return flaw === 'body is not JSON' && !isLabelledAsJson(response)
  return status >= 400 && status <= 499 && flaw !== null
}

/** Whether an answer declares its body to be JSON. */
export function isLabelledAsJson(response: Response): boolean {
  return responseFields(response, 'content-type').some((type) => /json/i.test(type))
}

/** The reason why a JSON value is not the documented error object, or null. Additional properties are allowed. */
export function errorObjectFlaw(value: unknown): AnswerFlaw | null {
  if (!isObject(value)) return 'body is not an object'
  if (!Object.hasOwn(value, 'error_code')) return 'error_code is missing'
  if (typeof value['error_code'] !== 'string') return 'error_code is not a string'
  if (!Object.hasOwn(value, 'error_message')) return 'error_message is missing'
  if (typeof value['error_message'] !== 'string') return 'error_message is not a string'
  return null
}

/** The `error_code` in a JSON value, of any type; undefined if there is none. */
export function errorCodeIn(value: unknown): unknown {
  return isObject(value) && Object.hasOwn(value, 'error_code') ? value['error_code'] : undefined
}

function codeOf(value: unknown): string | null {
  const code = errorCodeIn(value)
  return typeof code === 'string' ? code : null
}
