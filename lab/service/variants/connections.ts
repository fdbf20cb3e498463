import type { Outgoing } from '../../../lib/serve/reference/answer.ts'
import { whole } from '../../../lib/serve/reference/deliver.ts'
import { bare, page } from '../../../lib/serve/reference/gateway.ts'
import type { Manner } from '../../../lib/serve/reference/manner.ts'
import type { Variant } from '../../../lib/serve/reference/variant.ts'
import { closingAfter, closingUnannounced } from '../deliveries/spelled.ts'
import { shipped } from './shipped.ts'

/** The duration of connections and answers, and network trouble outside of the service. */
export const connectionVariants: readonly Variant[] = [
  habit('closing-after-each', 'The connection is closed after every answer, which says so.', () => ({
    deliver: closingAfter,
  })),
  habit(
    'closing-after-two',
    'The connection is closed after two answers, the second of which says so.',
    () => ({ server: { maxRequestsPerSocket: 2 } }),
  ),
  habit('closing-unannounced', 'The connection is closed after every third answer, without a word.', () => ({
    deliver: closingUnannounced(3),
  })),
  habit('closing-after-5-ms', 'Connections that lie idle for 5 ms are closed.', () => ({
    server: { keepAliveTimeout: 5 },
  })),
  shipped('slow-answers'),
  habit('slow-now-and-then', 'One answer in 40 takes 700 ms.', () => {
    let count = 0
    return {
      delayMs: () => {
        count += 1
        return count % 40 === 0 ? 700 : 0
      },
    }
  }),
  habit(
    'gateway-in-trouble-now-and-then',
    'One request in 60 is answered 503 by the gateway, with a page.',
    () => ({
      gateway: { answers: everyNth(60, () => page(503, 'Service Unavailable', { 'retry-after': '0' })) },
    }),
  ),
  habit(
    'busy-beyond-sixteen-at-once',
    'Of more than sixteen requests at once, one is answered 503 with a page and the next 429 with a text.',
    busyBeyond(16),
  ),
  habit('connections-reset-now-and-then', 'One request in 70 meets a reset connection.', () => ({
    gateway: { answers: everyNth(70, () => ({ ...bare(500), delivery: 'reset' })) },
  })),
]

function habit(name: string, about: string, manner: () => Manner): Variant {
  return { name, about, manner }
}

/** Serves this many requests concurrently, 10 ms each. */
function busyBeyond(most: number): () => Manner {
  return () => {
    let [inFlight, refused] = [0, 0]
    const refusal = (): Outgoing => {
      refused += 1
      return refused % 2 === 0
        ? { status: 429, fields: ['content-type', 'text/plain'], body: 'too many requests' }
        : { status: 503, fields: ['content-type', 'text/html'], body: '<h1>Service Unavailable</h1>' }
    }
    return {
      deliver: (outgoing, response) => {
        inFlight += 1
        const isBusy = inFlight > most
        setTimeout(() => {
          inFlight -= 1
          whole(isBusy ? refusal() : outgoing, response)
        }, 10)
      },
    }
  }
}

function everyNth<T>(nth: number, make: () => T): () => T | null {
  let count = 0
  return () => {
    count += 1
    return count % nth === 0 ? make() : null
  }
}
