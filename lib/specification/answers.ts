/**
 * The documented (status, error_code) pairs, each with the specification's text, on which clients must not depend. Source: Errors.
 */
export const documentedPairs = [
  { status: 400, errorCode: '1001', errorMessage: 'api key header is missing' },
  { status: 400, errorCode: '1002', errorMessage: 'secret key header is missing' },
  { status: 400, errorCode: '1003', errorMessage: 'version header is missing' },
  { status: 400, errorCode: '1010', errorMessage: 'endpoint not found for the specified version' },
  { status: 400, errorCode: '1030', errorMessage: 'invalid input parameters' },
  { status: 401, errorCode: '1006', errorMessage: 'invalid api key' },
  { status: 401, errorCode: '1007', errorMessage: 'invalid secret key' },
  { status: 401, errorCode: '1011', errorMessage: 'inactive endpoint' },
  { status: 401, errorCode: '1012', errorMessage: 'customer not found' },
  { status: 401, errorCode: '1013', errorMessage: 'unauthorized_endpoint' },
  { status: 429, errorCode: '1020', errorMessage: 'daily quota limit exceeded' },
] as const

/** The number of pairs, in words. */
export const pairCount = 'eleven'

/** The codes in the documented error object. Source: Errors. */
export type ErrorCode = DocumentedPair['errorCode']

/** A documented refusal: a status code and its `error_code`. Source: Errors. */
export type Refusal = Readonly<Pick<DocumentedPair, 'status' | 'errorCode'>>

/** A documented refusal with its text. */
type DocumentedPair = (typeof documentedPairs)[number]

/** A 2xx whose JSON body is not the documented error object with a documented code. */
export const success = { status: '2xx', errorCode: null } as const

/** An answer that the specification allows. */
export type Answer = typeof success | Refusal

/** The pair for a documented code, under any status; null for any other code. */
export function pairOf(errorCode: unknown) {
  return documentedPairs.find((pair) => pair.errorCode === errorCode) ?? null
}

/** Whether a value is a documented code, under any status. */
export function isErrorCode(value: unknown): value is ErrorCode {
  return pairOf(value) !== null
}

/** Whether the specification documents this status with this code. */
export function isDocumentedPair(status: number, errorCode: unknown) {
  return pairOf(errorCode)?.status === status
}

/** The refusal with a documented code. */
export function refusalOf(code: ErrorCode): Refusal {
  const pair = pairOf(code)
  if (pair === null) throw new RangeError(`no pair has the code ${code}`)
  return { status: pair.status, errorCode: pair.errorCode }
}

/** Whether a code blames the client of a request, that is, its credentials or what it may use. Source: Errors, 401 Unauthorized. */
export function blamesClient(errorCode: unknown) {
  return pairOf(errorCode)?.status === 401
}
