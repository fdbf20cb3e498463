import type { Bend } from '../../../lib/serve/reference/bend.ts'
import { becomes, everyNth, failure, onAnswer, onSuccess } from '../../../lib/serve/reference/bending.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { breaking, shipped } from './breaking.ts'
import { placeOnConnection } from './on-connection.ts'

const listSucceeds = breaking('endpoints/list-succeeds')
const listUndocumented = breaking('endpoints/list-succeeds', 'errors/documented-pairs')

/** Valid requests for the list that do not succeed. */
export const listEndpointFaults: readonly Fault[] = [
  shipped('list-fails-every-ninth-time'),
  listSucceeds('list-invalid-input-every-ninth-time', 'Every ninth list is answered 400 and 1030.', () =>
    everyNth(9, becomes('1030')),
  ),
  shipped('list-quota-exceeded-every-seventh-time'),
  shipped('list-is-an-error-object'),
  shipped('list-without-content'),
  shipped('list-redirects'),
  listUndocumented('list-under-404', 'The list comes with the status 404.', () => onSuccess({ status: 404 })),
  listSucceeds(
    'list-fails-for-second-client',
    'The second client, which is permitted, is answered 401 and 1013.',
    () => onAnswer(({ refusal, client }) => refusal === null && client?.name === 'second', becomes('1013')),
  ),
  listUndocumented(
    'list-fails-late-on-connection',
    'From the fourth request of a connection on, the list is answered 500.',
    () => {
      const placeOf = placeOnConnection()
      return onAnswer((answer, call) => placeOf(call) >= 4 && answer.refusal === null, failure(500))
    },
  ),
  breaking('endpoints/list-succeeds', 'authentication/isolated-under-concurrency')(
    'refusal-repeated-on-connection',
    'The success right after an error on the same connection is replaced by that error.',
    () => {
      const before = new WeakMap<object, Parameters<NonNullable<Bend['answer']>>[0]>()
      return {
        answer(answer, { connection }) {
          const last = before.get(connection)
          before.set(connection, answer)
          return answer.refusal === null && last !== undefined && last.refusal !== null ? last : answer
        },
      }
    },
  ),
]
