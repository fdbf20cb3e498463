import fc from 'fast-check'
import type { Exchange, Response } from '../../http/exchange.ts'
import { type Request, valueOf } from '../../http/request.ts'
import { type Check, answers, answersOneOf, neverSucceeds, sameOutcome, succeeds } from '../../judge/judge.ts'
import { answer, refused, served } from '../../judge/testing/exchanges.ts'
import { type Phase, type SpecRuleId, ruleOf, runWideRules } from '../../specification/rules.ts'
import {
  type Area,
  type Case,
  type Example,
  type JudgedExchange,
  type Scenario,
  type Scene,
  type Step,
  type SuiteRule,
  type Work,
  example,
  inScene,
  scenario,
} from '../plan/cases.ts'
import { area, rule } from '../plan/rule.ts'
import type { SuiteContext } from '../plan/suite-context.ts'
import type { TestRequest } from '../plan/test-request.ts'

/** A request and a check, by their places in {@link requestsOf} and {@link checks}; -1 means the documented answers to the request. */
interface Asked {
  readonly request: number
  readonly check: number
}

const ways = ['sent', 'on its own connection', 'known', 'served before', 'same as known'] as const

/** A request of a scenario, and how it gets the answer. */
interface DrawnStep extends Asked {
  readonly way: (typeof ways)[number]
}

/** A case of a drawn suite; `last` is the number of final steps that judge a scene. */
type DrawnCase =
  | (Asked & { readonly kind: 'example'; readonly again: boolean; readonly accuses: boolean })
  | { readonly kind: 'scene'; readonly scene: number; readonly last: number }
  | { readonly kind: 'scenario'; readonly steps: readonly DrawnStep[] }
  | (Asked & {
      readonly kind: 'generated'
      readonly alone: boolean
      readonly before: number | null
      /** Whether the rule's next case is a simpler one. */
      readonly shrinks: boolean
    })

/** A rule of a drawn suite: listed cases or only generated ones. */
interface DrawnRule {
  readonly phase: Phase
  readonly cases: readonly DrawnCase[]
}

/** A small suite, and the scenes that its rules may judge. */
export interface DrawnSuite {
  readonly rules: readonly DrawnRule[]
  readonly scenes: readonly (readonly (readonly DrawnSceneStep[])[])[]
}

/** A request of a scene. */
interface DrawnSceneStep extends Asked {
  readonly connection: string | null
  readonly fallback: boolean
}

/** The rules that send, each in its drawn phase; others may report a breach of the first. */
const sendingRules = [
  'authentication/no-bypass',
  'authentication/api-key-missing',
  'authentication/not-cached',
  'quota/per-client',
] as const satisfies readonly SpecRuleId[]

/** The rules that judge every answer; here they send nothing. */
const silentRules: readonly SpecRuleId[] = [
  ...runWideRules,
  'endpoints/list-succeeds',
  'tolerance/added-properties',
]

/** Overlapping requests: the last ones have the bytes of another, but run-wide rules judge them differently. */
export function requestsOf({ list }: SuiteContext): readonly TestRequest[] {
  const { request } = list
  const others = list.of('second')
  const wrong = request.with('x-api-key', 'ak_wrong_0000000000')
  return [
    request,
    ...others,
    request.without('x-api-key'),
    wrong,
    request.without('x-version'),
    wrong.trait({ observed: true }),
    wrong.trait({ transportMayRefuse: true }),
  ]
}

const keyIsMissing = { status: 400, errorCode: '1001' } as const
const keyIsWrong = { status: 401, errorCode: '1006' } as const

const unlessBusy: Check = {
  allowed: succeeds().allowed,
  judge: (exchange) =>
    exchange.response.status === 500
      ? { kind: 'unclear', because: 'it is busy' }
      : succeeds().judge(exchange),
}

const checks: readonly Check[] = [
  succeeds(),
  answers(keyIsMissing),
  answersOneOf([keyIsMissing, keyIsWrong]),
  neverSucceeds([keyIsMissing]),
  unlessBusy,
]

