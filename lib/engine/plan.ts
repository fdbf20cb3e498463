import type { Reason } from '../judge/record.ts'
import type { Settings } from '../settings/settings.ts'
import { catalogueOf, entryOf, placeOfRule, type Catalogue, type DeclaredRule } from '../spec/catalogue.ts'
import { judgedBy } from '../spec/rule-sets.ts'
import { isRuleId, phases, type RuleId } from '../spec/rules.ts'
import type { Allotment } from './budget.ts'
import {
  sumByClient,
  type Area,
  type Case,
  type Property,
  type RequestsByClient,
  type Untestable,
  type Work,
} from './cases.ts'
import type { TestClient } from './client.ts'
import { packageVersion } from './package-version.ts'
import { redactorOf } from './redactor-of.ts'
import { rejectionsBetween } from './health.ts'
import { runProperty } from './run-property.ts'
import { playScenarios, runRule } from './run-rule.ts'
import { SharedRequests } from './shared-requests.ts'
import { costOf } from './shrink.ts'
import { suiteContext, type RunBackground, type SuiteContext } from './suite-context.ts'
import { userAgent } from './test-request.ts'

/** What a rule would send. */
export interface PlannedRule {
  readonly id: RuleId
  /** Settings that it needs besides a permitted client, if any. */
  readonly needs?: string
  readonly cases: number
  readonly requests: number
  /** Minimum requests; with fewer than `requests`, it says what it left out. */
  readonly least: number
  /** Requests of its first case, the most telling one. */
  readonly first: number
  /** Requests that the budget leaves it. */
  readonly allotted: number
  /** Those requests by the client whose quota they use. */
  readonly byClient: RequestsByClient
  /** Why it cannot be tested with these settings, or null. */
  readonly untested: string | null
}

/** A planned rule and the function that sends and judges it. */
export interface PlannedWork {
  readonly planned: PlannedRule
  readonly run: (client: TestClient) => Promise<readonly Reason[]>
  /** Other rules that its cases may accuse. */
  readonly accuses?: readonly RuleId[]
  /** Plays the scenarios that it judges later, if it has any. */
  readonly playScenarios?: (client: TestClient) => Promise<void>
}

/** The planned rules in the order of the catalogue, and the requests that they share. */
interface RunPlan {
  readonly works: readonly PlannedWork[]
  readonly shared: SharedRequests
}

/** The plain valid request that opens every run. */
export const openingControl = 1

/** Maximum health checks of a run, in addition to the plan: one after so many rejections in a row, and two when a quota is found used up. */
export function healthChecks(rules: readonly PlannedRule[]): number {
  const requests = rules.reduce((sum, rule) => sum + rule.requests, 0)
  const meetsQuota = rules.some(({ byClient }) => (byClient.exhausted ?? 0) > 0)
  // That rule plans them itself.
  const isPlanned = rules.some(({ id }) => id === 'quota/per-client')
  return Math.floor(requests / rejectionsBetween) + (meetsQuota && !isPlanned ? 2 : 0)
}

/** The plan of a run with these settings, which must name an address and a client; sends nothing. */
export function plan(
  settings: Settings,
  suites: readonly Area[],
  input?: Partial<Omit<RunBackground, 'catalogue'>>,
): readonly PlannedRule[] {
  const known = { ...input, catalogue: judgedBy(catalogueOf(suites), settings.run.rules) }
  const context = suiteContext(settings, userAgent(packageVersion()), known)
  return rulesOf(planRun(suites, context))
}

/** Makes the cases of all selected rules. In a budget that is too small no rule relies on a request of another, which may not be sent. */
export function planRun(suites: readonly Area[], context: SuiteContext): RunPlan {
  const { maxRequests } = context.settings.run
  const made = casesOf(suites, context)
  const given = { catalogue: context.catalogue, budget: maxRequests }
  const whole = planned(made, { ...given, announces: true })
  return isAmple(rulesOf(whole), maxRequests) ? whole : planned(made, { ...given, announces: false })
}

