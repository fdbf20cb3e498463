import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Response } from '../http/exchange.ts'
import { fieldsOf, type Request } from '../http/request.ts'
import { traceIdOf } from '../http/trace.ts'
import { isServed } from '../judge/answered.ts'
import { fingerprintOf, type Finding } from '../judge/record.ts'
import { exchange, served } from '../judge/testing/exchanges.ts'
import { read, settingsOf, target } from '../settings/testing/read.ts'
import type { Phase, SpecRuleId } from '../specification/rules.ts'
import type { Verdict, VerdictRule } from '../verdict/verdict.ts'
import { suiteContext } from './plan/suite-context.ts'
import { judge } from './run.ts'
import { areasOf } from './testing/drawn-areas.ts'
import { answering, placesIn, services, unsteadyServices } from './testing/drawn-services.ts'
import {
  askedIn,
  caseName,
  drawnRules,
  drawnSuites,
  requestsOf,
  type Asked,
  type DrawnCase,
  type DrawnSuite,
} from './testing/drawn-suites.ts'
import { FakeTransport } from './testing/fake-connection.ts'

const settings = settingsOf(
  await read({
    ...target,
    FIXTURE_SECOND_API_KEY: 'key-of-the-second-93bd',
    FIXTURE_SECOND_SECRET_KEY: 'secret-of-the-second-71ce',
    RUN_TRACE: 'true',
  }),
)
const context = suiteContext(settings, 'card-switch-conformance/1.0.0')
const placeOf = placesIn(requestsOf(context).map(({ request }) => request))

/** Settings of a run that must not affect its results. */
interface How {
  readonly maxRequests: number
  readonly concurrency: number
  /** Turns of the event loop that successive answers take. */
  readonly delays: readonly number[]
}

const hows: fc.Arbitrary<How> = fc.record({
  maxRequests: fc.constantFrom(400, 1_000, 5_000),
  concurrency: fc.constantFrom(1, 2, 8),
  delays: fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 5 }),
})

interface Judging {
  readonly suite: DrawnSuite
  /** The rules that have cases. */
  readonly sending: readonly SpecRuleId[]
  readonly how: How
  readonly respond: (request: Request, connection: number) => Response
}

interface Judged {
  readonly verdict: Verdict
  readonly sent: number
}

async function judged({ suite, sending, how, respond }: Judging): Promise<Judged> {
  const { delays, ...more } = how
  let sent = 0
  const transport = new FakeTransport((request, connection) => {
    const response = Promise.resolve(respond(request, connection))
    const turns = Array.from({ length: delays[sent++ % delays.length] ?? 0 })
    return turns.reduce<Promise<Response>>((later) => later.then((same) => same), response)
  })
  const run = { ...settings.run, ...more, maxRps: null }
  const { verdict } = await judge({ ...settings, run }, areasOf(suite, sending), { transport })
  expect(verdict.exitCode, verdict.because.join()).not.toBe(4)
  return { verdict, sent }
}

function ruleOf({ verdict }: Judged, id: string): VerdictRule {
  const rule = verdict.rules.find((one) => one.id === id)
  if (rule === undefined) throw new RangeError(id)
  return rule
}

function fingerprintsOf(
  run: Judged,
  id: string,
  isMeant: (one: Finding) => boolean = () => true,
): readonly string[] {
  const fingerprints = ruleOf(run, id)
    .findings.filter(isMeant)
    .map(({ fingerprint }) => fingerprint)
  return fingerprints.toSorted()
}

/** Status and reasons, compared if the rule has the same findings in both runs. */
function outcomeIn(run: Judged, id: string): Pick<VerdictRule, 'status' | 'because' | 'follows'> {
  const { status, because, follows } = ruleOf(run, id)
  return { status, because, ...(follows === undefined ? {} : { follows }) }
}

/** Findings that a lone scenario leaves to rules of the phase `together`, which report them. */
function leftToOthers(suite: DrawnSuite, all: Judged, id: string): ReadonlySet<string> {
  const rules = drawnRules(suite)
  const phase = rules.find((one) => one.id === id)?.phase
  if (phase !== 'alone' && phase !== 'last') return new Set()
  const others = rules.filter((one) => one.phase === 'together').map((one) => one.id)
  return new Set([...others, 'endpoints/list-succeeds'].flatMap((other) => fingerprintsOf(all, other)))
}

describe('for a stateless service', () => {
  const drawn = fc.record({ suite: drawnSuites, service: services, how: hows, howAlone: fc.option(hows) })

  // Counts and samples may differ. Lone scenarios leave to other rules what those report.
  it('each rule has the same result as without sharing, and no more requests are sent in total', async () => {
    await fc.assert(
      fc.asyncProperty(drawn, async ({ suite, service, how, howAlone }) => {
        const respond = (request: Request): Response => service[placeOf(request)] ?? served
        const sending = drawnRules(suite).map(({ id }) => id)
        const all = await judged({ suite, sending, how, respond })
        const alone: (Judged & { readonly of: string })[] = []
        for (const id of sending) {
          const byItself = { suite, sending: [id], how: howAlone ?? how, respond }
          alone.push({ of: id, ...(await judged(byItself)) })
        }

        const [plain = served] = service
        // If plain requests fail, a missing success is reported or inconclusive, depending on the requests in flight.
        const isTold = ({ allowed }: Finding): boolean =>
          isServed(exchange(plain)) || allowed.some(({ errorCode }) => errorCode !== null)
        for (const { id } of all.verdict.rules) {
          const told = fingerprintsOf(all, id, isTold)
          const left = leftToOthers(suite, all, id)
          const found = new Set(alone.flatMap((run) => fingerprintsOf(run, id, isTold)))
          const expected = [...found].filter((one) => told.includes(one) || !left.has(one)).toSorted()
          expect({ id, told }).toEqual({ id, told: expected })

          for (const run of alone.filter(({ of }) => of === id)) {
            if (fingerprintsOf(run, id).join() !== fingerprintsOf(all, id).join()) continue
            expect({ id, ...outcomeIn(all, id) }).toEqual({ id, ...outcomeIn(run, id) })
          }
        }
        // The number in flight decides which breaches count as alike and are confirmed once.
        if (howAlone !== null) return
        expect(all.sent).toBeLessThanOrEqual(alone.reduce((sum, { sent }) => sum + sent, 0))
      }),
    )
  })
})

