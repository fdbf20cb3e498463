import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Exchange, type Request, valueOf } from '../http/exchange.ts'
import { isServed } from '../judge/answered.ts'
import { answers, answersOneOf, neverSucceeds, sameOutcome, succeeds, type Check } from '../judge/judge.ts'
import type { Finding } from '../judge/record.ts'
import { answer, exchange, refused, served } from '../judge/testing/exchanges.ts'
import { ruleOf, runWideRules, type Phase, type SpecRuleId } from '../specification/rules.ts'
import type { VerdictRule } from '../verdict/verdict.ts'
import { area, example, inScene, rule, scenario } from './plan/cases.ts'
import type { Area, Case, Example, JudgedExchange, Scenario, Scene, SuiteRule } from './plan/cases.ts'
import { judge } from './run.ts'
import { unclear } from './testing/answers.ts'
import { contextOf, fixtures } from './testing/contexts.ts'
import { fakeTransport } from './testing/in-memory.ts'

const context = await contextOf(fixtures('SECOND'))
const { settings } = context

const plain = context.list.request
const wrongKey = plain.with('x-api-key', 'ak_wrong_0000000000')
const flawed = [plain.without('x-api-key'), wrongKey, plain.without('x-version')]
const alike = [wrongKey.trait({ observed: true }), wrongKey.trait({ transportMayRefuse: true })]
/** Overlapping requests: the last ones have the bytes of another, but run-wide rules judge them differently. */
const requests = [plain, ...context.list.of('second'), ...flawed, ...alike]
const keyIsMissing = { status: 400, errorCode: '1001' } as const
const success = succeeds()
const judgeUnlessBusy: Check['judge'] = (one) => (one.response.status === 500 ? unclear : success).judge(one)
const unlessBusy: Check = { ...success, judge: judgeUnlessBusy }
const checks: readonly Check[] = [
  success,
  answers(keyIsMissing),
  answersOneOf([keyIsMissing, { status: 401, errorCode: '1006' }]),
  neverSucceeds([keyIsMissing]),
  unlessBusy,
]

const aCheck = fc.oneof({ weight: 2, arbitrary: fc.constant(-1) }, fc.nat({ max: checks.length - 1 }))
/** A request and a check, by their places; -1 means the documented answers to the request. */
const asked = { request: fc.constantFrom(0, 1, 2, 3, 3, 4, 5, 6), check: aCheck }
const upTo = (maxLength: number) => ({ minLength: 1, maxLength, size: 'max' }) as const
const seldom = fc.constantFrom(false, false, false, true)
const anExample = fc.record({ kind: fc.constant('example'), ...asked, again: seldom, accuses: seldom })
/** Judges the last steps of a scene. */
const last = fc.integer({ min: 1, max: 4 })
const ofAScene = fc.record({ kind: fc.constant('scene'), scene: fc.nat({ max: 1 }), last })
/** How a request of a scenario gets its answer. */
const ways = ['sent', 'on its own connection', 'known', 'served before', 'same as known'] as const
const aStep = fc.record({ ...asked, way: fc.constantFrom(...ways) })
const aScenario = fc.record({ kind: fc.constant('scenario'), steps: fc.array(aStep, upTo(3)) })
const paired = fc.option(asked.request, { nil: null, freq: 1 })
/** The rule's next case is a simpler one if it `shrinks`. */
const aGenerated = fc.record({ ...asked, alone: seldom, before: paired, shrinks: fc.boolean() })
const aListed = fc.oneof({ weight: 3, arbitrary: anExample }, { weight: 2, arbitrary: aScenario }, ofAScene)
const none = fc.constant([])
const [someListed, someDrawn] = [fc.array(aListed, upTo(5)), fc.array(aGenerated, upTo(5))]
/** A rule with listed cases or only generated ones. */
const ruleIn = (phase: fc.Arbitrary<Phase>) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ phase, listed: someListed, drawn: none }) },
    { weight: 1, arbitrary: fc.record({ phase, listed: none, drawn: someDrawn }) },
  )
const lonePhase = fc.constantFrom<Phase>('alone', 'quota', 'last', 'summary')
const anyPhase = fc.oneof(fc.constant<Phase>('together'), lonePhase)
const onSome = fc.constantFrom(null, 'same', 'another')
const aSceneStep = fc.record({ ...asked, connection: onSome, fallback: fc.boolean() })
const aScene = fc.array(fc.array(aSceneStep, upTo(2)), upTo(3))
/** Suites whose rules send the same few requests in all ways and phases. The first rule is in `together`. */
const suites = fc.record({
  rules: fc
    .tuple(ruleIn(fc.constant('together')), fc.array(ruleIn(anyPhase), upTo(3)))
    .map(([first, others]) => [first, ...others]),
  scenes: fc.tuple(aScene, aScene),
})

type Drawn<Of> = Of extends fc.Arbitrary<infer One> ? One : never
type Suite = Drawn<typeof suites>

