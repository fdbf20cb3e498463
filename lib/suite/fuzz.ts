import { draw, drawNamed, schedule, type Drawn } from '../generate/draw.ts'
import {
  bases,
  furtherBases,
  type Base,
  type MutatedRequest,
  type CaseClass,
  type GeneratorInput,
} from '../generate/case-class.ts'
import type { Exchange } from '../http/exchange.ts'
import { valueOf } from '../http/request.ts'
import { outcomeOf } from '../judge/explain.ts'
import type { Untestable } from '../engine/cases.ts'
import type { GeneratedCase, Property } from '../engine/cases.ts'
import type { Observations } from '../engine/observations.ts'
import { TestRequest } from '../engine/test-request.ts'
import { unknownSegment } from '../spec/endpoints.ts'
import type { RuleId } from '../spec/rules.ts'
import { flawedRequests, wrongKey, wrongSecret } from './flawed-requests.ts'
import { checkOf } from './fuzz-check.ts'
import type { JudgedEndpoint, SuiteContext } from '../engine/suite-context.ts'

/** The case classes of a rule, for what requests are generated from. */
export type ClassesOf = (input: GeneratorInput) => readonly CaseClass[]

/** The generated cases of a rule: as many as the settings say, shared out among the endpoints. */
export function propertyOf(id: RuleId, classesOf: ClassesOf, context: SuiteContext): Property | Untestable {
  const { settings, endpoints, replayed } = context
  const { fuzzCases, profile } = settings.run
  if (replayed !== null) return replayOf(id, classesOf, context, replayed.case)
  if (fuzzCases === 0) return { untested: 'no generated cases were asked for (RUN_FUZZ_CASES is 0)' }

  const series = endpoints.map((endpoint, index) => {
    const setting = settingOf(id, context, endpoint)
    return {
      setting,
      classes: classesOf(setting.input),
      count: Math.floor((fuzzCases + endpoints.length - 1 - index) / endpoints.length),
    }
  })
  const names = function* names() {
    for (const { setting, classes, count } of series) {
      // What every run sends, a gate sends to the list endpoint alone.
      const isList = setting.endpoint === context.list
      const sent = isList || profile !== 'gate' ? classes : classes.map((one) => ({ ...one, always: 0 }))
      for (const place of schedule(sent, count, profile === 'gate')) yield { setting, place }
    }
  }
  let [size, requests] = [0, 0]
  for (const { place } of names()) {
    size += 1
    requests += place.caseClass.requests ?? 1
  }
  return {
    size,
    requests,
    cases: function* cases() {
      for (const { setting, place } of names()) yield generated(draw(place, context.seed, id), setting)
    },
  }
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
  return {
    size: 1,
    requests: drawn.mutated.pairedRequest === undefined ? 1 : 2,
    cases: () => [{ ...generated(drawn, setting), simpler: () => [] }],
  }
}

/** What generators make requests for an endpoint from. */
export function generatorInputOf(context: SuiteContext, endpoint: JudgedEndpoint): GeneratorInput {
  const { path, query, version } = endpoint
  return {
    target: context.target,
    second: context.fixtures.second,
    wrongKey: wrongKey(context),
    wrongSecret: wrongSecret(context),
    servedVersion: version,
    unsupportedVersion: context.fixtures.unsupportedVersion,
    path,
    query,
    furtherBases: furtherBasesOf(context, endpoint).map(([base]) => base),
  }
}

/** What the cases of a rule are made for. */
interface Setting {
  readonly id: RuleId
  readonly context: SuiteContext
  readonly endpoint: JudgedEndpoint
  readonly input: GeneratorInput
  /** The request that a case changes, by what is wrong with it before. */
  readonly bases: ReadonlyMap<Base, TestRequest>
  /** Whether the credentials alone are so long that a case may be more than every common server takes. */
  readonly isLong: boolean
}

function settingOf(id: RuleId, context: SuiteContext, endpoint: JudgedEndpoint): Setting {
  const input = generatorInputOf(context, endpoint)
  const made = new Map<Base, TestRequest>([
    ...bases.map((base) => [base, baseOf(endpoint, base, input)] as const),
    ...furtherBasesOf(context, endpoint),
  ])
  return { id, context, endpoint, input, bases: made, isLong: sizeOf(endpoint.request) > 1_024 }
}

