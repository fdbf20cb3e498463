import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Response } from '../http/exchange.ts'
import { type Request } from '../http/request.ts'
import { isServed } from '../judge/answered.ts'
import { type Finding } from '../judge/record.ts'
import { exchange, served } from '../judge/testing/exchanges.ts'
import { read, settingsOf, target } from '../settings/testing/read.ts'
import type { SpecRuleId } from '../specification/rules.ts'
import type { Verdict, VerdictRule } from '../verdict/verdict.ts'
import { suiteContext } from './plan/suite-context.ts'
import { judge } from './run.ts'
import {
  areasOf,
  drawnRules,
  drawnSuites,
  placesIn,
  requestsOf,
  services,
  type DrawnSuite,
} from './testing/drawn-suites.ts'
import { FakeTransport } from './testing/fake-connection.ts'

const settings = settingsOf(
  await read({
    ...target,
    FIXTURE_SECOND_API_KEY: 'key-of-the-second-93bd',
    FIXTURE_SECOND_SECRET_KEY: 'secret-of-the-second-71ce',
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
