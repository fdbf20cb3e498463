import { responseFields, type Exchange, type Response } from '../http/exchange.ts'
import { isErrorCode, documentedPairs, pairCount, type Answer } from '../specification/answers.ts'
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
    const flaw = 'body is not in its content coding'
    return { status, errorCode: null, flaw, because: body.because }
  }

  const errorCode = codeOf(body.value)
  const wrong = errorObjectFlaw(body.value)
  if (!isSuccessStatus(status)) return { status, errorCode, flaw: wrong }
  const isError = wrong === null && isErrorCode(errorCode)
  return {
    status,
    errorCode,
    flaw: isError ? 'documented error under success' : null,
  }
}

/** Whether a status code is a 2xx. */
export function isSuccessStatus(status: number) {
  return status >= 200 && status <= 299
}

/** Whether an answer is a success: a 2xx with JSON that is not the documented error object with a documented code. */
export function isSuccess({ status, flaw }: Answered) {
  return isSuccessStatus(status) && flaw === null
}

/** Whether an answer reports a used-up daily quota, whatever else it contains. */
export function isQuotaRefusal({ status, errorCode }: Answered) {
  return status === 429 && errorCode === '1020'
}

/** Whether the answer in an exchange reports a used-up daily quota. */
export function isRefusedForQuota({ response }: Exchange) {
  return isQuotaRefusal(answeredBy(response))
}

/** Whether the answer in an exchange is a success. */
export function isServed({ response }: Exchange) {
  return isSuccess(answeredBy(response))
}

/**
 * Whether a transport, gateway or firewall may have answered: a 4xx without the error object, a page with a 2xx status, or a 505 to
 * HTTP/1.0 (RFC 9110, 15.6.6).
 */
export function isTransportRefusal({ request, response }: Exchange) {
  const { status, flaw } = answeredBy(response)
  if (status === 505 && request.form?.version !== undefined) return flaw !== null
  if (isSuccessStatus(status)) return flaw === 'body is not JSON' && !isLabelledAsJson(response)
  return status >= 400 && status <= 499 && flaw !== null
}

/** Whether an answer declares its body to be JSON. */
export function isLabelledAsJson(response: Response) {
  return responseFields(response, 'content-type').some((type) => /json/i.test(type))
}

/** The reason why a JSON value is not the documented error object, or null. Additional properties are allowed. */
export function errorObjectFlaw(value: unknown) {
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

function codeOf(value: unknown) {
  const code = errorCodeIn(value)
  return typeof code === 'string' ? code : null
}

/** Differences from the documented answer in the answer itself. All other differences concern its form or something else. */
export const answerDifferences = {
  documented: 'another answer',
  pair: 'not a documented pair',
  /** Followed by the expected outcome. */
  outcome: 'another outcome than ',
} as const

/** Kinds of difference from the answer in a baseline. */
const changes: readonly string[] = ['status-changed ', 'code-changed ']

/** Prefixes for differences from the user's endpoints file. The sentences about them name the file. */
export const endpointsFileDifferences = {
  success: 'not the success of the endpoints file',
  input: 'not as the endpoints file describes the input',
} as const

/** Whether an answer differs from the endpoints file. */
export function isOfEndpointsFile({ difference = '' }: { readonly difference?: string }) {
  return Object.values(endpointsFileDifferences).some((one) => difference.startsWith(one))
}

/** Whether the answer itself differs, not only its form. */
export function isOfAnswer({ difference = '' }: { readonly difference?: string }) {
  const { documented, pair, outcome } = answerDifferences
  const isAnother = difference === documented || difference === pair || difference.startsWith(outcome)
  return isAnother || changes.includes(difference)
}

/** Describes the allowed answers: `400 / 1001`, `400 / 1001 or 401 / 1006`, `success`, `one of the eleven documented pairs of status and error_code`. */
export function describeAllowed(allowed: readonly Answer[]) {
  if (documentedPairs.every((pair) => allowed.some((answer) => answer.errorCode === pair.errorCode))) {
    const orSuccess = allowed.some((answer) => answer.errorCode === null) ? ', or success' : ''
    return `one of the ${pairCount} documented pairs of status and error_code${orSuccess}`
  }
  return allowed
    .map(({ status, errorCode }) => (errorCode === null ? 'success' : `${status} / ${errorCode}`))
    .join(' or ')
}

/** Describes an answer: `401 / 1006`, `200 with JSON`, `404 with an empty body`. */
export function describeAnswered({ status, errorCode, flaw, because }: Answered) {
  const code = errorCode === null ? `${status}` : `${status} / ${printable(errorCode)}`
  if (because !== undefined) return `${code}, with a body that is ${because},`
  if (flaw !== null) return `${code}, ${flawText[flaw]},`
  return errorCode === null ? `${status} with JSON` : code
}

/** The outcome as given in observations: `success`, `401 / 1006`, `204`, `414 without error_code`. */
export function outcomeOf({ response }: Exchange) {
  const answered = answeredBy(response)
  if (isSuccess(answered)) return 'success'
  if (answered.status < 400) return `${answered.status}`
  return `${answered.status} ${answered.errorCode === null ? 'without error_code' : `/ ${printable(answered.errorCode)}`}`
}

/** Makes an undocumented code printable, because it may have any length and content. */
function printable(errorCode: string) {
  const short = errorCode.length > 40 ? `${errorCode.slice(0, 40)}…` : errorCode
  return /^[\w.-]+$/.test(short) ? short : JSON.stringify(short)
}
