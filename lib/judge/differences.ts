import type { Exchange } from '../http/exchange.ts'
import { documentedPairs, pairCount, type Answer } from '../specification/answers.ts'
import { answeredBy, flawText, isSuccess, type Answered } from './answered.ts'

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
export function isOfEndpointsFile({ difference = '' }: { readonly difference?: string }): boolean {
  return Object.values(endpointsFileDifferences).some((one) => difference.startsWith(one))
}

/** Whether the answer itself differs, not only its form. */
export function isOfAnswer({ difference = '' }: { readonly difference?: string }): boolean {
  const { documented, pair, outcome } = answerDifferences
  const isAnother = difference === documented || difference === pair || difference.startsWith(outcome)
  return isAnother || changes.includes(difference)
}

/** Describes the allowed answers: `400 / 1001`, `400 / 1001 or 401 / 1006`, `success`, `one of the eleven documented pairs of status and error_code`. */
export function describeAllowed(allowed: readonly Answer[]): string {
  if (documentedPairs.every((pair) => allowed.some((answer) => answer.errorCode === pair.errorCode))) {
    const orSuccess = allowed.some((answer) => answer.errorCode === null) ? ', or success' : ''
    return `one of the ${pairCount} documented pairs of status and error_code${orSuccess}`
  }
  return allowed
    .map(({ status, errorCode }) => (errorCode === null ? 'success' : `${status} / ${errorCode}`))
    .join(' or ')
}

/** Describes an answer: `401 / 1006`, `200 with JSON`, `404 with an empty body`. */
export function describeAnswered({ status, errorCode, flaw, because }: Answered): string {
  const code = errorCode === null ? `${status}` : `${status} / ${printable(errorCode)}`
  if (because !== undefined) return `${code}, with a body that is ${because},`
  if (flaw !== null) return `${code}, ${flawText[flaw]},`
  return errorCode === null ? `${status} with JSON` : code
}

/** The outcome as given in observations: `success`, `401 / 1006`, `204`, `414 without error_code`. */
export function outcomeOf({ response }: Exchange): string {
  const answered = answeredBy(response)
  if (isSuccess(answered)) return 'success'
  if (answered.status < 400) return `${answered.status}`
  return `${answered.status} ${answered.errorCode === null ? 'without error_code' : `/ ${printable(answered.errorCode)}`}`
}

/** Makes an undocumented code printable, because it may have any length and content. */
function printable(errorCode: string): string {
  const short = errorCode.length > 40 ? `${errorCode.slice(0, 40)}…` : errorCode
  return /^[\w.-]+$/.test(short) ? short : JSON.stringify(short)
}
