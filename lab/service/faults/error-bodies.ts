import { bodyOf, type Answer } from '../../../lib/serve/reference/answer.ts'
import {
  every,
  onAnswer,
  onAnyRefusal,
  onRefusal,
  onSuccess,
  page,
} from '../../../lib/serve/reference/bending.ts'
import { field } from '../../../lib/serve/reference/call.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { list, listPath } from '../../../lib/serve/reference/list.ts'
import { breaking, shipped } from './breaking.ts'
import { placeOnConnection } from './on-connection.ts'

const bodyShape = breaking('errors/body-shape')

/** Error bodies that are JSON, but not the documented object. */
const errorBodyRows: readonly Fault[] = [
  shipped('error-code-is-a-number'),
  bodyShape(
    'error-code-is-a-number-on-reused-connection',
    'From the second request of a connection on, error_code is a number.',
    () => {
      const placeOf = placeOnConnection()
      return onAnswer((answer, call) => placeOf(call) > 1 && answer.refusal !== null, codeAsNumber)
    },
  ),
  shipped('error-message-missing'),
  bodyShape('error-message-null-now-and-then', 'In every ninth error error_message is null.', () => {
    const isTime = every(9)
    return onAnswer(
      ({ refusal }) => refusal !== null && isTime(),
      ({ payload }) => ({ payload: { ...payload, error_message: null } }),
    )
  }),
  bodyShape(
    'error-message-is-an-object-for-no-customer',
    'In the error for credentials without a customer error_message is an object of translations.',
    () =>
      onRefusal('1012', ({ payload }) => ({
        payload: { ...payload, error_message: { en: payload['error_message'] } },
      })),
  ),
  bodyShape('error-body-is-a-list', 'Errors are arrays of error objects.', () =>
    onAnyRefusal(({ payload }) => ({ text: JSON.stringify([payload]) })),
  ),
  bodyShape('error-body-is-nested', 'The error object stands under a property "error".', () =>
    onAnyRefusal(({ payload }) => ({ payload: { error: payload } })),
  ),
  bodyShape('error-properties-in-camel-case', 'The properties are errorCode and errorMessage.', () =>
    onAnyRefusal(({ payload }) => ({
      payload: { errorCode: payload['error_code'], errorMessage: payload['error_message'] },
    })),
  ),
  breaking('errors/body-shape', 'authentication/secret-key-missing')(
    'error-body-is-a-string',
    'The error for a missing secret is the message as a JSON string.',
    () => onRefusal('1002', ({ payload }) => ({ text: JSON.stringify(payload['error_message']) })),
  ),
]

function codeAsNumber({ payload }: Answer): Partial<Answer> {
  return { payload: { ...payload, error_code: Number(payload['error_code']) } }
}

const jsonResponse = breaking('conventions/json-response')
const secretEcho = breaking('security/no-secret-echo')

/** Bodies that look right until they are parsed. */
const unparsable: readonly Fault[] = [
  jsonResponse('list-total-is-nan', 'The total of the list is NaN, which is no JSON.', () =>
    onSuccess((answer) => ({ text: bodyOf(answer).replace(/"total":\d+/, '"total":NaN') })),
  ),
  jsonResponse('list-in-single-quotes', 'The strings of the list stand in single quotes.', () =>
    onSuccess((answer) => ({ text: bodyOf(answer).replaceAll('"', "'") })),
  ),
  jsonResponse(
    'inactive-endpoint-message-holds-line-break',
    'The message for an inactive endpoint holds a line break that is not escaped.',
    () => onRefusal('1011', { text: '{"error_code":"1011","error_message":"inactive\nendpoint"}' }),
  ),
]

/** Errors that are not the documented object. */
const misshapen: readonly Fault[] = [
  breaking('errors/body-shape', 'authentication/api-key-invalid')(
    'error-body-is-json-in-a-string',
    'The error for an invalid key is serialised twice.',
    () => onRefusal('1006', (answer) => ({ text: JSON.stringify(bodyOf(answer)) })),
  ),
  breaking('errors/body-shape')(
    'error-code-is-null-for-unsupported-version',
    'The code for what does not exist is null.',
    () => onRefusal('1010', ({ payload }) => ({ payload: { ...payload, error_code: null } })),
  ),
]

/** Secrets in unexpected places of answers. */
const echoes: readonly Fault[] = [
  secretEcho(
    'secret-in-error-for-missing-api-key',
    'The error for a missing key, and no other, repeats the secret.',
    () =>
      onRefusal('1001', ({ payload }, call) => ({
        payload: { ...payload, received: [{ secret: field(call, 'x-secret-key') }] },
      })),
  ),
  secretEcho(
    'secret-in-base64-inside-of-text',
    'The error for a missing version repeats key and secret as basic credentials.',
    () =>
      onRefusal('1003', ({ payload }, call) => ({
        payload: { ...payload, trace: basic(field(call, 'x-api-key'), field(call, 'x-secret-key')) },
      })),
  ),
]

/** Answers from an endpoint other than the requested one. */
const elsewhere: readonly Fault[] = [
  breaking('versioning/unknown-endpoint')(
    'known-path-found-behind-unknown-one',
    'Every path that ends with that of the list below /api is that of the list.',
    () => ({
      see: (call) => (call.path.endsWith(listPath.slice('/api'.length)) ? { ...call, path: listPath } : call),
    }),
  ),
  breaking('versioning/unknown-endpoint', 'conventions/json-response')(
    'unknown-endpoint-falls-through-to-start-page',
    'An unknown path is answered 200 with the page of a web application.',
    () => onAnswer(({ refusal }, { path }) => refusal === '1010' && path !== listPath, page(200, 'Welcome')),
  ),
  breaking(
    'authentication/customer-not-found',
    'authentication/not-cached',
    'authentication/isolated-under-concurrency',
  )(
    'no-customer-served-from-second-request-on',
    'Credentials without a customer are refused once, and served from then on.',
    () => {
      let refused = 0
      return {
        answer(answer, call) {
          if (answer.refusal !== '1012') return answer
          refused += 1
          return refused > 1 ? list(call.query) : answer
        },
      }
    },
  ),
]

function basic(name = '', password = ''): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
}

/** x */
export const errorBodyFaults: readonly Fault[] = [
  ...errorBodyRows,
  ...unparsable,
  ...misshapen,
  ...echoes,
  ...elsewhere,
]
