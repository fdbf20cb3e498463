import { becomes, failure, onAnswer, onRefusal } from '../../../lib/serve/reference/bending.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { isValidQuery } from '../../../lib/serve/reference/list.ts'
import { shipped } from './shipped.ts'

/** Wrong answers to invalid parameters. */
export const inputFaults: readonly Fault[] = [
  {
    name: 'invalid-parameters-ignored',
    about: 'Invalid parameters are ignored and the list is served.',
    rules: ['input/invalid-parameters'],
    bend: () => ({
      see: (call) => (isValidQuery(call.query) ? call : { ...call, query: '' }),
    }),
  },
  {
    name: 'invalid-parameters-fail',
    about: 'Invalid parameters are answered 500.',
    rules: ['input/invalid-parameters', 'errors/documented-pairs'],
    bend: () => onRefusal('1030', failure(500)),
  },
  shipped('invalid-parameters-unprocessable'),
  {
    name: 'invalid-parameters-endpoint-not-found',
    about: 'Invalid parameters are answered 400 and 1010.',
    rules: ['input/invalid-parameters'],
    bend: () => onRefusal('1030', becomes('1010')),
  },
  {
    name: 'invalid-parameters-problem-details',
    about: 'Invalid parameters are answered 400 with a problem object of RFC 9457.',
    rules: ['input/invalid-parameters', 'errors/body-shape'],
    bend: () =>
      onRefusal('1030', {
        contentType: 'application/problem+json',
        payload: { type: 'about:blank', title: 'Bad Request', status: 400, detail: 'limit is not a number' },
      }),
  },
  {
    name: 'invalid-parameters-need-no-credentials',
    about: 'Invalid parameters are looked at first, and make the list public.',
    rules: ['authentication/no-side-door', 'input/invalid-parameters'],
    bend: () =>
      onAnswer((_answer, call) => !isValidQuery(call.query), { refusal: null, status: 200, payload: {} }),
  },
]
