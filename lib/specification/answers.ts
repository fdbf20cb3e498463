/** The codes of the documented error object. Source: Errors. */
export type ErrorCode =
  | '1001'
  | '1002'
  | '1003'
  | '1006'
  | '1007'
  | '1010'
  | '1011'
  | '1012'
  | '1013'
  | '1020'
  | '1030'

/** A documented refusal: a status code and the `error_code` that goes with it. Source: Errors. */
export interface Refusal {
  readonly status: 400 | 401 | 429
  readonly errorCode: ErrorCode
}

/** A 2xx whose JSON body is not the documented error object with a documented code. */
export interface Success {
  readonly status: '2xx'
  readonly errorCode: null
}

/** An answer that the specification allows. */
export type Answer = Success | Refusal

/** The only value of {@link Success}. */
export const success: Success = { status: '2xx', errorCode: null }

/** The eleven documented (status, error_code) pairs; clients must not depend on the text. Source: Errors. */
export const documentedPairs: readonly (Refusal & { readonly errorMessage: string })[] = [
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
]

/** Whether a value is a documented code, under any status. */
export function isErrorCode(value: unknown): value is ErrorCode {
  return documentedPairs.some((pair) => pair.errorCode === value)
}

/** Whether the specification documents this status with this code. */
export function isDocumentedPair(status: number, errorCode: unknown): boolean {
  return documentedPairs.some((pair) => pair.status === status && pair.errorCode === errorCode)
}
