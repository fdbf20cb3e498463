import type { SettingIssue } from '../../settings/issue.ts'
import type { Settings } from '../../settings/settings.ts'
import {
  catalogueOf,
  entryOf,
  placeOfRule,
  type Catalogue,
  type DeclaredRule,
} from '../../specification/catalogue.ts'
import { isRuleId, phases, type RuleId } from '../../specification/rules.ts'
import { allot, byRank, isAmple, rejectionsBetween, type PlannedRule } from './allot.ts'
import {
  sumByClient,
  type Area,
  type Case,
  type Property,
  type RequestsByClient,
  type Untestable,
  type Work,
} from './cases.ts'
import { OwnRuleError } from './errors.ts'
import { ownWork } from './own-rules.ts'
import { packageVersion } from '../../settings/package-version.ts'
import { SharedRequests } from './shared-requests.ts'
import { endpointsOf } from './judged-endpoints.ts'
import { suiteContext, type RunBackground, type SuiteContext } from './suite-context.ts'
import { userAgent } from './test-request.ts'
import { countedRules } from '../../verdict/counted-rules.ts'

/** The cases of this many rules have been made; a large endpoints file takes seconds. */
export interface PlanningEvent {
  readonly kind: 'planning'
  readonly done: number
  readonly of: number
}

type OnPlanning = (event: PlanningEvent) => void

/** A planned rule, and what it sends. */
export interface PlannedWork {
  readonly planned: PlannedRule
  readonly work: Work | Untestable
  /** Other rules that its cases may accuse. */
  readonly accuses: readonly RuleId[]
}

/** The planned rules in the order of the catalogue, and the requests that they share. */
interface RunPlan {
  readonly works: readonly PlannedWork[]
  readonly shared: SharedRequests
}

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
  onPlanning?: OnPlanning,
): readonly PlannedRule[] {
  const known = { ...input, catalogue: catalogueOf(suites) }
  const context = suiteContext(settings, userAgent(packageVersion()), known)
  return rulesOf(planRun(suites, context, onPlanning))
}

/** Makes the cases of all selected rules. In a budget that is too small no rule relies on a request of another, which may not be sent. */
export function planRun(
  suites: readonly Area[],
  context: SuiteContext,
  onPlanning: OnPlanning = () => {},
): RunPlan {
  const { maxRequests } = context.settings.run
  const made = casesOf(suites, context, onPlanning)
  const whole = planned(made, { context, announces: true, most: maxRequests })
  const isWhole = isAmple(rulesOf(whole), maxRequests)
  const chosen = isWhole ? whole : planned(made, { context, announces: false, most: Infinity })
  return allotted(chosen, maxRequests, ranksIn(suites))
}

interface MadeWork {
  readonly id: RuleId
  readonly work: Work | Untestable
}

function casesOf(
  suites: readonly Area[],
  context: SuiteContext,
  onPlanning: OnPlanning,
): readonly MadeWork[] {
  const issues: SettingIssue[] = []
  const selected = suites
    .flatMap(({ rules }) => rules)
    .filter(({ id }) => context.selects(id))
    .toSorted((a, b) => placeOfRule(a.id) - placeOfRule(b.id))
  const counted = countedRules(selected)
  const made = selected.flatMap((rule) => {
    const done = counted.indexOf(rule)
    if (done >= 0) onPlanning({ kind: 'planning', done, of: counted.length })
    try {
      return [{ id: rule.id, work: isRuleId(rule.id) ? rule.work(context) : ownWork(rule, context) }]
    } catch (error) {
      if (!(error instanceof OwnRuleError)) throw error
      issues.push(...error.issues)
      return []
    }
  })
  onPlanning({ kind: 'planning', done: counted.length, of: counted.length })
  if (issues.length > 0) throw new OwnRuleError(issues)
  return made
}

interface Planning {
  readonly context: SuiteContext
  readonly announces: boolean
  /** Rules that come after so many requests are left out. */
  readonly most: number
}

