import { becomes, every, failure, onAnswer, onSuccess, placeOnConnection } from './bending.ts'
import type { Bend } from '../bend.ts'
import type { Change } from './bending.ts'
import type { Fault } from './fault.ts'

/** Valid requests for the list that do not succeed. */
export const listEndpointFaults: readonly Fault[] = [
  {
    name: 'list-fails-every-ninth-time',
    about: 'Every ninth list is answered 500.',
    rules: ['endpoints/list-succeeds', 'errors/documented-pairs'],
    bend: () => everyNth(9, failure(500)),
  },
  {
    name: 'list-invalid-input-every-ninth-time',
    about: 'Every ninth list is answered 400 and 1030.',
    rules: ['endpoints/list-succeeds'],
    bend: () => everyNth(9, becomes('1030')),
  },
  {
    name: 'list-quota-exceeded-every-seventh-time',
    about: 'Every seventh list is answered 429 and 1020 although there is quota left.',
    rules: ['endpoints/list-succeeds'],
    bend: () => everyNth(7, becomes('1020')),
  },
  {
    name: 'list-is-an-error-object',
    about: 'The list is answered 200 with a documented error object.',
    rules: ['endpoints/list-succeeds', 'errors/documented-pairs'],
    bend: () => onSuccess({ payload: { error_code: '1012', error_message: 'customer not found' } }),
  },
  {
    name: 'list-without-content',
    about: 'The list is answered 204.',
    rules: ['endpoints/list-succeeds', 'conventions/json-response'],
    bend: () => onSuccess({ status: 204, text: '' }),
  },
  {
    name: 'list-redirects',
    about: 'The list is answered 302.',
    rules: ['endpoints/list-succeeds', 'errors/documented-pairs'],
    bend: () => onSuccess({ status: 302, headers: { location: '/login' } }),
  },
  {
    name: 'list-under-404',
    about: 'The list comes with the status 404.',
    rules: ['endpoints/list-succeeds', 'errors/documented-pairs'],
    bend: () => onSuccess({ status: 404 }),
  },
  {
    name: 'list-fails-for-second-client',
    about: 'The second client, which is permitted, is answered 401 and 1013.',
    rules: ['endpoints/list-succeeds'],
    bend: () =>
      onAnswer(({ refusal, client }) => refusal === null && client?.name === 'second', becomes('1013')),
  },
  {
    name: 'list-fails-late-on-connection',
    about: 'From the fourth request of a connection on, the list is answered 500.',
    rules: ['endpoints/list-succeeds', 'errors/documented-pairs'],
    bend: () => {
      const placeOf = placeOnConnection()
      return onAnswer((answer, call) => placeOf(call) >= 4 && answer.refusal === null, failure(500))
    },
  },
  {
    name: 'refusal-repeated-on-connection',
    about: 'The success right after an error on the same connection is replaced by that error.',
    rules: ['endpoints/list-succeeds', 'authentication/isolated-under-concurrency'],
    bend: () => {
      const before = new WeakMap<object, Parameters<NonNullable<Bend['answer']>>[0]>()
      return {
        answer(answer, { connection }) {
          const last = before.get(connection)
          before.set(connection, answer)
          return answer.refusal === null && last !== undefined && last.refusal !== null ? last : answer
        },
      }
    },
  },
]

function everyNth(n: number, change: Change): Bend {
  const isTime = every(n)
  return onAnswer(({ refusal }) => refusal === null && isTime(), change)
}
