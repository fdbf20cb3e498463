import {
  furtherBases,
  type Base,
  type CaseClass,
  type GeneratorInput,
  type MutatedRequest,
} from '../../fuzz/case-class.ts'
import { caseClasses } from '../../fuzz/case-classes.ts'
import { draw, drawNamed, schedule, type Drawn } from '../../fuzz/case-schedule.ts'
import { everyCondition, isExcuse } from '../../fuzz/factors.ts'
import type { Exchange } from '../../http/exchange.ts'
import { headerSize } from '../../http/request.ts'
import type { Check } from '../../judge/judge.ts'
import { unknownSegment } from '../../specification/endpoints.ts'
import { flawRows } from '../../specification/flaws.ts'
import type { RuleId } from '../../specification/rules.ts'
import { membersNamed } from '../../text/members.ts'
import type { Example, Property, Untestable } from './cases.ts'
import { flawedRequests, wrongKey, wrongSecret } from './flawed-requests.ts'
import { checkOf } from './fuzz-check.ts'
import {
  oncePerEndpoint,
  oncePerRun,
  type GeneratedChoice,
  type JudgedEndpoint,
  type SuiteContext,
} from './suite-context.ts'
import { TestRequest } from './test-request.ts'

/** Makes the case classes for a rule from the generator's input. */
export type ClassesOf = (input: GeneratorInput) => readonly CaseClass[]

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

  const series = seriesOf(id, classesOf, context, choice)
  const names = function* names() {
    for (const { setting, draws } of series)
      for (const place of schedule(draws.classes, draws.more)) yield { setting, place }
  }
  let [size, requests] = [0, 0]
  const asked = new Set<string>()
  for (const { setting, place } of names()) {
    size += 1
    requests += place.caseClass.requests ?? 1
    asked.add(setting.endpoint.label)
  }
  return {
    kind: 'generated',
    size,
    requests,
    endpoints: [...asked],
    refining: context.byProfile({ all: 120, gate: 40, because: 'each counts against a quota' }),
    conditions: series
      .slice(0, 1)
      .flatMap(({ setting }) => everyCondition(setting.input))
      .flatMap((one) => (isExcuse(one) ? [] : [{ name: one.name, needs: [], isSent: true }])),
    cases: function* cases() {
      for (const { setting, place } of names()) yield generated(draw(place, context.seed, id), setting)
    },
  }
}

/** The draws for each endpoint. */
function seriesOf(
  id: RuleId,
  classesOf: ClassesOf,
  context: SuiteContext,
  choice: GeneratedChoice,
): readonly Series[] {
  const { endpoints, list, settings } = context
  return context.shares(endpoints, settings.run.fuzzCases).map(({ endpoint, count }) => {
    const setting = settingOf(id, context, endpoint)
    const draws = context.draws(classesOf(setting.input), { ...choice, count, isList: endpoint === list })
    return { setting, draws }
  })
}

interface Series {
  readonly setting: Setting
  readonly draws: ReturnType<SuiteContext['draws']>
}

const combinedByEndpoint = oncePerRun((context): ReadonlyMap<JudgedEndpoint, Series> => {
  const { replayed, selects, settings } = context
  const isSent = replayed === null && selects('fuzz/combined-flaws') && settings.run.fuzzCases > 0
  if (!isSent) return new Map()
  const all = seriesOf('fuzz/combined-flaws', caseClasses['fuzz/combined-flaws'], context, {})
  return new Map(all.map((one) => [one.setting.endpoint, one]))
})

/** The row for a cell and an endpoint, by its index among rows with several flaws; null if the run sends none. */
export function cellRow(context: SuiteContext, endpoint: JudgedEndpoint, at: number): Example | null {
  const series = combinedByEndpoint(context).get(endpoint)
  const caseClass = series?.draws.classes.find(({ name }) => name === 'conditions-of-cells')
  if (at === -1 || series === undefined || caseClass === undefined || (caseClass.always ?? 0) <= at)
    return null
  return generated(draw({ caseClass, nth: at }, context.seed, 'fuzz/combined-flaws'), series.setting)
}

function replayOf(
  id: RuleId,
  classesOf: ClassesOf,
  context: SuiteContext,
  name: string,
): Property | Untestable {
  const [drawnName = '', ...label] = name.split('@')
  const endpoint = context.endpoints.find((one) => one.named(drawnName) === [drawnName, ...label].join('@'))
  const setting = endpoint === undefined ? null : settingOf(id, context, endpoint)
  const drawn = setting === null ? null : drawNamed(drawnName, classesOf(setting.input), context.seed, id)
  if (setting === null || drawn === null) return { untested: `no case is called ${name}` }
  const one = { ...generated(drawn, setting), simpler: () => [] }
  return { kind: 'generated', size: 1, requests: one.requests, cases: () => [one] }
}

/** The generator's input for an endpoint. */
export function generatorInputOf(context: SuiteContext, endpoint: JudgedEndpoint): GeneratorInput {
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
    furtherBases: sendableBases(endpoint, context),
    endpoints: context.endpoints.length,
    seed: context.seed,
    pagesAreBreaches: context.byProfile({
      all: true,
      gate: false,
      because: 'frameworks send pages to browsers: a warning',
    }),
  }
}

const sendableBases = oncePerEndpoint((endpoint, context) => {
  const known = new Set<Base>(flawedRequests(context, endpoint).map(({ name }) => name))
  return furtherBases.filter((base) => known.has(base))
})

