import { succeed, type Code } from '../../../lib/serve/reference/answer.ts'
import {
  becomes,
  every,
  failure,
  isAbsent,
  isForList,
  onAnswer,
  onAnyRefusal,
  onRefusal,
  type Change,
} from '../../../lib/serve/reference/bending.ts'
import { withField } from '../../../lib/serve/reference/call.ts'
import { everyClient } from '../../../lib/serve/reference/clients.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { isValidQuery } from '../../../lib/serve/reference/list.ts'
import { breaking, shipped } from './breaking.ts'

/** What gets each code, and the rule about it. */
const refused = {
  '1001': ['a missing key', 'authentication/api-key-missing'],
  '1002': ['a missing secret', 'authentication/secret-key-missing'],
  '1003': ['a missing version', 'versioning/version-missing'],
  '1006': ['an invalid key', 'authentication/api-key-invalid'],
  '1007': ['an invalid secret', 'authentication/secret-key-invalid'],
  '1011': ['an inactive endpoint', 'authentication/endpoint-inactive'],
  '1012': ['credentials without a customer', 'authentication/customer-not-found'],
  '1013': ['a client that is not permitted', 'authentication/endpoint-unauthorized'],
  '1020': ['an exhausted client', 'quota/exhausted'],
  '1030': ['invalid parameters', 'input/invalid-parameters'],
} as const

type Refused = keyof typeof refused

/** The documented answer to something else. */
function becoming(code: Refused, other: Code, name: string): Fault {
  const [what, rule] = refused[code]
  return breaking(rule)(name, `The answer to ${what} has the code ${other} and its status.`, () =>
    onRefusal(code, becomes(other)),
  )
}

/** The right code under another status. */
function under(code: Refused, status: number, name: string): Fault {
  const [what, rule] = refused[code]
  return breaking(rule, 'errors/documented-pairs')(
    name,
    `The answer to ${what} has the status ${status}, with the right code.`,
    () => onRefusal(code, { status }),
  )
}

/** An error with another value for its code. */
function withCode(value: unknown): Change {
  return ({ payload }) => ({ payload: { ...payload, error_code: value } })
}

const pairs = 'errors/documented-pairs'
const nothing = succeed({ customizations: [], total: 0 })
const emptyList = { refusal: null, status: nothing.status, payload: nothing.payload }
const customerNotFound = breaking('authentication/customer-not-found')
const endpointUnauthorized = breaking('authentication/endpoint-unauthorized')

/** Wrong answers to one reason to refuse a request. */
const forOne: readonly Fault[] = [
  shipped('missing-api-key-called-invalid'),
  shipped('missing-api-key-unauthorized'),
  breaking('authentication/api-key-missing', 'errors/body-shape')(
    'missing-api-key-code-is-a-number',
    'A missing key is answered 400 with the code as a number.',
    () => onRefusal('1001', withCode(1001)),
  ),
  breaking('authentication/api-key-missing')(
    'missing-api-key-found-by-secret',
    'Without a key the client is found by its secret, and served.',
    () => ({
      see(call) {
        const owner = everyClient.find(({ secretKey }) => secretKey === call.headers['x-secret-key'])
        return isAbsent(call, 'x-api-key') ? withField(call, 'x-api-key', owner?.apiKey) : call
      },
    }),
  ),
  shipped('missing-api-key-secret-named'),
  under('1001', 200, 'missing-api-key-under-200'),
  under('1001', 408, 'request-timeout-with-a-documented-code'),
  becoming('1002', '1007', 'missing-secret-key-called-invalid'),
  breaking('authentication/secret-key-missing')(
    'missing-secret-key-served',
    'The secret is compared only where one is sent.',
    () => ({
      skips: (check, call) =>
        isAbsent(call, 'x-secret-key') && (check === 'secret-key-present' || check === 'secret-key-valid'),
    }),
  ),
  under('1002', 401, 'missing-secret-key-unauthorized'),
  becoming('1002', '1001', 'missing-secret-key-api-key-named'),
  shipped('missing-secret-key-fails'),
  under('1002', 200, 'secret-missing-under-200'),
  shipped('missing-version-defaults-to-one'),
  becoming('1003', '1010', 'missing-version-endpoint-not-found'),
  becoming('1003', '1030', 'missing-version-invalid-input'),
  under('1003', 422, 'missing-version-unprocessable'),
  breaking('versioning/version-missing', pairs)(
    'missing-version-fails',
    'A missing version is answered 500.',
    () => onRefusal('1003', failure(500)),
  ),
  breaking('versioning/version-missing', pairs)(
    'missing-version-unknown-code',
    'A missing version is answered 400 and 1004.',
    () => onRefusal('1003', withCode('1004')),
  ),
  shipped('invalid-api-key-customer-not-found'),
  becoming('1006', '1007', 'invalid-api-key-secret-blamed'),
  becoming('1006', '1013', 'invalid-api-key-unauthorized-endpoint'),
  under('1006', 403, 'invalid-api-key-forbidden'),
  shipped('invalid-api-key-without-code'),
  shipped('invalid-api-key-connection-closed'),
  becoming('1007', '1006', 'invalid-secret-key-api-key-blamed'),
  becoming('1007', '1012', 'invalid-secret-key-customer-not-found'),
  shipped('invalid-secret-key-bad-request'),
  customerNotFound('no-customer-served', 'Credentials without a customer are served.', () => ({
    skips: (check) => check === 'customer',
  })),
  customerNotFound('no-customer-empty-list', 'Credentials without a customer get an empty list.', () =>
    onRefusal('1012', emptyList),
  ),
  under('1012', 404, 'no-customer-not-found-status'),
  under('1012', 400, 'no-customer-bad-request'),
  shipped('no-customer-invalid-api-key'),
  shipped('no-customer-body-cut'),
  breaking('authentication/endpoint-inactive')(
    'inactive-endpoint-served',
    'An inactive endpoint is served.',
    () => ({ skips: (check) => check === 'endpoint-active' }),
  ),
  under('1011', 403, 'inactive-endpoint-forbidden'),
  under('1011', 410, 'inactive-endpoint-gone'),
  under('1011', 429, 'inactive-endpoint-too-many-requests'),
  becoming('1011', '1010', 'inactive-endpoint-not-found'),
  shipped('inactive-endpoint-unauthorized'),
  shipped('inactive-endpoint-drips'),
  endpointUnauthorized('unauthorized-client-served', 'A client that is not permitted is served.', () => ({
    skips: (check) => check === 'permitted',
  })),
  shipped('unauthorized-client-forbidden'),
  under('1013', 400, 'unauthorized-client-bad-request'),
  breaking('authentication/endpoint-unauthorized', pairs)(
    'unauthorized-client-message-as-code',
    'A client that is not permitted gets the message of the table as its code.',
    () => onRefusal('1013', withCode('unauthorized_endpoint')),
  ),
  becoming('1013', '1012', 'unauthorized-client-customer-not-found'),
  endpointUnauthorized(
    'unauthorized-client-empty-list',
    'A client that is not permitted gets an empty list.',
    () => onRefusal('1013', emptyList),
  ),
  shipped('unauthorized-client-never-answered'),
  shipped('exhausted-client-served'),
  shipped('exhausted-client-without-code'),
  under('1020', 400, 'exhausted-client-bad-request'),
  under('1020', 403, 'exhausted-client-forbidden'),
  under('1020', 503, 'exhausted-client-unavailable'),
  becoming('1020', '1013', 'exhausted-client-unauthorized'),
  breaking('versioning/endpoint-not-in-version', pairs)(
    'unsupported-version-unauthorized-status',
    'An unsupported version is answered 401, with the right code; an unknown path is answered rightly.',
    () => onAnswer(({ refusal }, call) => refusal === '1010' && isForList(call), { status: 401 }),
  ),
]

