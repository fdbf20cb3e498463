import fc from 'fast-check'
import type { Response } from '../../http/exchange.ts'
import { valueOf, type Request } from '../../http/request.ts'
import { answer, refused, served } from '../../judge/testing/exchanges.ts'

/** The answers to the requests of drawn suites, by place; those with equal bytes have the first one's. */
export type Service = readonly Response[]

/** What the specification demands. */
const right: Service = [
  served,
  served,
  refused(400, '1001'),
  refused(401, '1006'),
  refused(400, '1003'),
  // A request without credentials, which a run may begin with.
  refused(400, '1001'),
]

const wrong: readonly Response[] = [
  served,
  refused(400, '1001'),
  refused(401, '1001'),
  refused(429, '1020'),
  refused(500, '1006'),
  answer(404, '<html>', { fields: [['Content-Type', 'text/html']] }),
  answer(500, { oops: true }),
  answer(200, { error_code: '1001', error_message: 'no' }),
]
/** A quota that runs out would end everything else. */
const wrongToPlain = wrong.filter(({ status }) => status !== 429)

/** A service whose answer follows from the request alone; mostly it serves plain requests. */
export const services: fc.Arbitrary<Service> = fc.tuple(
  ...right.map((documented, place) =>
    place < 2
      ? fc.oneof({ weight: 6, arbitrary: fc.constant(documented) }, fc.constantFrom(...wrongToPlain))
      : fc.oneof(fc.constant(documented), fc.constantFrom(...wrong)),
  ),
)

/** A service with states; one that answers otherwise on connections that are not of the pool; one that does when a request first comes. */
type Unsteady =
  | { readonly kind: 'by state'; readonly states: readonly State[] }
  | { readonly kind: 'by connection' | 'by count'; readonly service: Service }

interface State {
  readonly service: Service
  /** The next state, by the place of the request. */
  readonly next: readonly number[]
}

const next = fc.array(fc.nat({ max: 2 }), { minLength: right.length, maxLength: right.length })

/** Services whose answers depend on more than the request. */
export const unsteadyServices: fc.Arbitrary<Unsteady> = fc.oneof(
  fc.record({
    kind: fc.constant('by state'),
    states: fc.array(fc.record({ service: services, next }), { minLength: 3, maxLength: 3 }),
  }),
  fc.record({ kind: fc.constantFrom('by connection', 'by count'), service: services }),
)

/** Answers to requests by their place, on a connection (0 for the pool), as such a service gives them; always the same one to the plain request, or the run would end soon. */
export function answering(given: Unsteady): (place: number, connection: number) => Response {
  const seen = new Set<number>()
  let state = 0
  return (place, connection) => {
    if (given.kind === 'by state') {
      const { service } = given.states[place === 0 ? 0 : state] ?? { service: right }
      state = given.states[state]?.next[place] ?? 0
      return service[place] ?? served
    }
    const isOdd = given.kind === 'by connection' ? connection > 0 : !seen.has(place)
    seen.add(place)
    return (isOdd && place > 0 ? given.service : right)[place] ?? served
  }
}

/** The place of a request among these, by what decides the answer; the last one of a service for any other. */
export function placesIn(requests: readonly Request[]): (request: Request) => number {
  const places = new Map(requests.map((one, place) => [keyFacts(one), place] as const).toReversed())
  return (request) => places.get(keyFacts(request)) ?? right.length - 1
}

/** Not the trace, which names the case. */
function keyFacts({ method, target, fields }: Request): string {
  const sent = fields.filter(({ name }) => name.startsWith('x-')).map((one) => [one.name, valueOf(one)])
  return JSON.stringify([method, target, sent])
}
