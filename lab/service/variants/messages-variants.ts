import type { Answer } from '../../../lib/serve/reference/answer.ts'
import type { Call } from '../../../lib/serve/reference/call.ts'
import { bare, page } from '../../../lib/serve/reference/gateway.ts'
import type { Manner } from '../../../lib/serve/reference/manner.ts'
import type { Variant } from '../../../lib/serve/reference/variant.ts'
import { lingering } from '../deliveries/by-hand.ts'

/** How honest servers and gateways treat the messages of a connection. */
export const messageVariants: readonly Variant[] = [
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