/** Wrong answers to invalid parameters. */
const forInput: readonly Fault[] = [
  breaking('input/invalid-parameters')(
    'invalid-parameters-ignored',
    'Invalid parameters are ignored and the list is served.',
    () => ({ see: (call) => (isValidQuery(call.query) ? call : { ...call, query: '' }) }),
  ),
  breaking('input/invalid-parameters', pairs)(
    'invalid-parameters-fail',
    'Invalid parameters are answered 500.',
    () => onRefusal('1030', failure(500)),
  ),
  shipped('invalid-parameters-unprocessable'),
  under('1030', 200, 'invalid-parameters-under-200'),
  under('1030', 401, 'invalid-parameters-unauthorized-status'),
  becoming('1030', '1010', 'invalid-parameters-endpoint-not-found'),
  breaking('input/invalid-parameters', 'errors/body-shape')(
    'invalid-parameters-problem-details',
    'Invalid parameters are answered 400 with a problem object of RFC 9457.',
    () =>
      onRefusal('1030', {
        contentType: 'application/problem+json',
        payload: { type: 'about:blank', title: 'Bad Request', status: 400, detail: 'limit is not a number' },
      }),
  ),
  breaking('authentication/no-side-door', 'input/invalid-parameters')(
    'invalid-parameters-need-no-credentials',
    'Invalid parameters are looked at first, and make the list public.',
    () => onAnswer((_answer, call) => !isValidQuery(call.query), { refusal: null, status: 200, payload: {} }),
  ),
  breaking('input/invalid-parameters')(
    'invalid-parameters-body-cut',
    'The answer to invalid parameters breaks off in the middle of its body.',
    () => onRefusal('1030', { delivery: 'cut' }),
  ),
]

const documentedPairs = breaking(pairs)

/** Pairs of status and code that are not documented, for several reasons to refuse a request. */
const forSeveral: readonly Fault[] = [
  shipped('every-error-under-200'),
  documentedPairs('every-error-under-400', 'Every error comes under 400.', () =>
    onAnyRefusal({ status: 400 }),
  ),
  documentedPairs('undocumented-code-for-invalid-api-key', 'An invalid key is answered 401 and 9999.', () =>
    onRefusal('1006', withCode('9999')),
  ),
  documentedPairs('undocumented-code-between-documented-ones', 'An invalid secret is answered 1008.', () =>
    onRefusal('1007', withCode('1008')),
  ),
  documentedPairs('error-code-padded', 'Codes have a blank after them.', () =>
    onAnyRefusal(({ payload }) => ({
      payload: { ...payload, error_code: `${String(payload['error_code'])} ` },
    })),
  ),
  documentedPairs('refusals-fail-every-ninth-time', 'Every ninth error is answered 500.', () => {
    const isTime = every(9)
    return onAnswer(({ refusal }) => refusal !== null && isTime(), failure(500))
  }),
  breaking('authentication/api-key-invalid', 'authentication/secret-key-invalid')(
    'quota-code-for-everything-invalid',
    'Invalid credentials are answered 429 and 1020, as by a limit on attempts.',
    () => onRefusal(['1006', '1007'], becomes('1020')),
  ),
]

/** A code under a wrong status, replaced by another code, or in another answer than the documented one. */
export const refusalFaults: readonly Fault[] = [...forOne, ...forInput, ...forSeveral]
