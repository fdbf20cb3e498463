import type { Answer } from '../../../lib/serve/reference/answer.ts'
import { onAnswer, onRefusal, page } from '../../../lib/serve/reference/bending.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { breaking } from './breaking.ts'
import { placeOnConnection } from './on-connection.ts'

/** A page with 408, after which the connection is closed. */
const timedOut: Partial<Answer> = { ...page(408, 'Request Timeout'), headers: { connection: 'close' } }

/** Requests that are wrongly called too slow. */
export const requestTimeoutFaults: readonly Fault[] = [
  breaking('errors/documented-pairs', 'errors/body-shape')(
    'new-connections-called-too-slow-now-and-then',
    'The first request of every third connection is answered 408 with a page.',
    () => {
      const placeOf = placeOnConnection()
      let connections = 0
      return onAnswer((_answer, call) => {
        if (placeOf(call) !== 1) return false
        connections += 1
        return connections % 3 === 0
      }, timedOut)
    },
  ),
  breaking('authentication/secret-key-invalid')(
    'invalid-secret-key-called-too-slow',
    'An invalid secret is answered 408 with a page, on every connection.',
    () => onRefusal('1007', timedOut),
  ),
]
