import { bodyOf } from './answer.ts'
import {
  becomes,
  everyNth,
  failure,
  isAbsent,
  isForList,
  onAnswer,
  onAnyRefusal,
  onItems,
  onRefusal,
  onSuccess,
  page,
  serveWhen,
} from './bending.ts'
import { field, withField } from './call.ts'
import type { Fault } from './fault.ts'

/** Names say what is wrong. */
const table: Readonly<Record<string, Omit<Fault, 'name'>>> = {
  'success-is-a-page': {
    about: 'The list is a page that is labelled JSON.',
    rules: ['conventions/json-response'],
    bend: () => onSuccess({ ...page(200, 'Customizations'), contentType: 'application/json' }),
  },
  'success-body-short': {
    about: 'The last character of the list is missing, and content-length matches the shortened body.',
    rules: ['conventions/json-response'],
    bend: () => onSuccess((answer) => ({ text: bodyOf(answer).slice(0, -1) })),
  },
  'errors-in-plain-text': {
    about: 'Errors are sentences that are labelled JSON.',
    rules: ['conventions/json-response'],
    bend: () => onAnyRefusal(({ payload }) => ({ text: `Error: ${String(payload['error_message'])}` })),
  },
  'invalid-secret-key-body-empty': {
    about: 'An invalid secret gets 401 with an empty body.',
    rules: ['conventions/json-response', 'errors/body-shape'],
    bend: () => onRefusal('1007', { text: '' }),
  },
  'success-labelled-html': {
    about: 'The list is labelled text/html.',
    rules: ['conventions/json-content-type'],
    bend: () => onSuccess({ contentType: 'text/html; charset=utf-8' }),
  },
  'errors-labelled-text': {
    about: 'Errors are labelled text/plain.',
    rules: ['conventions/json-content-type'],
    bend: () => onAnyRefusal({ contentType: 'text/plain' }),
  },
  'list-fails-every-ninth-time': {
    about: 'Every ninth request for the list gets 500.',
    rules: ['endpoints/list-succeeds', 'errors/documented-pairs'],
    bend: () => everyNth(9, failure(500)),
  },
  'list-quota-exceeded-every-seventh-time': {
    about: 'Every seventh request for the list gets 429 and 1020 although there is quota left.',
    rules: ['endpoints/list-succeeds'],
    bend: () => everyNth(7, becomes('1020')),
  },
  'list-is-an-error-object': {
    about: 'A request for the list gets 200 with a documented error object.',
    rules: ['endpoints/list-succeeds', 'errors/documented-pairs'],
    bend: () => onSuccess({ payload: { error_code: '1012', error_message: 'customer not found' } }),
  },
  'list-without-content': {
    about: 'A request for the list gets 204.',
    rules: ['endpoints/list-succeeds', 'conventions/json-response'],
    bend: () => onSuccess({ status: 204, text: '' }),
  },
  'list-redirects': {
    about: 'A request for the list gets 302.',
    rules: ['endpoints/list-succeeds', 'errors/documented-pairs'],
    bend: () => onSuccess({ status: 302, headers: { location: '/login' } }),
  },
  'missing-api-key-called-invalid': {
    about: 'A missing key gets 401 and 1006.',
    rules: ['authentication/api-key-missing'],
    bend: () => onRefusal('1001', becomes('1006')),
  },
  'missing-api-key-unauthorized': {
    about: 'A missing key gets 401, with the right code.',
    rules: ['authentication/api-key-missing', 'errors/documented-pairs'],
    bend: () => onRefusal('1001', { status: 401 }),
  },
  'missing-api-key-secret-named': {
    about: 'A missing key gets 400 and 1002.',
    rules: ['authentication/api-key-missing'],
    bend: () => onRefusal('1001', becomes('1002')),
  },
  'missing-secret-key-fails': {
    about: 'A missing secret gets 500.',
    rules: ['authentication/secret-key-missing', 'errors/documented-pairs'],
    bend: () => onRefusal('1002', failure(500, "Cannot read properties of undefined (reading 'length')")),
  },
  'missing-version-defaults-to-one': {
    about: 'Without a version, version 1 is served.',
    rules: ['versioning/version-missing'],
    bend: () => ({
      see: (call) => (isAbsent(call, 'x-version') ? withField(call, 'x-version', '1') : call),
    }),
  },
  'api-key-compared-by-prefix': {
    about: 'A key that begins with a valid key is accepted.',
    rules: ['authentication/api-key-invalid'],
    bend: () => ({ keyMatches: (sent, { apiKey }) => sent.startsWith(apiKey) }),
  },
  'invalid-api-key-customer-not-found': {
    about: 'An invalid key gets 401 and 1012.',
    rules: ['authentication/api-key-invalid'],
    bend: () => onRefusal('1006', becomes('1012')),
  },
  'invalid-api-key-without-code': {
    about: 'An invalid key gets 401 with a message and no code.',
    rules: ['authentication/api-key-invalid', 'errors/body-shape'],
    bend: () => onRefusal('1006', { payload: { message: 'Unauthorized' } }),
  },
  'invalid-api-key-connection-closed': {
    about: 'An invalid key gets no answer: the connection is closed.',
    rules: ['authentication/api-key-invalid'],
    bend: () => onRefusal('1006', { delivery: 'reset' }),
  },
  'secret-key-any-accepted': {
    about: 'Any non-blank secret counts as valid.',
    rules: ['authentication/secret-key-invalid'],
    bend: () => ({ secretMatches: () => true }),
  },
  'invalid-secret-key-bad-request': {
    about: 'An invalid secret gets 400, with the right code.',
    rules: ['authentication/secret-key-invalid', 'errors/documented-pairs'],
    bend: () => onRefusal('1007', { status: 400 }),
  },
  'no-customer-invalid-api-key': {
    about: 'Credentials without a customer get 401 and 1006.',
    rules: ['authentication/customer-not-found'],
    bend: () => onRefusal('1012', becomes('1006')),
  },
  'no-customer-body-cut': {
    about: 'The answer to credentials without a customer breaks off in the middle of its body.',
    rules: ['authentication/customer-not-found'],
    bend: () => onRefusal('1012', { delivery: 'cut' }),
  },
  'inactive-endpoint-unauthorized': {
    about: 'A request for an inactive endpoint gets 401 and 1013.',
    rules: ['authentication/endpoint-inactive'],
    bend: () => onRefusal('1011', becomes('1013')),
  },
  'inactive-endpoint-drips': {
    about: 'The answer for an inactive endpoint sends white space forever and never reaches its body.',
    rules: ['authentication/endpoint-inactive'],
    bend: () => onRefusal('1011', { delivery: 'drip' }),
  },
  'unauthorized-client-forbidden': {
    about: 'A client that is not permitted gets 403, with the right code.',
    rules: ['authentication/endpoint-unauthorized', 'errors/documented-pairs'],
    bend: () => onRefusal('1013', { status: 403 }),
  },
  'unauthorized-client-never-answered': {
    about: 'A client that is not permitted never gets an answer.',
    rules: ['authentication/endpoint-unauthorized'],
    bend: () => onRefusal('1013', { delivery: 'never' }),
  },
  'no-credentials-served': {
    about: 'A request with a version and neither key nor secret is served.',
    rules: ['authentication/no-bypass'],
    bend: () =>
      serveWhen(
        (call) =>
          isForList(call) &&
          isAbsent(call, 'x-api-key') &&
          isAbsent(call, 'x-secret-key') &&
          field(call, 'x-version') === '1',
      ),
  },
  'version-one-fails': {
    about: 'A request with version 1 gets 500.',
    rules: ['versioning/default-version', 'endpoints/list-succeeds', 'errors/documented-pairs'],
    bend: () => onSuccess(failure(500)),
  },
  'unknown-endpoint-page': {
    about: 'An unknown path gets 404 with a page.',
    rules: ['versioning/unknown-endpoint', 'conventions/json-response'],
    bend: () =>
      onAnswer(({ refusal }, call) => refusal === '1010' && !isForList(call), page(404, 'Not Found')),
  },
  'error-code-is-a-number': {
    about: 'Every error_code is a number.',
    rules: ['errors/body-shape'],
    bend: () =>
      onAnyRefusal(({ payload }) => ({ payload: { ...payload, error_code: Number(payload['error_code']) } })),
  },
  'error-message-missing': {
    about: 'Errors have no error_message.',
    rules: ['errors/body-shape'],
    bend: () => onAnyRefusal(({ payload }) => ({ payload: { error_code: payload['error_code'] } })),
  },
  'every-error-under-200': {
    about: 'Every error has status 200.',
    rules: ['errors/documented-pairs'],
    bend: () => onAnyRefusal({ status: 200 }),
  },
  'invalid-parameters-unprocessable': {
    about: 'Invalid parameters get 422, with the right code.',
    rules: ['input/invalid-parameters', 'errors/documented-pairs'],
    bend: () => onRefusal('1030', { status: 422 }),
  },
  'exhausted-client-served': {
    about: 'There is no quota.',
    rules: ['quota/exhausted'],
    bend: () => ({ skips: (check) => check === 'quota' }),
  },
  'exhausted-client-without-code': {
    about: 'An exhausted client gets 429 with a message and no code.',
    rules: ['quota/exhausted', 'errors/body-shape'],
    bend: () => onRefusal('1020', { payload: { message: 'API rate limit exceeded' } }),
  },
  'parameter-beyond-three-bytes-fails': {
    about: 'A parameter with a character of four bytes gets 500.',
    rules: ['fuzz/query'],
    profile: 'acceptance',
    bend: () => {
      const isMeant = (query: string): boolean =>
        [...new URLSearchParams(query).values()].some((value) => /[\u{10000}-\u{10FFFF}]/u.test(value))
      return onAnswer(
        ({ refusal }, { query }) => (refusal === null || refusal === '1030') && isMeant(query),
        failure(500, 'incorrect string value'),
      )
    },
  },
  'browsers-need-no-key': {
    about: 'A browser is served without a key.',
    rules: ['authentication/no-side-door'],
    profile: 'acceptance',
    inNoOther: true,
    bend: () =>
      serveWhen(
        (call) =>
          isForList(call) &&
          isAbsent(call, 'x-api-key') &&
          /(?:Chrome|Firefox|Safari)\//.test(field(call, 'user-agent') ?? ''),
      ),
  },
  'list-property-renamed': {
    about: 'The identifier of a customization has another name.',
    rules: ['tolerance/no-breaking-change'],
    needs: 'baseline',
    bend: () => onSuccess(onItems(({ id, ...item }) => ({ customization_id: id, ...item }))),
  },
}

/**
 * The faults in the package, for authors of clients: bodies that are not JSON, failures, wrong forms of each documented error, and wrongly
 * accepted clients.
 */
export const faults: readonly Fault[] = Object.entries(table).map(([name, fault]) => ({ name, ...fault }))
