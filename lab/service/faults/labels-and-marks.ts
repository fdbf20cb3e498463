import { bodyOf } from '../../../lib/serve/reference/answer.ts'
import { every, onAnswer, onAnyRefusal, onRefusal, onSuccess } from '../../../lib/serve/reference/bending.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'

const byteOrderMark = '\uFEFF'

/** Answers that some parsers accept and others do not. */
export const labelAndMarkFaults: readonly Fault[] = [
  {
    name: 'success-behind-a-byte-order-mark',
    about: 'A byte order mark stands before the list.',
    rules: ['conventions/json-response'],
    implied: true,
    bend: () => onSuccess((answer) => ({ text: `${byteOrderMark}${bodyOf(answer)}` })),
  },
  {
    name: 'inactive-endpoint-behind-a-byte-order-mark',
    about: 'A byte order mark stands before the error for an inactive endpoint.',
    rules: ['conventions/json-response'],
    implied: true,
    bend: () => onRefusal('1011', (answer) => ({ text: `${byteOrderMark}${bodyOf(answer)}` })),
  },
  {
    name: 'invalid-api-key-with-two-codes',
    about: 'The error for an invalid API key begins with an error_code of another error; its own follows.',
    rules: ['errors/body-shape'],
    implied: true,
    bend: () =>
      onRefusal('1006', (answer) => ({ text: bodyOf(answer).replace('{', '{"error_code":"1001",') })),
  },
  {
    name: 'success-labelled-json-and-html',
    about: 'The list has two labels: JSON and HTML.',
    rules: ['conventions/json-content-type'],
    bend: () => onSuccess({ headers: { 'Content-Type': 'text/html; charset=utf-8' } }),
  },
  {
    name: 'errors-labelled-json-in-two-charsets',
    about: 'Errors have two labels, which name different charsets.',
    rules: ['conventions/json-content-type'],
    bend: () => onAnyRefusal({ headers: { 'Content-Type': 'application/json; charset=iso-8859-1' } }),
  },
  {
    name: 'success-now-and-then-labelled-with-a-list',
    about: 'Every sixth list has one label that names two types.',
    rules: ['conventions/json-content-type'],
    bend: () => {
      const isTime = every(6)
      return onAnswer(({ refusal }) => refusal === null && isTime(), {
        contentType: 'application/json, text/html',
      })
    },
  },
]