/** A drawn change as a case: the request that it makes, and what the oracle allows for it. */
export function generated(drawn: Drawn, setting: Setting): GeneratedCase {
  const { name } = drawn
  const { endpoint, context } = setting
  const mutated = setting.isLong ? orOversized(drawn.mutated, setting) : drawn.mutated
  const base = placed(setting.bases.get(mutated.base ?? 'valid') ?? endpoint.request, mutated, name, setting)
  const stimulus = changed(base, mutated, mutated.apply)
  const paired = mutated.pairedRequest

  return {
    name: endpoint.named(name),
    says: `${mutated.says}${besides[mutated.base ?? 'valid']}`,
    request: stimulus,
    alone: mutated.toUnknownPath === true,
    before: paired === undefined ? null : changed(base, mutated, paired.apply),
    check: (before) => checkOf({ mutated, request: stimulus.request, before }, context),
    observe: (observations, exchange) => observe(observations, mutated, exchange),
    simpler: function* simpler() {
      for (const one of drawn.simpler()) yield generated(one, setting)
    },
  }
}

/** What every common server takes, in bytes of all header lines. */
const commonHeaders = 6 * 1_024

/** A case that long credentials make larger than every common server takes goes where oversized ones go. */
function orOversized(mutated: MutatedRequest, { bases: made, endpoint }: Setting): MutatedRequest {
  const base = made.get(mutated.base ?? 'valid') ?? endpoint.request
  if (sizeOf(changed(base, mutated, mutated.apply)) <= commonHeaders) return mutated
  return { ...mutated, toUnknownPath: true, transportMayRefuse: true }
}

function sizeOf({ request }: TestRequest): number {
  return request.fields.reduce((sum, field) => sum + field.name.length + valueOf(field).length + 4, 0)
}

/** What is wrong with a request besides what was done to it. */
const besides: Readonly<Record<Base, string>> = {
  valid: '',
  'api-key-absent': ', without x-api-key',
  'secret-key-absent': ', without x-secret-key',
  'version-absent': ', without x-version',
  'api-key-wrong': ', with an invented x-api-key',
  'secret-key-wrong': ', with an invented x-secret-key',
  'version-unsupported': ', with an unsupported x-version',
  'endpoint-unknown': ', to an unknown path',
  'input-invalid': ', with a query that is known to be invalid',
  'client-no-customer': ', by the client without a customer',
  'client-inactive': ', by the inactive client',
  'client-unauthorized': ', by the client that is not permitted',
}

/** The requests with one certain flaw that these settings allow, beyond those that all do. */
function furtherBasesOf(
  context: SuiteContext,
  endpoint: JudgedEndpoint,
): readonly (readonly [(typeof furtherBases)[number], TestRequest])[] {
  const known = new Map(flawedRequests(context, endpoint).map(({ name, stimulus }) => [name, stimulus]))
  return furtherBases.flatMap((base) => {
    const stimulus = known.get(base)
    return stimulus === undefined ? [] : [[base, stimulus] as const]
  })
}

function baseOf(
  { request }: JudgedEndpoint,
  base: (typeof bases)[number],
  input: GeneratorInput,
): TestRequest {
  switch (base) {
    case 'valid':
      return request
    case 'api-key-absent':
      return request.without('x-api-key')
    case 'secret-key-absent':
      return request.without('x-secret-key')
    case 'version-absent':
      return request.without('x-version')
    case 'api-key-wrong':
      return request.with('x-api-key', input.wrongKey)
    case 'secret-key-wrong':
      return request.with('x-secret-key', input.wrongSecret)
    case 'version-unsupported':
      return request.with('x-version', input.unsupportedVersion)
  }
}

/** Sent to a path that no service has, where an error might be kept for the real one. */
function placed(
  base: TestRequest,
  { toUnknownPath }: MutatedRequest,
  name: string,
  { id, context }: Setting,
): TestRequest {
  if (toUnknownPath !== true) return base
  const { request, traits } = context.unknownEndpoint(`${id}:${name.replace(/:.*$/, '')}`)
  return base.to(request.target, traits.endpoint)
}

function changed(base: TestRequest, mutated: MutatedRequest, apply: MutatedRequest['apply']): TestRequest {
  const request = apply(base.request)
  const goesNowhere = unknownSegment.test(request.target.split(/[/?]/)[2] ?? '')
  return new TestRequest(request, {
    ...base.traits,
    endpoint: goesNowhere ? 'an unknown path under /api/' : base.traits.endpoint,
    plain: false,
    observed: mutated.treatment !== 'oracle',
    transportMayRefuse: mutated.transportMayRefuse,
    mayRedirect: mutated.mayRedirect === true,
    fieldMayBeRefused: mutated.fieldMayBeRefused === true,
  })
}

function observe(
  observations: Observations,
  { observe: about }: MutatedRequest,
  exchange: Exchange | null,
): void {
  if (about === undefined) return
  observations.note(about.id, about.as, exchange === null ? 'connection closed' : outcomeOf(exchange))
}