const asked = {
  request: fc.constantFrom(0, 1, 2, 3, 3, 4, 5, 6),
  check: fc.oneof({ weight: 2, arbitrary: fc.constant(-1) }, fc.nat({ max: checks.length - 1 })),
}
const seldom = fc.constantFrom(false, false, false, true)
const anExample: fc.Arbitrary<DrawnCase> = fc.record({
  kind: fc.constant('example'),
  ...asked,
  again: seldom,
  accuses: seldom,
})
const ofAScene: fc.Arbitrary<DrawnCase> = fc.record({
  kind: fc.constant('scene'),
  scene: fc.nat({ max: 1 }),
  last: fc.integer({ min: 1, max: 4 }),
})
const aScenario: fc.Arbitrary<DrawnCase> = fc.record({
  kind: fc.constant('scenario'),
  steps: fc.array(fc.record({ ...asked, way: fc.constantFrom(...ways) }), { minLength: 1, maxLength: 3 }),
})
const aGenerated: fc.Arbitrary<DrawnCase> = fc.record({
  kind: fc.constant('generated'),
  ...asked,
  alone: seldom,
  before: fc.option(asked.request, { nil: null, freq: 1 }),
  shrinks: fc.boolean(),
})
const listed = fc.oneof(
  { weight: 3, arbitrary: anExample },
  { weight: 2, arbitrary: aScenario },
  { weight: 1, arbitrary: ofAScene },
)

function ruleIn(phase: fc.Arbitrary<Phase>): fc.Arbitrary<DrawnRule> {
  const cases = fc.oneof(
    { weight: 3, arbitrary: fc.array(listed, { minLength: 1, maxLength: 5, size: 'max' }) },
    { weight: 1, arbitrary: fc.array(aGenerated, { minLength: 1, maxLength: 5, size: 'max' }) },
  )
  return fc.record({ phase, cases })
}

const anyPhase = fc.constantFrom<Phase>(
  'together',
  'together',
  'together',
  'together',
  'alone',
  'quota',
  'last',
  'summary',
)
const sceneStep = fc.record({
  ...asked,
  connection: fc.constantFrom(null, 'same', 'another'),
  fallback: fc.boolean(),
})
const scene = fc.array(fc.array(sceneStep, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 3 })

/** Suites whose rules send the same few requests in all ways and phases. The first rule is in `together`. */
export const drawnSuites: fc.Arbitrary<DrawnSuite> = fc.record({
  rules: fc
    .tuple(
      ruleIn(fc.constant('together')),
      fc.array(ruleIn(anyPhase), { minLength: 1, maxLength: sendingRules.length - 1, size: 'max' }),
    )
    .map(([first, more]) => [first, ...more]),
  scenes: fc.array(scene, { minLength: 2, maxLength: 2 }),
})

/** The rules of a suite that send, with their drawn cases. */
export function drawnRules({ rules }: DrawnSuite): readonly (DrawnRule & { readonly id: SpecRuleId })[] {
  return rules.map((one, place) => ({ ...one, id: at(sendingRules, place) }))
}

/** The public name of a case, by its place in its rule. */
function caseName(place: number): string {
  return `case.${place}`
}

/** A request and its check in a drawn suite. */
function askedIn({ request, check }: Asked, context: SuiteContext): Pick<Example, 'request' | 'check'> {
  const sent = at(requestsOf(context), request)
  return { request: sent, check: check === -1 ? answersOneOf(context.documented(sent)) : at(checks, check) }
}

/** The item at a place; throws RangeError if nothing is there. */
function at<One>(all: readonly One[], place: number): One {
  const one = all[place]
  if (one === undefined) throw new RangeError(`nothing at ${place}`)
  return one
}

/** The areas of a drawn suite, in which only the `sending` rules have cases. */
export function areasOf(drawn: DrawnSuite, sending: readonly SpecRuleId[]): readonly Area[] {
  let made: Made | null = null
  const madeIn = (context: SuiteContext): Made => (made ??= new Made(drawn, context))
  const rules = drawnRules(drawn).map(({ id, phase, cases }): SuiteRule => {
    const work: SuiteRule['work'] = (context) =>
      madeIn(context).work({ phase, cases: sending.includes(id) ? cases : [] })
    return { id, entry: { ...ruleOf(id), phase }, work }
  })
  return [area('Drawn', [...rules, ...silentRules.map((id) => rule(id, () => []))])]
}

