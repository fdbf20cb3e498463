import fc from 'fast-check'
import type { Response } from '../../http/exchange.ts'
import { valueOf, type Request } from '../../http/request.ts'
import { answer, refused, served } from '../../judge/testing/exchanges.ts'

/** The answers to the requests of drawn suites, by place; requests with equal bytes share the first one's. */
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
/** A used-up quota would end the run. */
const wrongToPlain = wrong.filter(({ status }) => status !== 429)

/** Stateless services, most of which serve plain requests. */
export const services: fc.Arbitrary<Service> = fc.tuple(
  ...right.map((documented, place) =>
    place < 2
      ? fc.oneof({ weight: 6, arbitrary: fc.constant(documented) }, fc.constantFrom(...wrongToPlain))
      : fc.oneof(fc.constant(documented), fc.constantFrom(...wrong)),
  ),
)

/** A service whose answers depend on its state, on the connection (from the pool or not), or on whether a request comes for the first time. */
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

/** Answers a request by its place and connection (0 for the pool). The plain request always gets the same answer, or the run would end early. */
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

/** The place of a request among these, by the parts that decide the answer; any other request gets the last place of a service. */
export function placesIn(requests: readonly Request[]): (request: Request) => number {
  const places = new Map(requests.map((one, place) => [keyFacts(one), place] as const).toReversed())
  return (request) => places.get(keyFacts(request)) ?? right.length - 1
}

/** The parts that decide the answer; the trace does not, because it names the case. */
function keyFacts({ method, target, fields }: Request): string {
  const sent = fields.filter(({ name }) => name.startsWith('x-')).map((one) => [one.name, valueOf(one)])
  return JSON.stringify([method, target, sent])
}
