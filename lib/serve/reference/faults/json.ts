import { bodyOf } from '../answer.ts'
import { every, onAnswer, onAnyRefusal, onRefusal, onSuccess, page } from './bending.ts'
import type { Fault } from './fault.ts'

/** Bodies that are not JSON. */
const bodies: readonly Fault[] = [
  {
    name: 'success-is-a-page',
    about: 'The list is a page that is labelled JSON.',
    rules: ['conventions/json-response'],
    bend: () => onSuccess({ ...page(200, 'Customizations'), contentType: 'application/json' }),
  },
  {
    name: 'success-with-trailing-comma',
    about: 'The list has a comma before its last brace.',
    rules: ['conventions/json-response'],
    bend: () => onSuccess((answer) => ({ text: bodyOf(answer).replace(/\}$/, ',}') })),
  },
  {
    name: 'success-as-a-script',
    about: 'The list is wrapped in a function call.',
    rules: ['conventions/json-response'],
    bend: () => onSuccess((answer) => ({ text: `callback(${bodyOf(answer)})` })),
  },
  {
    name: 'success-body-short',
    about: 'The last character of the list is missing, and its length says so.',
    rules: ['conventions/json-response'],
    bend: () => onSuccess((answer) => ({ text: bodyOf(answer).slice(0, -1) })),
  },
  {
    name: 'success-now-and-then-sent-twice',
    about: 'Every seventh list has the document in its body twice.',
    rules: ['conventions/json-response'],
    bend: () => {
      const isTime = every(7)
      return onAnswer(
        ({ refusal }) => refusal === null && isTime(),
        (answer) => ({ text: bodyOf(answer).repeat(2) }),
      )
    },
  },
  {
    name: 'errors-in-plain-text',
    about: 'Errors are sentences that are labelled JSON.',
    rules: ['conventions/json-response'],
    bend: () => onAnyRefusal(({ payload }) => ({ text: `Error: ${String(payload['error_message'])}` })),
  },
  {
    name: 'invalid-secret-key-body-empty',
    about: 'An invalid secret is answered 401 with an empty body.',
    rules: ['conventions/json-response', 'errors/body-shape'],
    bend: () => onRefusal('1007', { text: '' }),
  },
  {
    name: 'missing-version-in-xml',
    about: 'A missing version is answered in XML.',
    rules: ['conventions/json-response'],
    bend: () =>
      onRefusal('1003', { text: '<error><code>1003</code></error>', contentType: 'application/xml' }),
  },
]

/** Bodies that are JSON and are labelled something else. */
const labels: readonly Fault[] = [
  {
    name: 'success-labelled-html',
    about: 'The list is labelled text/html.',
    rules: ['conventions/json-content-type'],
    bend: () => onSuccess({ contentType: 'text/html; charset=utf-8' }),
  },
  {
    name: 'success-labelled-json-lines',
    about: 'The list is labelled application/jsonl, which only begins like JSON.',
    rules: ['conventions/json-content-type'],
    bend: () => onSuccess({ contentType: 'application/jsonl' }),
  },
  {
    name: 'errors-labelled-text',
    about: 'Errors are labelled text/plain.',
    rules: ['conventions/json-content-type'],
    bend: () => onAnyRefusal({ contentType: 'text/plain' }),
  },
  {
    name: 'unknown-endpoint-unlabelled',
    about: 'The error for an unknown endpoint has no content type.',
    rules: ['conventions/json-content-type'],
    bend: () => onRefusal('1010', { contentType: null }),
  },
  {
    name: 'no-customer-labelled-text-json',
    about: 'The error for credentials without a customer is labelled text/json.',
    rules: ['conventions/json-content-type'],
    bend: () => onRefusal('1012', { contentType: 'text/json' }),
  },
]

/** Bodies that are not JSON, or not labelled so. */
export const jsonFaults: readonly Fault[] = [...bodies, ...labels]
