import fc from 'fast-check'
import { answers, answersOneOf, neverSucceeds, succeeds, type Check } from '../../judge/judge.ts'
import { runWideRules, type Phase, type SpecRuleId } from '../../specification/rules.ts'
import type { Example } from '../plan/cases.ts'
import type { SuiteContext } from '../plan/suite-context.ts'
import type { TestRequest } from '../plan/test-request.ts'

/** A request and a check, by their places in {@link requestsOf} and {@link checks}; -1 means the documented answers to the request. */
export interface Asked {
  readonly request: number
  readonly check: number
}

const ways = ['sent', 'on its own connection', 'known', 'served before', 'same as known'] as const

/** A request of a scenario, and how it gets the answer. */
export interface DrawnStep extends Asked {
  readonly way: (typeof ways)[number]
}

/** A case of a drawn suite; `last` is the number of final steps that judge a scene. */
export type DrawnCase =
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
export interface DrawnRule {
  readonly phase: Phase
  readonly cases: readonly DrawnCase[]
}

/** A small suite, and the scenes that its rules may judge. */
export interface DrawnSuite {
  readonly rules: readonly DrawnRule[]
  readonly scenes: readonly (readonly (readonly DrawnSceneStep[])[])[]
}

/** A request of a scene. */
export interface DrawnSceneStep extends Asked {
  readonly connection: string | null
  readonly fallback: boolean
}

/** The rules that send, each in its drawn phase; others may report a breach of the first. */
export const sendingRules = [
  'authentication/no-bypass',
  'authentication/api-key-missing',
  'authentication/not-cached',
  'quota/per-client',
] as const satisfies readonly SpecRuleId[]

/** The rules that judge every answer; here they send nothing. */
export const silentRules: readonly SpecRuleId[] = [
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
export function caseName(place: number): string {
  return `case.${place}`
}

/** A request and its check in a drawn suite. */
export function askedIn(
  { request, check }: Asked,
  context: SuiteContext,
): Pick<Example, 'request' | 'check'> {
  const sent = at(requestsOf(context), request)
  return { request: sent, check: check === -1 ? answersOneOf(context.documented(sent)) : at(checks, check) }
}

/** The item at a place; throws RangeError if nothing is there. */
export function at<One>(all: readonly One[], place: number): One {
  const one = all[place]
  if (one === undefined) throw new RangeError(`nothing at ${place}`)
  return one
}
