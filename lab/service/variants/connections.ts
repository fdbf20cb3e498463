import type { Answer, Outgoing } from '../../../lib/serve/reference/answer.ts'
import type { Call } from '../../../lib/serve/reference/call.ts'
import { whole } from '../../../lib/serve/reference/deliver.ts'
import { bare, page } from '../../../lib/serve/reference/gateway.ts'
import type { Manner } from '../../../lib/serve/reference/manner.ts'
import type { Variant } from '../../../lib/serve/reference/variant.ts'
import { lingering } from '../deliveries/by-hand.ts'
import { closingAfter, closingUnannounced } from '../deliveries/spelled.ts'
import { shipped } from './shipped.ts'

/** The duration of connections and answers, and how servers treat messages and idle connections. */
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
  // Servers that close an idle connection with 408 just as the next request arrives (RFC 9110, 15.5.9).
  idle(
    'idle-connections-given-up-with-408',
    'One request in 50 on a connection that was used before meets a page with 408, and the connection is closed.',
    () => page(408, 'Request Time-out', { connection: 'close' }),
  ),
  idle(
    'idle-connections-given-up-with-bare-408',
    'One request in 50 on a connection that was used before meets a bare 408, and the connection is closed.',
    () => ({ ...bare(408), headers: { connection: 'close' } }),
  ),
  // How honest servers and gateways treat the messages of a connection.
  {
    name: 'lingering-before-closing',
    about: 'A connection is closed one second after an answer to a request with close, as Envoy does.',
    manner: () => ({ deliver: lingering(1_000) }),
  },
  answering('pipelining-refused-bare', 'The second request of a segment is refused by the gateway.', () =>
    ofSecondInSegment(bare(400)),
  ),
  answering(
    'pipelining-closed',
    'The connection is closed where a second request comes before the answer to the first.',
    () => ofSecondInSegment({ ...bare(400), delivery: 'reset' }),
  ),
  answering('pipelining-unanswered', 'The second request of a segment is never answered.', () =>
    ofSecondInSegment({ ...bare(400), delivery: 'never' }),
  ),
  answering(
    'encoded-line-end-refused',
    'A path with an encoded line end is refused with a page.',
    () => (call) => (/%0[ad]/i.test(call.path) ? page(400, 'Bad Request') : null),
  ),
  answering(
    'encoded-line-end-redirected',
    'A path with an encoded line end is redirected, as it is.',
    () => (call) =>
      /%0[ad]/i.test(call.path) && !call.path.endsWith('/') ? bare(308, { location: `${call.path}/` }) : null,
  ),
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

function idle(name: string, about: string, refusal: () => Answer): Variant {
  return {
    name,
    about,
    manner: () => {
      const used = new WeakSet<object>()
      let requests = 0
      const answers = ({ connection }: Call): Answer | null => {
        if (!used.has(connection)) {
          used.add(connection)
          return null
        }
        requests += 1
        return requests % 50 === 0 ? refusal() : null
      }
      return { gateway: { answers } }
    },
  }
}

/** An answer to a request that arrives in the same segment as the previous one. */
function ofSecondInSegment(answer: Answer): (call: Call) => Answer | null {
  const inTurn = new WeakSet<object>()
  return ({ connection }) => {
    if (inTurn.has(connection)) return answer
    inTurn.add(connection)
    setImmediate(() => inTurn.delete(connection))
    return null
  }
}

function answering(
  name: string,
  about: string,
  answers: () => NonNullable<NonNullable<Manner['gateway']>['answers']>,
): Variant {
  return { name, about, manner: () => ({ gateway: { answers: answers() } }) }
}
