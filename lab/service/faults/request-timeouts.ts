import type { Answer } from '../../../lib/serve/reference/answer.ts'
import { onAnswer, onRefusal, page } from '../../../lib/serve/reference/bending.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { placeOnConnection } from './on-connection.ts'

/** A page with 408, after which the connection is closed. */
const timedOut: Partial<Answer> = { ...page(408, 'Request Timeout'), headers: { connection: 'close' } }

/** Requests that are wrongly called too slow. */
export const requestTimeoutFaults: readonly Fault[] = [
  {
    name: 'new-connections-called-too-slow-now-and-then',
    about: 'The first request of every third connection is answered 408 with a page.',
    rules: ['errors/documented-pairs', 'errors/body-shape'],
    bend: () => {
      const placeOf = placeOnConnection()
      let connections = 0
      return onAnswer((_answer, call) => {
        if (placeOf(call) !== 1) return false
        connections += 1
        return connections % 3 === 0
      }, timedOut)
    },
  },
  {
    name: 'invalid-secret-key-called-too-slow',
    about: 'An invalid secret is answered 408 with a page, on every connection.',
    rules: ['authentication/secret-key-invalid'],
    bend: () => onRefusal('1007', timedOut),
  },
  {
    name: 'request-timeout-with-a-documented-code',
    about: 'A missing key is answered 408 with the documented error object.',
    rules: ['authentication/api-key-missing', 'errors/documented-pairs'],
    bend: () => onRefusal('1001', { status: 408 }),
  },
]
