import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { Response } from '../../http/exchange.ts'
import { fieldsOf, valueOf, type Request } from '../../http/request.ts'
import { traceIdOf } from '../../http/trace.ts'
import { openTransport } from '../../http/transport.ts'
import { fingerprintOf, type Finding } from '../../judge/record.ts'
import { answer, exchange, refused, served } from '../../judge/testing/exchanges.ts'
import { redactorFor } from '../../redact/redact.ts'
import { read, settingsOf, target } from '../../settings/testing/read.ts'
import type { SpecRuleId } from '../../specification/rules.ts'
import type { Verdict, VerdictRule } from '../../verdict/verdict.ts'
import { redactorOf } from '../plan/redactor-of.ts'
import { suiteContext } from '../plan/suite-context.ts'
import { areasOf } from '../testing/drawn-areas.ts'
import {
  askedIn,
  caseName,
  drawnRules,
  drawnSuites,
  requestsOf,
  type Asked,
  type DrawnCase,
  type DrawnSuite,
} from '../testing/drawn-suites.ts'
import { FakeTransport, type Received } from '../testing/fake-transport.ts'
import { judge } from './run.ts'

vi.mock('../../http/transport.ts', { spy: true })
vi.mock('../plan/redactor-of.ts', { spy: true })
// Half of the time would go into hiding the credentials.
vi.mocked(redactorOf).mockReturnValue(redactorFor([]))

const settings = settingsOf(
  await read({
    ...target,
    FIXTURE_SECOND_API_KEY: 'key-of-the-second-93bd',
    FIXTURE_SECOND_SECRET_KEY: 'secret-of-the-second-71ce',
    RUN_TRACE: 'true',
  }),
)
const context = suiteContext(settings, 'card-switch-conformance/0.1.0')
const requests = requestsOf(context).map(({ request }) => request)

/** What decides an answer: not the trace, which names the case. */
function keyFacts({ method, target: path, fields }: Request): string {
  const sent = fields.filter(({ name }) => name.startsWith('x-')).map((one) => [one.name, valueOf(one)])
  return JSON.stringify([method, path, sent])
}

/** The first place of each request, by its key facts. */
const places = new Map(requests.map((one, place) => [keyFacts(one), place] as const).toReversed())

function placeOf(request: Request): number {
  const place = places.get(keyFacts(request))
  if (place === undefined) throw new RangeError(`nothing was drawn that sends ${keyFacts(request)}`)
  return place
}

const [keyMissing, versionMissing] = [refused(400, '1001'), refused(400, '1003')]
/** The documented answers to the requests, by place; those with equal bytes have the first one's. */
const right = [served, served, keyMissing, keyMissing, refused(401, '1006'), versionMissing, served]
const wrong: readonly Response[] = [
  served,
  keyMissing,
  refused(401, '1001'),
  refused(429, '1020'),
  refused(500, '1006'),
  answer(404, '<html>', { fields: [['Content-Type', 'text/html']] }),
  answer(500, { oops: true }),
  answer(200, { error_code: '1001', error_message: 'no' }),
]
/** A quota that runs out would end everything else, and is none of the sharing. */
const wrongToPlain = wrong.filter(({ status }) => status !== 429)

/** An answer to each request: the documented one (null), or another. */
const aService = fc
  .tuple(
    ...right.map((_, place) =>
      fc.option(fc.constantFrom(...(place < 2 ? wrongToPlain : wrong)), { freq: place < 2 ? 1 : 2 }),
    ),
  )
  .map((drawn) => drawn.map((one, place) => one ?? right[place] ?? served))

/** How a run goes that must not matter. */
const aRun = fc.record({
  maxRequests: fc.constantFrom(400, 1_000, 5_000),
  concurrency: fc.constantFrom(1, 2, 8),
  /** Turns that answers take, one after the other. */
  delays: fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 5 }),
})

interface Judging {
  readonly suite: DrawnSuite
  readonly sending: readonly SpecRuleId[]
  readonly how: typeof aRun extends fc.Arbitrary<infer How> ? How : never
  readonly respond: (received: Received) => Response
}