interface MadeWork {
  readonly id: RuleId
  readonly work: Work | Untestable
}

function casesOf(suites: readonly Area[], context: SuiteContext): readonly MadeWork[] {
  return suites
    .flatMap(({ rules }) => rules)
    .filter(({ id }) => context.selects(id))
    .toSorted((a, b) => placeOfRule(a.id) - placeOfRule(b.id))
    .map(({ id, work }) => ({
      id,
      work: isRuleId(id) ? work(context) : ownWork(id, () => work(context), context),
    }))
}

/** What a rule of a user's own sends; what it says of itself or throws shows no credential. */
function ownWork(id: RuleId, make: () => Work | Untestable, { settings }: SuiteContext): Work | Untestable {
  const redactor = redactorOf(settings)
  try {
    const made = make()
    return 'untested' in made ? { untested: redactor.redact(made.untested) } : made
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    // oxlint-disable-next-line preserve-caught-error -- it may show a credential
    throw new Error(redactor.redact(`the cases of ${id} cannot be made: ${message}`))
  }
}

interface Planning {
  readonly catalogue: Catalogue
  readonly budget: number
  readonly announces: boolean
}

function planned(made: readonly MadeWork[], { catalogue, budget, announces }: Planning): RunPlan {
  const shared = new SharedRequests(catalogue)
  for (const { work } of announces ? made : [])
    if ('kind' in work && work.kind === 'cases') shared.announce(work.cases)
  // The rule that asks first pays.
  const placeOf = ({ id }: MadeWork): number => phases.indexOf(entryOf(catalogue, id).phase)
  const inRunOrder = made.toSorted((a, b) => placeOf(a) - placeOf(b))
  const byRule = new Map(
    inRunOrder.map(({ id, work }) => [id, workOf({ id, entry: entryOf(catalogue, id) }, work, shared)]),
  )
  const works = made.flatMap(({ id }) => byRule.get(id) ?? [])
  const byTelling = works.map((one) => one.planned).toSorted((a, b) => rankOf(a.id) - rankOf(b.id))
  const allotment = allot(byTelling, budget)
  const allotted = works.map((one) => ({
    ...one,
    planned: { ...one.planned, allotted: allotment[one.planned.id] ?? 0 },
  }))
  return { works: allotted, shared }
}

function rulesOf({ works }: RunPlan): readonly PlannedRule[] {
  return works.map((one) => one.planned)
}

function workOf({ id, entry }: DeclaredRule, work: Work | Untestable, shared: SharedRequests): PlannedWork {
  const { needs } = entry
  const rule = { id, ...(needs === undefined ? {} : { needs }) }
  if ('untested' in work) {
    const { untested } = work
    const reasons: readonly Reason[] = [{ kind: 'untested', text: untested }]
    return {
      planned: { ...rule, cases: 0, requests: 0, least: 0, first: 0, allotted: 0, byClient: {}, untested },
      run: () => Promise.resolve(reasons),
    }
  }
  if (work.kind === 'generated') {
    const property = sharing(work, shared)
    const { size, requests } = property
    return {
      planned: {
        ...rule,
        cases: size,
        requests,
        least: requests,
        first: Math.min(1, requests),
        allotted: 0,
        byClient: property.byClient ?? { target: requests },
        untested: null,
      },
      run: (client) => runProperty(client, id, property),
    }
  }
  const cases = work.cases.map((one) => shared.planned(id, one))
  const plannedRule = {
    ...rule,
    cases: cases.length,
    requests: cases.reduce((sum, { requests }) => sum + requests, 0),
    least: cases.reduce((sum, { least }) => sum + least, 0),
    first: cases[0]?.least ?? 0,
    allotted: 0,
    byClient: sumByClient(cases.map((one) => clientsOf(one))),
    untested: null,
  }
  return {
    planned: plannedRule,
    run: (client) => runRule(client, id, cases),
    accuses: cases.flatMap((one) => ('lettingInBreaks' in one && one.lettingInBreaks) || []),
    ...(entry.phase === 'alone'
      ? { playScenarios: (client: TestClient) => playScenarios(client, id, cases) }
      : {}),
  }
}