const [bypass, keyMissing] = ['authentication/no-bypass', 'authentication/api-key-missing'] as const
/** The rules that send, each in its drawn phase; others may report a breach of the first. */
const sendingRules = [bypass, keyMissing, 'authentication/not-cached', 'quota/per-client'] as const
/** The rules that judge every answer; here they send nothing. */
const silentRules = [...runWideRules, 'endpoints/list-succeeds', 'tolerance/added-properties'] as const

/** The item at a place; throws RangeError if nothing is there. */
function at<One>(all: readonly One[], place: number): One {
  const one = all[place]
  if (one === undefined) throw new RangeError(`nothing at ${place}`)
  return one
}

function askedOf(one: Readonly<Record<'request' | 'check', number>>): Pick<Example, 'request' | 'check'> {
  const request = at(requests, one.request)
  const check = one.check === -1 ? answersOneOf(context.documented(request)) : at(checks, one.check)
  return { request, check }
}

/** The areas of a drawn suite, in which only the `sending` rules have cases. */
function areasOf(suite: Suite, sending: readonly SpecRuleId[]): readonly Area[] {
  const scenes = suite.scenes.map((groups): Scene =>
    groups.map((group) =>
      group.map(({ connection, fallback, ...one }) => {
        const own = { ...askedOf(one), ...(connection === null ? {} : { connection }) }
        return fallback ? { ...own, fallback: plain } : own
      }),
    ),
  )
  const rules = rulesOf(suite).map(({ id, phase, listed, drawn }): SuiteRule => {
    const caseOf = (one: Drawn<typeof aListed>, place: number): Case => {
      const name = `case.${place}`
      if (one.kind === 'scenario') return scenarioOf(one.steps, name)
      if (one.kind === 'scene') {
        const scene = at(scenes, one.scene)
        return inScene(name, scene, scene.flat().slice(-one.last))
      }
      const { request, check } = askedOf(one)
      const accusing = one.accuses && phase === 'together' ? { brokenIfServed: sendingRules[0] } : {}
      return { ...example(name, request, check), ...(one.again ? { again: true } : {}), ...accusing }
    }
    const generated = drawn.map((_, place) => generatedAt(drawn, place))
    const isSent = sending.includes(id)
    const work: SuiteRule['work'] = () =>
      isSent && drawn.length > 0
        ? { size: drawn.length, requests: 0, cases: () => generated }
        : listed.filter(() => isSent).map(caseOf)
    return { id, entry: { ...ruleOf(id), phase }, work }
  })
  return [area('Drawn', [...rules, ...silentRules.map((id) => rule(id, () => []))])]
}

/** The rules of a suite that send. */
const rulesOf = ({ rules }: Suite) => rules.map((one, place) => ({ ...one, id: at(sendingRules, place) }))

function generatedAt(drawn: readonly Drawn<typeof aGenerated>[], place: number): Example {
  const { alone, before, shrinks, ...one } = at(drawn, place)
  const { request, check } = askedOf(one)
  const same = (met: Exchange): Check => ({ allowed: [], judge: (other) => sameOutcome(met, other) })
  const afterPair = (met: Exchange | null) => (met === null ? check : same(met))
  const pairOf = (other: number) => ({ request: at(requests, other), check: afterPair })
  return {
    ...example(`case.${place}`, request, check),
    ...(before === null ? {} : { pair: pairOf(before) }),
    ...(before === null && !alone ? {} : { again: true }),
    says: `request ${one.request}`,
    ...(alone ? { alone } : {}),
    simpler: () => (shrinks && place + 1 < drawn.length ? [generatedAt(drawn, place + 1)] : []),
  }
}

function scenarioOf(drawn: readonly Drawn<typeof aStep>[], name: string): Scenario {
  const steps = drawn.map((one) => ({ ...askedOf(one), way: one.way }))
  const isSent = (way: string): boolean => way === 'sent' || way === 'on its own connection'
  const provides = steps.filter(({ way }) => isSent(way)).map(({ request }) => request)
  const wants = steps.filter(({ way }) => !isSent(way)).map(({ request }) => request)
  const count = steps.length + steps.filter(({ way }) => way === 'same as known').length
  const play: Scenario['play'] = async (stage) => {
    const met: JudgedExchange[] = []
    for (const { way, request, check } of steps) {
      if (way === 'sent') met.push(await stage.judge(request, check))
      else if (way === 'on its own connection')
        met.push(await stage.judge(request, check, stage.connection()))
      else if (way === 'known') met.push(await stage.judgeKnown(request, check))
      else if (way === 'served before') met.push(await stage.servedKnown(request))
      else {
        const known = await stage.known(request)
        const sent = await stage.send(request)
        met.push({ request, exchange: sent, judgement: sameOutcome(known, sent) })
      }
    }
    return met
  }
  return scenario(name, count, play, { provides, wants })
}