interface Judged {
  readonly verdict: Verdict
  readonly sent: readonly Received[]
}

async function judged({ suite, sending, how, respond }: Judging): Promise<Judged> {
  const { delays, ...more } = how
  const transport = new FakeTransport((received) => {
    const response = respond(received)
    const turns = delays[received.index % delays.length] ?? 0
    return Array.from({ length: turns }).reduce<Promise<Response>>(
      (later) => later.then((same) => same),
      Promise.resolve(response),
    )
  })
  vi.mocked(openTransport).mockReturnValueOnce(transport)
  const run = { ...settings.run, ...more, maxRps: null }
  const { verdict } = await judge({ ...settings, run }, areasOf(suite, sending))
  expect(verdict.exitCode, verdict.because.join()).not.toBe(4)
  return { verdict, sent: transport.sent }
}

function ruleIn({ verdict }: Judged, id: string): VerdictRule {
  const rule = verdict.rules.find((one) => one.id === id)
  if (rule === undefined) throw new RangeError(id)
  return rule
}

function fingerprintsIn(run: Judged, id: string): readonly string[] {
  return ruleIn(run, id)
    .findings.map(({ fingerprint }) => fingerprint)
    .toSorted()
}

describe('for a service whose answer follows from the request alone', () => {
  const drawn = fc.record({ suite: drawnSuites, service: aService, how: aRun, howAlone: fc.option(aRun) })

  /** Fingerprints that rules which send side by side report; lone scenarios leave them to those. */
  const leftToOthers = (suite: DrawnSuite, all: Judged, id: SpecRuleId): ReadonlySet<string> => {
    const phaseOf = new Map(drawnRules(suite).map((one) => [one.id, one.phase]))
    const isLone = ['alone', 'last'].includes(phaseOf.get(id) ?? '')
    const others = [...phaseOf.keys()].filter((other) => phaseOf.get(other) === 'together')
    const explaining: readonly string[] = isLone ? [...others, 'endpoints/list-succeeds'] : []
    return new Set(explaining.flatMap((other) => fingerprintsIn(all, other)))
  }

  it('each rule comes out as if it had sent alone, with fewer requests in all; counts and samples may differ, and lone scenarios leave to others what those report', async () => {
    await fc.assert(
      fc.asyncProperty(drawn, async ({ suite, service, how, howAlone }) => {
        const respond = ({ request }: Received): Response => service[placeOf(request)] ?? served
        const sending = drawnRules(suite).map(({ id }) => id)
        const all = await judged({ suite, sending, how, respond })
        const alone = new Map<string, Judged>()
        for (const id of sending)
          alone.set(id, await judged({ suite, sending: [id], how: howAlone ?? how, respond }))

        for (const { id, status, because, follows } of all.verdict.rules) {
          const left = sending.find((one) => one === id)
          const others = left === undefined ? new Set<string>() : leftToOthers(suite, all, left)
          const told = fingerprintsIn(all, id)
          const own = [...new Set([...alone.values()].flatMap((run) => fingerprintsIn(run, id)))].toSorted()
          const isExpected = (one: string): boolean => told.includes(one) || !others.has(one)
          expect({ id, told }).toEqual({ id, told: own.filter(isExpected) })

          const byItself = alone.get(id)
          if (byItself === undefined || fingerprintsIn(byItself, id).length !== told.length) continue
          const { status: statusAlone, because: becauseAlone, follows: followsAlone } = ruleIn(byItself, id)
          expect({ id, status, because, follows }).toEqual({
            id,
            status: statusAlone,
            because: becauseAlone,
            follows: followsAlone,
          })
        }
        // How many are in flight decides which breaches are alike, and confirmed once.
        if (howAlone !== null) return
        const sentAlone = [...alone.values()].reduce((sum, { sent }) => sum + sent.length, 0)
        expect(all.sent.length).toBeLessThanOrEqual(sentAlone)
      }),
      { numRuns: 100 },
    )
  })
})