describe('for a service with inconsistent answers', () => {
  const drawn = fc.record({ suite: drawnSuites, service: unsteadyServices, how: hows })

  it('a rule reports a breach only after sending the request itself, never from a scenario of another rule', async () => {
    await fc.assert(
      fc.asyncProperty(drawn, async ({ suite, service, how }) => {
        const cases = casesOf(suite)
        const answered: Answered[] = []
        const answerTo = answering(service)
        const respond = (request: Request, connection: number): Response => {
          const place = placeOf(request)
          const response = answerTo(place, connection)
          const trace = fieldsOf(request, 'traceparent').join()
          const sentFor = cases.find(({ traceId }) => trace.includes(traceId)) ?? null
          answered.push({ place, response, sentFor })
          return response
        }
        const sending = drawnRules(suite).map(({ id }) => id)
        const all = await judged({ suite, sending, how, respond })

        for (const id of sending) {
          const own = cases.filter(({ blames }) => blames.includes(id))
          // A difference between two answers does not show in one alone.
          for (const finding of ruleOf(all, id).findings.filter(({ allowed }) => allowed.length > 0)) {
            const asking = own.filter((one) => answered.some((met) => shows(met, one, finding)))
            const isFit = ({ place, response, sentFor }: Answered): boolean =>
              asking.some((one) => shows({ place, response }, one, finding) && mayTellOf(sentFor, one, own))
            const showing = new Set(answered.filter(isFit).map(({ place }) => place))
            const byItself = answered.filter(
              ({ place, sentFor }) => showing.has(place) && sentFor !== null && own.includes(sentFor),
            )
            expect(byItself, `${finding.case}: ${finding.summary}`).not.toEqual([])
          }
        }
      }),
    )
  })
})

/** A request that was sent, and its answer. */
interface Answered {
  readonly place: number
  readonly response: Response
  /** Null if the request belongs to no case. */
  readonly sentFor: CaseOf | null
}

/** A case and its requests. */
interface CaseOf {
  readonly traceId: string
  readonly asks: readonly Asked[]
  readonly isScenario: boolean
  /** Whether it takes the answers of other cases. */
  readonly shares: boolean
  readonly scene: number | null
  /** The rules whose breach it may show. */
  readonly blames: readonly SpecRuleId[]
}

/** Whether a case may report an answer sent for this one: for its own rules, in the same scene, or shared outside a scenario. */
function mayTellOf(sentFor: CaseOf | null, asking: CaseOf, own: readonly CaseOf[]): boolean {
  if (sentFor === null) return false
  if (own.includes(sentFor) || (asking.scene !== null && asking.scene === sentFor.scene)) return true
  return asking.shares && !sentFor.isScenario
}

function casesOf(suite: DrawnSuite): readonly CaseOf[] {
  return drawnRules(suite).flatMap(({ id, phase, cases }) =>
    cases.map((one, place) => {
      const accuses = one.kind === 'example' && one.accuses && phase === 'together'
      return {
        traceId: traceIdOf(`${id}:${settings.run.seed}:${caseName(place)}`),
        asks: asksOf(one, suite),
        isScenario: one.kind === 'scenario' || one.kind === 'scene',
        shares: sharesIn(phase, one),
        scene: one.kind === 'scene' ? one.scene : null,
        blames: accuses ? [id, 'authentication/no-bypass'] : [id],
      }
    }),
  )
}

function asksOf(one: DrawnCase, { scenes }: DrawnSuite): readonly Asked[] {
  if (one.kind === 'scene') return scenes[one.scene]?.flat() ?? []
  if (one.kind !== 'scenario') return [one]
  // A request that must have been served is judged only by that.
  return one.steps.map((step) => (step.way === 'served before' ? { ...step, check: 0 } : step))
}

function sharesIn(phase: Phase, one: DrawnCase): boolean {
  if (one.kind === 'example') return !one.again && (phase === 'together' || phase === 'summary')
  if (one.kind === 'generated') return !one.alone && one.before === null
  return one.kind === 'scenario' && one.steps.some(({ way }) => way === 'known' || way === 'served before')
}

/** Whether an answer shows the finding to a case with that request. */
function shows(
  { place, response }: Pick<Answered, 'place' | 'response'>,
  { asks }: CaseOf,
  { fingerprint }: Finding,
): boolean {
  return asks.some((one) => {
    const { request, check } = askedIn(one, context)
    if (placeOf(request.request) !== place) return false
    const judgement = check.judge(exchange(response, request.request))
    if (judgement.kind !== 'violates') return false
    return fingerprintOf(request.traits.endpoint, judgement.breach) === fingerprint
  })
}