/** What the specification demands of each request, and last of a request without credentials, which a run may begin with. */
const noKey = refused(400, '1001')
const right = [served, served, noKey, refused(401, '1006'), refused(400, '1003'), noKey] as const
const page = answer(404, '<html>', { fields: [['Content-Type', 'text/html']] })
const odd = [page, answer(500, { oops: true }), answer(200, { error_code: '1001', error_message: 'no' })]
const wrong = [served, noKey, refused(401, '1001'), refused(429, '1020'), refused(500, '1006'), ...odd]
/** A used-up quota would end the run. */
const wrongToPlain = wrong.filter(({ status }) => status !== 429)

/** The answers of stateless services by the place of the request; most serve plain requests. */
const services = fc.tuple(
  ...right.map((documented, place) => {
    const others = fc.constantFrom(...(place < 2 ? wrongToPlain : wrong))
    return fc.oneof({ weight: place < 2 ? 6 : 1, arbitrary: fc.constant(documented) }, others)
  }),
)

/** The parts of a request that decide the answer; the trace does not, because it names the case. */
function keyFacts({ method, target: path, fields }: Request): string {
  const sent = fields.filter(({ name }) => name.startsWith('x-')).map((one) => [one.name, valueOf(one)])
  return JSON.stringify([method, path, sent])
}
const places = new Map(requests.map((one, place) => [keyFacts(one.request), place] as const).toReversed())

/** Settings of a run that must not affect its results; successive answers take so many turns of the event loop. */
const hows = fc.record({
  maxRequests: fc.constantFrom(400, 1_000, 5_000),
  concurrency: fc.constantFrom(1, 2, 8),
  delays: fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 5 }),
})

type Judged = Awaited<ReturnType<typeof judged>>

/** Judges with cases only for the `sending` rules. */
async function judged({ suite, service, how }: Drawn<typeof drawn>, sending: readonly SpecRuleId[]) {
  const { delays, ...settingsOfRun } = how
  let sent = 0
  const transport = fakeTransport(async (request) => {
    const turns = delays[sent++ % delays.length] ?? 0
    for (let turn = 0; turn <= turns; turn += 1) await Promise.resolve()
    return service[places.get(keyFacts(request)) ?? right.length - 1] ?? served
  })
  const run = { ...settings.run, ...settingsOfRun, maxRps: null }
  const { verdict } = await judge({ ...settings, run }, areasOf(suite, sending), { transport })
  expect(verdict.exitCode, verdict.because.join()).not.toBe(4)
  return { verdict, sent }
}

const ruleNamed = ({ verdict }: Judged, id: string): VerdictRule =>
  verdict.rules.find((one) => one.id === id) ?? expect.fail(id)

function fingerprintsOf(run: Judged, id: string, isMeant?: (one: Finding) => boolean): readonly string[] {
  const meant = ruleNamed(run, id).findings.filter((one) => isMeant?.(one) ?? true)
  return meant.map(({ fingerprint }) => fingerprint).toSorted()
}

/** Status and reasons, compared if the rule has the same findings in both runs. */
function outcomeIn(run: Judged, id: string): Pick<VerdictRule, 'status' | 'because' | 'follows'> {
  const { status, because, follows } = ruleNamed(run, id)
  return { status, because, ...(follows === undefined ? {} : { follows }) }
}

/** Findings that a lone scenario leaves to rules of the phase `together`, which report them. */
function leftToOthers(suite: Suite, all: Judged, id: string): ReadonlySet<string> {
  const rules = rulesOf(suite)
  const phase = rules.find((one) => one.id === id)?.phase
  if (phase !== 'alone' && phase !== 'last') return new Set()
  const others = rules.filter((one) => one.phase === 'together').map((one) => one.id)
  return new Set([...others, 'endpoints/list-succeeds'].flatMap((other) => fingerprintsOf(all, other)))
}

const drawn = fc.record({ suite: suites, service: services, how: hows, howAlone: fc.option(hows) })

// Counts and samples may differ. Lone scenarios leave to other rules what those report.
it('for a stateless service, each rule has the same result as without sharing, for no more requests', async () => {
  const property = fc.asyncProperty(drawn, async (playing) => {
    const { suite, service, how, howAlone } = playing
    const sending = rulesOf(suite).map(({ id }) => id)
    const all = await judged(playing, sending)
    const alone: (Judged & { readonly of: string })[] = []
    for (const id of sending)
      alone.push({ of: id, ...(await judged({ ...playing, how: howAlone ?? how }, [id])) })

    // If plain requests fail, a missing success is reported or inconclusive, depending on the requests in flight.
    const servesPlain = isServed(exchange(service[0] ?? served))
    const isTold = ({ allowed }: Finding) => servesPlain || allowed.some((one) => one.errorCode !== null)
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
  })
  await fc.assert(property)
})
