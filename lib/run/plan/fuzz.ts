import {
  bases,
  draw,
  drawNamed,
  schedule,
  type Base,
  type ClassesOf,
  type Drawn,
  type MutatedRequest,
} from '../../fuzz/case-class.ts'
import { caseClasses } from '../../fuzz/case-classes.ts'
import { everyCondition, isExcuse } from '../../fuzz/request-rows.ts'
import { headerSize, type Exchange, type Request } from '../../http/exchange.ts'
import { answeredBy, isSuccess, type Answered, describeAllowed } from '../../judge/answered.ts'
import { describeAnswered, endpointsFileDifferences } from '../../judge/answered.ts'
import { allowed, factsOf, readingsOf, unknownSegment } from '../../judge/facts.ts'
import {
  InvalidRule,
  answersOneOf,
  holds,
  neverSucceeds,
  sameOutcome,
  weakened,
  type Breach,
  type Check,
} from '../../judge/judge.ts'
import { orExcused, excuseNames } from '../../judge/judge.ts'
import type { Answer } from '../../specification/answers.ts'
import { flawRows } from '../../specification/flaws.ts'
import type { RuleId, SpecRuleId } from '../../specification/rules.ts'
import { membersNamed } from '../../text/members.ts'
import { costOf, declared, example, flawedRequests, wrongKey, wrongSecret } from './cases.ts'
import type { Example, OwnRule, Property, SuiteRule, Untestable } from './cases.ts'
import { TestRequest, oncePerEndpoint, oncePerRun } from './suite-context.ts'
import type { GeneratedChoice, JudgedEndpoint, SuiteContext } from './suite-context.ts'

/** Declares a rule with generated cases. Its classes are known in advance, and each case is drawn when it is sent. */
export function fuzzed(
  given: SpecRuleId | OwnRule,
  classesOf: ClassesOf,
  choice: GeneratedChoice = {},
): SuiteRule {
  const { id, entry } = declared(given)
  const classesIn: ClassesOf = (input) => {
    const classes = [...classesOf(input)]
    // A rule may be written without types, and anything else would be a rule without cases.
    const unfit = classes.find((one) => !('nth' in Object(one)))
    if (unfit !== undefined) throw new InvalidRule('a list of classes, made with caseClass()', unfit)
    return classes
  }
  return { id, entry, work: (context) => propertyOf(id, classesIn, context, choice) }
}

/** The generated cases of a rule, divided among the endpoints. */
export function propertyOf(
  id: RuleId,
  classesOf: ClassesOf,
  context: SuiteContext,
  choice: GeneratedChoice = {},
): Property | Untestable {
  const { replayed } = context
  const { fuzzCases } = context.settings.run
  if (replayed !== null) return replayOf(id, classesOf, context, replayed.case)
  if (fuzzCases === 0) return { untested: 'no generated cases were requested (RUN_FUZZ_CASES is 0)' }

  const places = seriesOf(id, classesOf, context, choice).flatMap((setting) =>
    Array.from(schedule(setting.classes, setting.more), (place) => ({ setting, place })),
  )
  return {
    size: places.length,
    requests: places.reduce((sum, { place }) => sum + (place.caseClass.requests ?? 1), 0),
    endpoints: [...new Set(places.map(({ setting }) => setting.endpoint.label))],
    refining: context.byProfile({ all: 120, gate: 40, because: 'each counts against a quota' }),
    conditions: everyCondition(generatorInputOf(context, context.list)).flatMap((one) =>
      isExcuse(one) ? [] : one.says,
    ),
    cases: function* cases() {
      for (const { setting, place } of places) yield generated(draw(place, context.seed, id), setting)
    },
  }
}

/** What the run draws from a rule's classes for each endpoint. */
function seriesOf(id: RuleId, classesOf: ClassesOf, context: SuiteContext, choice: GeneratedChoice = {}) {
  const { endpoints, list, settings } = context
  return context.shares(endpoints, settings.run.fuzzCases).map(({ endpoint, count }) => {
    const classes = classesOf(generatorInputOf(context, endpoint))
    const drawn = context.draws(classes, { ...choice, count, isList: endpoint === list })
    return { id, context, endpoint, ...drawn }
  })
}

/** Where a rule's cases go. */
type Setting = Pick<ReturnType<typeof seriesOf>[number], 'id' | 'context' | 'endpoint'>

const combinedFlaws = oncePerRun((context) => {
  const { replayed, selects, settings } = context
  const isSent = replayed === null && selects('fuzz/combined-flaws') && settings.run.fuzzCases > 0
  return isSent ? seriesOf('fuzz/combined-flaws', caseClasses['fuzz/combined-flaws'], context) : []
})

/** The row for a cell and an endpoint, by its index among rows with several flaws; null if the run sends none. */
export function cellRow(context: SuiteContext, endpoint: JudgedEndpoint, at: number) {
  const series = combinedFlaws(context).find((one) => one.endpoint === endpoint)
  const caseClass = series?.classes.find(({ name }) => name === 'conditions-of-cells')
  if (at === -1 || !series || !caseClass || (caseClass.always ?? 0) <= at) return null
  return generated(draw({ caseClass, nth: at }, context.seed, 'fuzz/combined-flaws'), series)
}

