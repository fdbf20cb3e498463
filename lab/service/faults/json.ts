import { bodyOf } from '../../../lib/serve/reference/answer.ts'
import { every, onAnswer, onRefusal, onSuccess } from '../../../lib/serve/reference/bending.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { shipped } from './shipped.ts'

/** Bodies that are not JSON. */
const bodies: readonly Fault[] = [
  shipped('success-is-a-page'),
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
  shipped('success-body-short'),
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
  shipped('errors-in-plain-text'),
  shipped('invalid-secret-key-body-empty'),
  {
    name: 'missing-version-in-xml',
    about: 'A missing version is answered in XML.',
    rules: ['conventions/json-response'],
    bend: () =>
      onRefusal('1003', { text: '<error><code>1003</code></error>', contentType: 'application/xml' }),
  },
]

/** Bodies that are JSON, but labelled as something else. */
const labels: readonly Fault[] = [
  shipped('success-labelled-html'),
  {
    name: 'success-labelled-json-lines',
    about: 'The list is labelled application/jsonl, which only begins like JSON.',
    rules: ['conventions/json-content-type'],
    bend: () => onSuccess({ contentType: 'application/jsonl' }),
  },
  shipped('errors-labelled-text'),
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

/** Bodies that are not JSON, or not labelled as JSON. */
export const jsonFaults: readonly Fault[] = [...bodies, ...labels]