/** Maximum cases of a property that are drawn when planned, to find requests that other cases send. */
const fewCases = 400

/** The property, cheaper by what other cases send anyway. */
function sharing(property: Property, shared: SharedRequests): Property {
  if (property.size > fewCases) return property
  const drawn = Array.from(property.cases(), (one) => shared.plannedDrawn(one))
  return {
    ...property,
    cases: () => drawn,
    requests: drawn.reduce((sum, one) => sum + costOf(one), 0),
    byClient: sumByClient(drawn.map((one) => ({ [one.request.traits.client]: costOf(one) }))),
  }
}

function clientsOf(one: Case): RequestsByClient {
  return one.kind === 'scenario' ? one.byClient : { [one.request.traits.client]: one.requests }
}

/** Whether all that rules can use fits, with room for health checks. */
function isAmple(rules: readonly PlannedRule[], limit: number): boolean {
  const useful = rules.reduce((sum, { requests }) => sum + requests, 0) + openingControl
  return useful + Math.ceil(limit / rejectionsBetween) <= limit
}

/**
 * Allots the budget: all that rules can use, if it fits; else the first case of each, then minimums, then extras, in order. A reserve of
 * at most a tenth stays common.
 */
export function allot(rules: readonly PlannedRule[], limit: number): Allotment {
  if (isAmple(rules, limit)) return Object.fromEntries(rules.map(({ id, requests }) => [id, requests]))

  const wanted = rules.reduce((sum, { least }) => sum + least, 0) + openingControl
  const reserve = Math.min(Math.max(limit - wanted, 0), Math.ceil(limit / 10))
  let left = Math.max(0, limit - (wanted <= limit ? reserve : Math.floor(limit / 10)) - openingControl)
  const take = (wish: number): number => {
    const given = Math.min(wish, left)
    left -= given
    return given
  }
  const firsts = rules.map(({ first }) => take(first))
  const musts = rules.map(({ least, first }) => take(least - first))
  const extras = rules.map(({ requests, least }) => take(requests - least))
  return Object.fromEntries(
    rules.map(({ id }, at) => [id, (firsts[at] ?? 0) + (musts[at] ?? 0) + (extras[at] ?? 0)]),
  )
}

function rankOf(rule: RuleId): number {
  const rank = tellingRules.indexOf(rule)
  return rank === -1 ? tellingRules.length : rank
}

/** Rules by faults of the proof that a gate finds per request, those already found by rules before not counted; others come last. */
const tellingRules: readonly RuleId[] = [
  'conventions/accept-optional',
  'endpoints/list-succeeds',
  'conventions/header-case-insensitive',
  'versioning/selected-per-request',
  'input/invalid-parameters',
  'authentication/customer-not-found',
  'authentication/endpoint-inactive',
  'authentication/endpoint-unauthorized',
  'authentication/api-key-missing',
  'authentication/secret-key-missing',
  'versioning/endpoint-not-in-version',
  'versioning/version-missing',
  'versioning/unknown-endpoint',
  'quota/stays-exhausted',
  'fuzz/secret-key',
  'authentication/no-side-door',
  'fuzz/api-key',
  'versioning/malformed-version',
  'fuzz/headers',
  'fuzz/version',
  'fuzz/combined-flaws',
  'fuzz/query',
  'quota/per-client',
  'authentication/secret-key-invalid',
  'authentication/api-key-invalid',
  'fuzz/path',
  'authentication/isolated-under-concurrency',
  'quota/exhausted',
  'authentication/stays-refused',
  'authentication/no-bypass',
]