function planned(made: readonly MadeWork[], { context, announces, most }: Planning): RunPlan {
  const { catalogue, endpoints } = context
  const shared = new SharedRequests(catalogue)
  for (const { work } of announces ? made : [])
    if ('kind' in work && work.kind === 'cases') shared.announce(work.cases)
  // The rule that asks first pays.
  const placeOf = ({ id }: MadeWork): number => phases.indexOf(entryOf(catalogue, id).phase)
  const byRule = new Map<RuleId, PlannedWork>()
  let requests = 0
  for (const { id, work } of made.toSorted((a, b) => placeOf(a) - placeOf(b))) {
    if (requests > most) break
    const one = workOf({ id, entry: entryOf(catalogue, id) }, work, { shared, endpoints })
    byRule.set(id, one)
    requests += one.planned.requests
  }
  return { works: made.flatMap(({ id }) => byRule.get(id) ?? []), shared }
}

function ranksIn(suites: readonly Area[]): ReadonlyMap<RuleId, number> {
  const ranked = suites.flatMap(({ rules }) => rules)
  return new Map(ranked.flatMap(({ id, rank }) => (rank === undefined ? [] : [[id, rank] as const])))
}

function allotted({ works, shared }: RunPlan, budget: number, ranks: ReadonlyMap<RuleId, number>): RunPlan {
  const allotment = allot(byRank(rulesOf({ works, shared }), ranks), budget)
  const given = works.map((one) => ({
    ...one,
    planned: { ...one.planned, allotted: allotment[one.planned.id] ?? 0 },
  }))
  return { works: given, shared }
}

function rulesOf({ works }: RunPlan): readonly PlannedRule[] {
  return works.map((one) => one.planned)
}

function workOf(
  { id, entry }: DeclaredRule,
  work: Work | Untestable,
  { shared, endpoints }: Pick<RunPlan, 'shared'> & Pick<SuiteContext, 'endpoints'>,
): PlannedWork {
  const { needs } = entry
  const rule = { ...nothing, id, ...(needs === undefined ? {} : { needs }) }
  if ('untested' in work) return { planned: { ...rule, untested: work.untested }, work, accuses: [] }
  if (work.kind === 'generated') {
    const property = sharing(work, shared)
    const { size, requests, byClient = { target: requests }, endpoints: asked = [] } = property
    const first = Math.min(1, requests)
    const cost = { cases: size, requests, least: requests, first, byClient, endpoints: asked }
    return { planned: { ...rule, ...cost }, work: property, accuses: [] }
  }
  const cases = work.cases.map((one) => shared.planned(id, one))
  return {
    planned: {
      ...rule,
      cases: cases.length,
      requests: cases.reduce((sum, { requests }) => sum + requests, 0),
      least: cases.reduce((sum, { least }) => sum + least, 0),
      first: cases[0]?.least ?? 0,
      byClient: sumByClient(cases.map((one) => clientsOf(one))),
      endpoints: endpointsOf(work.cases, endpoints),
    },
    work: { kind: 'cases', cases },
    accuses: cases.flatMap((one) => ('brokenIfServed' in one && one.brokenIfServed) || []),
  }
}

const nothing = {
  cases: 0,
  requests: 0,
  least: 0,
  first: 0,
  allotted: 0,
  byClient: {},
  endpoints: [],
  untested: null,
} as const

/** Maximum cases of a property that are drawn when planned, to find requests that other cases send. */
const fewCases = 500

/** The property, cheaper by what other cases send anyway. */
function sharing(property: Property, shared: SharedRequests): Property {
  if (property.size > fewCases) return property
  const drawn = Array.from(property.cases(), (one) => shared.plannedDrawn(one))
  return {
    ...property,
    cases: () => drawn,
    requests: drawn.reduce((sum, one) => sum + one.requests, 0),
    byClient: sumByClient(drawn.map((one) => clientsOf(one))),
  }
}

function clientsOf(one: Case): RequestsByClient {
  return one.kind === 'scenario' ? one.byClient : { [one.request.traits.client]: one.requests }
}

/** Groups of rules: rules in a group run side by side, groups one after the other. */
export function turnsOf(
  works: readonly PlannedWork[],
  catalogue: Catalogue,
): readonly (readonly PlannedWork[])[] {
  return phases.flatMap((phase) => {
    const ofPhase = works.filter((one) => entryOf(catalogue, one.planned.id).phase === phase)
    switch (phase) {
      case 'alone':
      case 'last':
        return ofPhase.map((one) => [one])
      case 'together':
      case 'quota':
        return [ofPhase]
      case 'summary':
        // Rules that send requests come first: the others also sum those up.
        return [ofPhase.filter(sends), ofPhase.filter((one) => !sends(one))]
    }
  })
}

function sends(one: PlannedWork): boolean {
  return one.planned.requests > 0
}
