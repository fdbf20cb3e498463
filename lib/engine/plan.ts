import type { Reason } from '../judge/record.ts'
import type { Settings } from '../settings/settings.ts'
import { phases, ruleIds, ruleOf, type RuleId } from '../spec/rules.ts'
import type { Allotment } from './budget.ts'
import type { Area, Property, Untestable, Work } from './cases.ts'
import type { TestClient } from './client.ts'
import { packageVersion } from './package-version.ts'
import { rejectionsBetween } from './health.ts'
import { runProperty } from './run-property.ts'
import { playScenes, runRule } from './run-rule.ts'
import { SharedRequests } from './shared-requests.ts'
import { costOf } from './shrink.ts'
import { suiteContext, type RunBackground, type SuiteContext } from './suite-context.ts'
import { userAgent } from './test-request.ts'

/** What a rule would send. */
export interface PlannedRule {
  readonly id: RuleId
  readonly cases: number
  readonly requests: number
  /** Minimum requests; with fewer than `requests`, it says what it left out. */
  readonly least: number
  /** Why it cannot be tested with these settings, or null. */
  readonly untested: string | null
}

/** A planned rule and the function that sends and judges it. */
export interface PlannedWork {
  readonly planned: PlannedRule
  readonly run: (client: TestClient) => Promise<readonly Reason[]>
  /** Plays the scenes that it judges later, if it has any. */
  readonly playScenes?: (client: TestClient) => Promise<void>
}

/** The planned rules in the order of the catalogue, and the requests that they share. */
interface RunPlan {
  readonly works: readonly PlannedWork[]
  readonly shared: SharedRequests
}

/** The plain valid request that opens every run. */
export const openingControl = 1

/** Maximum health checks of a run, in addition to the plan: one after so many rejections in a row. */
export function healthChecks(planned: number): number {
  return Math.floor(planned / rejectionsBetween)
}

/** The plan of a run with these settings, which must name an address and a client; sends nothing. */
export function plan(
  settings: Settings,
  suites: readonly Area[],
  input?: Partial<RunBackground>,
): readonly PlannedRule[] {
  const context = suiteContext(settings, userAgent(packageVersion()), input)
  return planRun(suites, context).works.map(({ planned }) => planned)
}

/** Makes the cases of all selected rules. */
export function planRun(suites: readonly Area[], context: SuiteContext): RunPlan {
  const shared = new SharedRequests()
  const works = suites
    .flatMap(({ rules }) => rules)
    .filter(({ id }) => context.selects(id))
    .toSorted((a, b) => ruleIds.indexOf(a.id) - ruleIds.indexOf(b.id))
    .map(({ id, work }) => ({ id, work: work(context) }))
  for (const { work } of works) if ('kind' in work && work.kind === 'cases') shared.announce(work.cases)
  // The rule that asks first pays.
  const inRunOrder = works.toSorted((a, b) => phaseOf(a) - phaseOf(b))
  const planned = new Map(inRunOrder.map(({ id, work }) => [id, workOf(id, work, shared)]))
  return { works: works.flatMap(({ id }) => planned.get(id) ?? []), shared }
}

function phaseOf({ id }: { readonly id: RuleId }): number {
  return phases.indexOf(ruleOf(id).phase)
}

function workOf(id: RuleId, work: Work | Untestable, shared: SharedRequests): PlannedWork {
  if ('untested' in work) {
    const { untested } = work
    const reasons: readonly Reason[] = [{ kind: 'untested', text: untested }]
    return {
      planned: { id, cases: 0, requests: 0, least: 0, untested },
      run: () => Promise.resolve(reasons),
    }
  }
  if (work.kind === 'generated') {
    const property = sharing(work, shared)
    const { size, requests } = property
    return {
      planned: { id, cases: size, requests, least: requests, untested: null },
      run: (client) => runProperty(client, id, property),
    }
  }
  const cases = work.cases.map((one) => shared.planned(id, one))
  const planned = {
    id,
    cases: cases.length,
    requests: cases.reduce((sum, { requests }) => sum + requests, 0),
    least: cases.reduce((sum, { least }) => sum + least, 0),
    untested: null,
  }
  return {
    planned,
    run: (client) => runRule(client, id, cases),
    playScenes: (client) => playScenes(client, id, cases),
  }
}

/** Maximum cases of a property that are drawn when planned, to find requests that other cases send. */
const fewCases = 100

/** The property, cheaper by what other cases send anyway. */
function sharing(property: Property, shared: SharedRequests): Property {
  if (property.size > fewCases) return property
  const drawn = Array.from(property.cases(), (one) => shared.plannedDrawn(one))
  return { ...property, cases: () => drawn, requests: drawn.reduce((sum, one) => sum + costOf(one), 0) }
}

/** Allots the budget: all that rules can use, if it fits; else minimums first, then extras, in order. A reserve of at most a tenth stays common. */
export function allot(rules: readonly PlannedRule[], limit: number): Allotment {
  const useful = rules.reduce((sum, { requests }) => sum + requests, 0) + openingControl
  if (useful + Math.ceil(limit / rejectionsBetween) <= limit)
    return Object.fromEntries(rules.map(({ id, requests }) => [id, requests]))

  const wanted = rules.reduce((sum, { least }) => sum + least, 0) + openingControl
  const reserve = Math.min(Math.max(limit - wanted, 0), Math.ceil(limit / 10))
  let left = Math.max(0, limit - (wanted <= limit ? reserve : Math.floor(limit / 10)) - openingControl)
  const take = (wish: number): number => {
    const given = Math.min(wish, left)
    left -= given
    return given
  }
  const musts = rules.map(({ id, least }) => [id, take(least)] as const)
  const extras = rules.map(({ requests, least }) => take(requests - least))
  return Object.fromEntries(musts.map(([id, given], index) => [id, given + (extras[index] ?? 0)]))
}
