import { bodyOf } from '../../../lib/serve/reference/answer.ts'
import { onAnswer, onRefusal, onSuccess, page } from '../../../lib/serve/reference/bending.ts'
import { field } from '../../../lib/serve/reference/call.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { list, listPath } from '../../../lib/serve/reference/list.ts'

/** Bodies that look right until they are parsed. */
const unparsable: readonly Fault[] = [
  {
    name: 'list-total-is-nan',
    about: 'The total of the list is NaN, which is no JSON.',
    rules: ['conventions/json-response'],
    bend: () => onSuccess((answer) => ({ text: bodyOf(answer).replace(/"total":\d+/, '"total":NaN') })),
  },
  {
    name: 'list-in-single-quotes',
    about: 'The strings of the list stand in single quotes.',
    rules: ['conventions/json-response'],
    bend: () => onSuccess((answer) => ({ text: bodyOf(answer).replaceAll('"', "'") })),
  },
  {
    name: 'inactive-endpoint-message-holds-line-break',
    about: 'The message for an inactive endpoint holds a line break that is not escaped.',
    rules: ['conventions/json-response'],
    bend: () => onRefusal('1011', { text: '{"error_code":"1011","error_message":"inactive\nendpoint"}' }),
  },
]

/** Errors that are not the documented object. */
const misshapen: readonly Fault[] = [
  {
    name: 'error-body-is-json-in-a-string',
    about: 'The error for an invalid key is serialised twice.',
    rules: ['errors/body-shape', 'authentication/api-key-invalid'],
    bend: () => onRefusal('1006', (answer) => ({ text: JSON.stringify(bodyOf(answer)) })),
  },
  {
    name: 'error-code-is-null-for-unsupported-version',
    about: 'The code for what does not exist is null.',
    rules: ['errors/body-shape'],
    bend: () => onRefusal('1010', ({ payload }) => ({ payload: { ...payload, error_code: null } })),
  },
]

/** Secrets in unexpected places of answers. */
const echoes: readonly Fault[] = [
  {
    name: 'secret-in-error-for-missing-api-key',
    about: 'The error for a missing key, and no other, repeats the secret.',
    rules: ['security/no-secret-echo'],
    bend: () =>
      onRefusal('1001', ({ payload }, call) => ({
        payload: { ...payload, received: [{ secret: field(call, 'x-secret-key') }] },
      })),
  },
  {
    name: 'secret-in-base64-inside-of-text',
    about: 'The error for a missing version repeats key and secret as basic credentials.',
    rules: ['security/no-secret-echo'],
    bend: () =>
      onRefusal('1003', ({ payload }, call) => ({
        payload: { ...payload, trace: basic(field(call, 'x-api-key'), field(call, 'x-secret-key')) },
      })),
  },
]

/** Answers from an endpoint other than the requested one. */
const elsewhere: readonly Fault[] = [
  {
    name: 'known-path-found-behind-unknown-one',
    about: 'Every path that ends with that of the list below /api is that of the list.',
    rules: ['versioning/unknown-endpoint'],
    bend: () => ({
      see: (call) => (call.path.endsWith(listPath.slice('/api'.length)) ? { ...call, path: listPath } : call),
    }),
  },
  {
    name: 'unknown-endpoint-falls-through-to-start-page',
    about: 'An unknown path is answered 200 with the page of a web application.',
    rules: ['versioning/unknown-endpoint', 'conventions/json-response'],
    bend: () =>
      onAnswer(({ refusal }, { path }) => refusal === '1010' && path !== listPath, page(200, 'Welcome')),
  },
  {
    name: 'no-customer-served-from-second-request-on',
    about: 'Credentials without a customer are refused once, and served from then on.',
    rules: [
      'authentication/customer-not-found',
      'authentication/not-cached',
      'authentication/isolated-under-concurrency',
    ],
    bend: () => {
      let refused = 0
      return {
        answer(answer, call) {
          if (answer.refusal !== '1012') return answer
          refused += 1
          return refused > 1 ? list(call.query) : answer
        },
      }
    },
  },
]

/** Bodies with faults that are easily overlooked. */
export const bodyFaults: readonly Fault[] = [...unparsable, ...misshapen, ...echoes, ...elsewhere]

function basic(name = '', password = ''): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
}