/** The input for a rule's cases on an endpoint. */
interface Setting {
  readonly id: RuleId
  readonly context: SuiteContext
  readonly endpoint: JudgedEndpoint
  readonly input: GeneratorInput
  /** The flawed requests that cases change, by flaw; made on demand, because many endpoints get only a few cases. */
  readonly bases: () => ReadonlyMap<Base, TestRequest>
}

function settingOf(id: RuleId, context: SuiteContext, endpoint: JudgedEndpoint): Setting {
  let made: ReadonlyMap<Base, TestRequest> | null = null
  const bases = (): ReadonlyMap<Base, TestRequest> => {
    made ??= new Map(flawedRequests(context, endpoint).map(({ name, request }) => [name, request]))
    return made
  }
  return { id, context, endpoint, input: generatorInputOf(context, endpoint), bases }
}

/** Makes a case from a drawn change. */
function generated(drawn: Drawn, setting: Setting): Example {
  const { name } = drawn
  const { endpoint, context } = setting
  const mutated = orOversized(drawn.mutated, setting)
  const base = placed(mutated, name, setting)
  const request = changed(base, mutated, mutated.apply)
  const check = (before: Exchange | null): Check =>
    checkOf({ mutated, request: request.request, before }, context)
  const { observe, pairedRequest, connection } = mutated
  const lead = leadOf(mutated, setting)
  const requests = lead === undefined && pairedRequest === undefined ? 1 : 2
  return {
    kind: 'example',
    name: endpoint.named(name),
    requests,
    least: requests,
    requestsAlone: 1,
    request,
    check: whenAsked(() => check(null)),
    again: true,
    says: `${mutated.says}${besides.get(mutated.base ?? 'valid') ?? ''}`,
    alone: mutated.toUnknownPath === true || connection !== undefined ? true : undefined,
    lead,
    pair: pairedRequest && { request: changed(base, mutated, pairedRequest.apply), check },
    observe: observe && ((notes, outcome) => notes.note(observe.id, observe.as, outcome)),
    simpler: function* simpler() {
      for (const one of drawn.simpler()) yield generated(one, setting)
    },
  }
}

/** Makes the check on first use, because a case is planned long before it is sent, and most simpler cases are never sent. */
function whenAsked(make: () => Check): Check {
  let made: Check | null = null
  const check = (): Check => (made ??= make())
  return {
    get allowed() {
      return check().allowed
    },
    judge: (exchange) => check().judge(exchange),
  }
}

/** The request sent before it on the same connection. */
function leadOf({ connection, base }: MutatedRequest, { endpoint, bases }: Setting): TestRequest | undefined {
  if (connection === 'behind a success') return endpoint.request
  if (connection !== 'behind a refusal') return undefined
  return bases().get(base === 'version-absent' ? 'version-unsupported' : 'version-absent')
}

/** The maximum total size of header lines that every common server accepts, in bytes. */
const commonHeaders = 6 * 1_024
/** The maximum size of a plain request's header lines for which no case exceeds {@link commonHeaders}, in bytes. */
const longHeaders = 1_024

/** Treats a case as oversized if long credentials push it over the limit of a common server. */
function orOversized(mutated: MutatedRequest, setting: Setting): MutatedRequest {
  if (headerSize(setting.endpoint.request.request) <= longHeaders) return mutated
  if (headerSize(changed(baseOf(mutated, setting), mutated, mutated.apply).request) <= commonHeaders)
    return mutated
  return { ...mutated, toUnknownPath: true, transportMayRefuse: true }
}

/** The base's flaw, in words. */
const besides: ReadonlyMap<string, string> = new Map(
  flawRows.flatMap(({ base }) => (base === undefined ? [] : [[base.name, `, ${base.says}`] as const])),
)

/** The request to change. It goes to an unknown path if a cache might keep an error for the real path. */
function placed(mutated: MutatedRequest, name: string, setting: Setting): TestRequest {
  const request = baseOf(mutated, setting)
  if (mutated.toUnknownPath !== true) return request
  const unknown = setting.context.unknownEndpoint(`${setting.id}:${name.replace(/:.*$/, '')}`)
  return request.to(unknown.request.target, unknown.traits.endpoint)
}

function baseOf({ base = 'valid' }: MutatedRequest, { bases, endpoint }: Setting): TestRequest {
  return bases().get(base) ?? endpoint.request
}

function changed(base: TestRequest, mutated: MutatedRequest, apply: MutatedRequest['apply']): TestRequest {
  const request = apply(base.request)
  const { client, endpoint, asksForQuota } = base.traits
  const isMoved = request.target !== base.request.target
  const isNowhere = isMoved && unknownSegment.test(request.target.split(/[/?]/)[2] ?? '')
  return new TestRequest(request, {
    client,
    endpoint: isNowhere ? 'an unknown path under /api/' : endpoint,
    plain: false,
    observed: mutated.treatment !== 'oracle',
    transportMayRefuse: mutated.transportMayRefuse,
    mayRedirect: mutated.mayRedirect === true,
    fieldMayBeRefused: mutated.fieldMayBeRefused === true,
    ...membersNamed(mutated, ['mayBePartial', 'conditions', 'excused']),
    ...(mutated.conditions === undefined ? {} : membersNamed(mutated, ['weakness'])),
    asksForQuota,
    described: mutated.described !== undefined,
  })
}