function replayOf(id: RuleId, classesOf: ClassesOf, context: SuiteContext, name: string) {
  const [drawnName = ''] = name.split('@')
  const endpoint = context.endpoints.find((one) => one.named(drawnName) === name)
  const classes = endpoint ? classesOf(generatorInputOf(context, endpoint)) : []
  const drawn = drawNamed(drawnName, classes, context.seed, id)
  if (!endpoint || !drawn) return { untested: `no case is called ${name}` }
  const one = { ...generated(drawn, { id, context, endpoint }), simpler: () => [] }
  return { size: 1, requests: costOf(one).requests, cases: () => [one] }
}

/** The generator's input for an endpoint. */
export function generatorInputOf(context: SuiteContext, endpoint: JudgedEndpoint) {
  const { path, query, version, described } = endpoint
  const { second, unsupportedVersion } = context.fixtures
  return {
    target: context.target,
    second,
    wrongKey: wrongKey(context),
    wrongSecret: wrongSecret(context),
    servedVersion: version,
    unsupportedVersion,
    path,
    query,
    described,
    furtherBases: [...basesOf(endpoint, context).keys()].filter((base) => !bases.includes(base)),
    endpoints: context.endpoints.length,
    seed: context.seed,
    pagesAreBreaches: context.byProfile({
      all: true,
      gate: false,
      because: 'frameworks send pages to browsers: a warning',
    }),
  }
}

/** The flawed requests that cases change, by flaw. */
const basesOf = oncePerEndpoint(
  (endpoint, context) =>
    new Map<Base, TestRequest>(flawedRequests(context, endpoint).map(({ name, request }) => [name, request])),
)

/** Makes a case from a drawn change. */
function generated({ name, mutated: drawn, simpler }: Drawn, setting: Setting): Example {
  const { endpoint, context } = setting
  const mutated = orOversized(drawn, setting)
  const { pairedRequest, connection, base = 'valid' } = mutated
  const unchanged = placed(mutated, name, setting)
  const request = changed(unchanged, mutated, mutated.apply)
  const check = checkAfter(mutated, request.request, context)
  const isAlone = mutated.toUnknownPath || connection !== undefined
  const flaw = phrases.get(base)
  return {
    ...example(endpoint.named(name), request, check(null)),
    ...membersNamed(mutated, ['observe']),
    ...((isAlone || pairedRequest) && { again: true }),
    ...(isAlone && { alone: true }),
    ...(pairedRequest && { pair: { request: changed(unchanged, mutated, pairedRequest.apply), check } }),
    says: flaw === undefined ? mutated.says : `${mutated.says}, ${flaw}`,
    lead: leadOf(mutated, setting),
    simpler: function* simplerCases() {
      for (const one of simpler()) yield generated(one, setting)
    },
  }
}

/** The flaw of each base, in words. */
const phrases = new Map<string | undefined, string>(flawRows.map(({ base, phrase }) => [base, phrase]))

/** The request sent before it on the same connection. */
function leadOf({ connection, base }: MutatedRequest, setting: Setting) {
  if (connection === undefined || connection === 'fresh') return undefined
  const refused = base === 'version-absent' ? 'version-unsupported' : 'version-absent'
  return baseOf({ base: connection === 'behind a success' ? 'valid' : refused }, setting)
}

/** The maximum total size of header lines that every common server accepts, in bytes. */
const commonHeaders = 6 * 1_024
/** The maximum size of a plain request's header lines for which no case exceeds {@link commonHeaders}, in bytes. */
const longHeaders = 1_024

/** Treats a case as oversized if long credentials push it over the limit of a common server. */
function orOversized(mutated: MutatedRequest, setting: Setting) {
  if (headerSize(setting.endpoint.request.request) <= longHeaders) return mutated
  if (headerSize(changed(baseOf(mutated, setting), mutated, mutated.apply).request) <= commonHeaders)
    return mutated
  return { ...mutated, toUnknownPath: true, transportMayRefuse: true }
}

/** The request to change. It goes to an unknown path if a cache might keep an error for the real path. */
function placed(mutated: MutatedRequest, name: string, setting: Setting) {
  const request = baseOf(mutated, setting)
  if (!mutated.toUnknownPath) return request
  const unknown = setting.context.unknownEndpoint(`${setting.id}:${name.replace(/:.*$/, '')}`)
  return request.to(unknown.request.target, unknown.traits.endpoint)
}

function baseOf({ base = 'valid' }: Pick<MutatedRequest, 'base'>, { endpoint, context }: Setting) {
  return basesOf(endpoint, context).get(base) ?? endpoint.request
}