describe('for any other service', () => {
  const turn = fc.array(fc.nat({ max: 2 }), { minLength: right.length, maxLength: right.length })
  /** What is answered in each of three states, and which state comes next, by the place of the request. */
  const machine = fc.array(fc.record({ service: aService, next: turn }), { minLength: 3, maxLength: 3 })
  const drawn = fc.record({ suite: drawnSuites, machine, how: aRun })

  it('a breach is told after the rule sent the request by itself, and never for an answer that another rule got in a scenario', async () => {
    await fc.assert(
      fc.asyncProperty(drawn, async ({ suite, machine: states, how }) => {
        const cases = casesOf(suite)
        const answered: Answered[] = []
        let state = 0
        const respond = ({ request }: Received): Response => {
          const place = placeOf(request)
          // The plain request has the same answer in every state, or else the run ends soon.
          const response = states[place === 0 ? 0 : state]?.service[place] ?? served
          const trace = fieldsOf(request, 'traceparent').join()
          const sentFor = cases.find(({ traceId }) => trace.includes(traceId)) ?? null
          answered.push({ place, response, sentFor })
          state = states[state]?.next[place] ?? 0
          return response
        }
        const sending = drawnRules(suite).map(({ id }) => id)
        const all = await judged({ suite, sending, how, respond })

        for (const id of sending) {
          const own = cases.filter(({ blames }) => blames.includes(id))
          const isOwn = ({ sentFor }: Answered): boolean => sentFor !== null && own.includes(sentFor)
          // What differs from another answer shows in none alone.
          for (const finding of ruleIn(all, id).findings.filter(({ allowed }) => allowed.length > 0)) {
            const showing = answered.filter((one) => own.some((asking) => shows(one, asking, finding)))
            const byItself = showing.filter(({ place }) =>
              answered.some((one) => one.place === place && isOwn(one)),
            )
            const scenes = own.map(({ scene }) => scene).filter((scene) => scene !== null)
            const isFit = (one: Answered): boolean =>
              isOwn(one) ||
              one.sentFor?.isScenario === false ||
              scenes.some((scene) => scene === one.sentFor?.scene)
            expect(byItself.filter(isFit), `${finding.case}: ${finding.summary}`).not.toEqual([])
          }
        }
      }),
      { numRuns: 100 },
    )
  })
})

/** A request that was sent, and its answer. */
interface Answered {
  readonly place: number
  readonly response: Response
  /** Null for a request of no case. */
  readonly sentFor: CaseOf | null
}

/** A case, and what it asks. */
interface CaseOf {
  readonly traceId: string
  readonly asks: readonly Asked[]
  readonly isScenario: boolean
  readonly scene: number | null
  /** The rules whose breach it may show. */
  readonly blames: readonly SpecRuleId[]
}

function casesOf(suite: DrawnSuite): readonly CaseOf[] {
  return drawnRules(suite).flatMap(({ id, phase, cases }) =>
    cases.map((one, place) => {
      const accuses = one.kind === 'example' && one.accuses && phase === 'together'
      return {
        traceId: traceIdOf(`${id}:${settings.run.seed}:${caseName(place)}`),
        asks: asksOf(one, suite),
        isScenario: one.kind === 'scenario' || one.kind === 'scene',
        scene: one.kind === 'scene' ? one.scene : null,
        blames: accuses ? [id, 'authentication/no-bypass'] : [id],
      }
    }),
  )
}

function asksOf(one: DrawnCase, { scenes }: DrawnSuite): readonly Asked[] {
  if (one.kind === 'scene') return scenes[one.scene]?.flat() ?? []
  if (one.kind !== 'scenario') return [one]
  // What must have been served is held against that alone.
  return one.steps.map((step) => (step.way === 'served before' ? { ...step, check: 0 } : step))
}

/** Whether an answer shows what was found, to a case that asks for the request. */
function shows(
  { place, response }: Answered,
  { asks }: CaseOf,
  { fingerprint }: Pick<Finding, 'fingerprint'>,
): boolean {
  return asks.some((one) => {
    const { request, check } = askedIn(one, context)
    if (placeOf(request.request) !== place) return false
    const judgement = check.judge(exchange(response, request.request))
    if (judgement.kind !== 'violates') return false
    return fingerprintOf(request.traits.endpoint, judgement.breach) === fingerprint
  })
}