/** The cases of a drawn suite in one run. */
class Made {
  readonly #context: SuiteContext
  readonly #scenes: readonly Scene[]

  constructor({ scenes }: DrawnSuite, context: SuiteContext) {
    this.#context = context
    this.#scenes = scenes.map((groups) => groups.map((group) => group.map((step) => this.#step(step))))
  }

  work({ phase, cases }: DrawnRule): Work {
    const drawn = cases.flatMap((one, place) =>
      one.kind === 'generated' ? [this.#generated(cases, place)] : [],
    )
    if (drawn.length === 0)
      return { kind: 'cases', cases: cases.map((one, place) => this.#case(one, caseName(place), phase)) }
    const requests = drawn.reduce((sum, one) => sum + one.requests, 0)
    return { kind: 'generated', size: drawn.length, requests, cases: () => drawn }
  }

  #step({ connection, fallback, ...one }: DrawnSceneStep): Step {
    const plain = this.#context.list.request
    return {
      ...askedIn(one, this.#context),
      ...(connection === null ? {} : { connection }),
      ...(fallback ? { fallback: plain } : {}),
    }
  }

  #generated(cases: readonly DrawnCase[], place: number): Example {
    const one = at(cases, place)
    if (one.kind !== 'generated') throw new RangeError(`no generated case at ${place}`)
    const { request, check } = askedIn(one, this.#context)
    const { alone, before, shrinks } = one
    const paired = before === null ? null : at(requestsOf(this.#context), before)
    const afterPair = (met: Exchange | null): Check =>
      met === null ? check : { allowed: [], judge: (exchange) => sameOutcome(met, exchange) }
    return {
      ...example(caseName(place), request, check),
      ...(paired === null ? {} : { requests: 2, least: 2, pair: { request: paired, check: afterPair } }),
      again: true,
      says: `request ${one.request}`,
      ...(alone ? { alone } : {}),
      simpler: () => (shrinks && place + 1 < cases.length ? [this.#generated(cases, place + 1)] : []),
    }
  }

  #case(one: DrawnCase, name: string, phase: Phase): Case {
    if (one.kind === 'scenario') return this.#scenario(one.steps, name)
    if (one.kind === 'scene') {
      const judged = at(this.#scenes, one.scene)
      return inScene(name, judged, judged.flat().slice(-one.last))
    }
    const { request, check } = askedIn(one, this.#context)
    const { again = false, accuses = false } = one.kind === 'example' ? one : {}
    return {
      ...example(name, request, check),
      ...(again ? { again } : {}),
      ...(accuses && phase === 'together' ? { brokenIfServed: sendingRules[0] } : {}),
    }
  }

  #scenario(drawn: readonly DrawnStep[], name: string): Scenario {
    const steps = drawn.map((one) => ({ ...askedIn(one, this.#context), way: one.way }))
    const provides = steps.filter(({ way }) => isSent(way)).map(({ request }) => request)
    const wants = steps.filter(({ way }) => !isSent(way)).map(({ request }) => request)
    const requests = steps.length + steps.filter(({ way }) => way === 'same as known').length
    const play: Scenario['play'] = async (stage) => {
      const judged: JudgedExchange[] = []
      for (const { way, request, check } of steps) {
        if (way === 'sent') judged.push(await stage.judge(request, check))
        else if (way === 'on its own connection')
          judged.push(await stage.judge(request, check, stage.connection()))
        else if (way === 'known') judged.push(await stage.judgeKnown(request, check))
        else if (way === 'served before') judged.push(await stage.servedKnown(request))
        else {
          const known = await stage.known(request)
          const exchange = await stage.send(request)
          judged.push({ request, exchange, judgement: sameOutcome(known, exchange) })
        }
      }
      return judged
    }
    return scenario(name, requests, play, { provides, wants })
  }
}

/** Whether a step of a scenario always sends its request. */
function isSent(way: DrawnStep['way']): boolean {
  return way === 'sent' || way === 'on its own connection'
}

/** The answers to the requests of drawn suites, by place; requests with equal bytes share the first one's. */
type Service = readonly Response[]

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
