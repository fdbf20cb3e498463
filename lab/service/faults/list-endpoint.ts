import type { Bend } from '../../../lib/serve/reference/bend.ts'
import { becomes, everyNth, failure, onAnswer, onSuccess } from '../../../lib/serve/reference/bending.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { placeOnConnection } from './on-connection.ts'
import { shipped } from './shipped.ts'

/** Valid requests for the list that do not succeed. */
export const listEndpointFaults: readonly Fault[] = [
  shipped('list-fails-every-ninth-time'),
  {
    name: 'list-invalid-input-every-ninth-time',
    about: 'Every ninth list is answered 400 and 1030.',
    rules: ['endpoints/list-succeeds'],
    bend: () => everyNth(9, becomes('1030')),
  },
  shipped('list-quota-exceeded-every-seventh-time'),
  shipped('list-is-an-error-object'),
  shipped('list-without-content'),
  shipped('list-redirects'),
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