function changed(base: TestRequest, mutated: MutatedRequest, apply: MutatedRequest['apply']) {
  const request = base.apply(apply)
  const { target } = request.request
  const isMoved = target !== base.request.target
  const isNowhere = isMoved && unknownSegment.test(target.split(/[/?]/)[2] ?? '')
  return request.trait({
    ...(isNowhere && { endpoint: 'an unknown path under /api/' }),
    observed: mutated.treatment !== 'oracle',
    described: mutated.described !== undefined,
    ...membersNamed(mutated, [...excuseNames, 'conditions', 'excused']),
    ...(mutated.conditions !== undefined && membersNamed(mutated, ['weakness'])),
  })
}

/** The check for a generated request after the answer to the paired request: null if there is none or its connection was closed. */
export function checkAfter(
  mutated: MutatedRequest,
  request: Request,
  { model, places }: Pick<SuiteContext, 'model' | 'places'>,
): (before: Exchange | null) => Check {
  const { treatment, transportMayRefuse } = mutated
  if (treatment === 'observed') return () => ({ allowed: [], judge: () => holds })
  // A service whose answers are barely valid HTTP reports invalid input.
  const byFacts =
    mutated.allowed ?? readingsOf(request).flatMap((reading) => allowed(factsOf(reading, model)))
  const further = [...(mutated.also ?? []), ...(transportMayRefuse ? [invalidInput] : [])]
  const all = [...byFacts, ...further]
  const documented = all.filter((answer, at) => all.findIndex((one) => isSame(one, answer)) === at)

  return (before) => {
    if (mutated.pairedRequest?.relation === 'same-outcome' && before !== null)
      return { allowed: [], judge: (exchange) => sameOutcome(before, exchange) }
    if (treatment === 'refused') return neverSucceeds(documented)

    const refusal = earlierRefusal(before, documented)
    const check = refusal === null ? answersOneOf(documented) : notPast(refusal, documented)
    const demanded = withBreach(check, (breach) => {
      const told = toldOfFile(breach, mutated.described)
      if (!isAccepted(breach)) return weakened(told, mutated.weakness)
      return mutated.mayBeStripped ? weakened(told, 'warning') : told
    })
    return orExcused(demanded, mutated, places)
  }
}

const invalidInput = { status: 400, errorCode: '1030' } as const
const unknownEndpoint = { status: 400, errorCode: '1010' } as const

const ofCredentials: ReadonlySet<string | null> = new Set(['1001', '1002', '1006', '1007'])

/** Whether a flawed request was accepted: either a complete success, or a 304 without the right credentials. */
function isAccepted({ allowed: documented, answered }: Breach) {
  if (answered === null || documented.some(({ errorCode }) => errorCode === null)) return false
  if (answered.status === 304) return documented.some(({ errorCode }) => ofCredentials.has(errorCode))
  return answered.status !== 206 && isSuccess(answered)
}

/** Changes the summary of a success or 1030 that contradicts a schema in the endpoints file, so that it names the file, which may be wrong. */
function toldOfFile(breach: Breach, described: MutatedRequest['described']) {
  const { answered, allowed: demanded } = breach
  if (!described || !answered || answered.flaw !== null) return breach
  const isRefused = isSame(invalidInput, answered)
  if (!isRefused && !isSuccess(answered)) return breach
  const { file, number, says } = described
  const told = isRefused ? 'which it allows' : `which it forbids (${describeAllowed(demanded)} is documented)`
  return {
    ...breach,
    difference: `${endpointsFileDifferences.input}: ${isRefused ? 'allowed and refused' : 'forbidden and served'}`,
    summary: `answered ${describeAnswered(answered)} to input of ${file} (entry ${number}: ${says}), ${told}, or the file is wrong`,
  }
}

/** The paired request's refusal for a flaw that is checked before the endpoint is looked up; otherwise null. */
function earlierRefusal(paired: Exchange | null, documented: readonly Answer[]) {
  if (paired === null) return null
  const answered = answeredBy(paired.response)
  const isEarlier = documented.some((one) => isSame(one, answered)) && !isSame(unknownEndpoint, answered)
  return isEarlier && answered.flaw === null ? answered : null
}

/** Allows these answers, except one that shows that the request passed the check that refused the paired request. */
function notPast(refusal: Answered, documented: readonly Answer[]): Check {
  const check = answersOneOf(documented.filter((one) => !isSame(one, unknownEndpoint)))
  return withBreach(check, (breach) => {
    if (breach.answered === null || !isSame(unknownEndpoint, breach.answered)) return breach
    const summary = `${breach.summary}; the same with an invented credential is answered ${describeAnswered(refusal)}`
    return { ...breach, summary, against: 'order' }
  })
}

function withBreach({ allowed: documented, judge }: Check, change: (breach: Breach) => Breach): Check {
  return {
    allowed: documented,
    judge: (exchange) => {
      const judgement = judge(exchange)
      return judgement.kind === 'violates' ? { ...judgement, breach: change(judgement.breach) } : judgement
    },
  }
}

function isSame(one: Answer, other: Answer | Answered) {
  return one.status === other.status && one.errorCode === other.errorCode
}
