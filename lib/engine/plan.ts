import type { Reason } from '../judge/record.ts'
import type { Settings } from '../settings/settings.ts'
import { ruleIds, type RuleId } from '../spec/rules.ts'
import type { Allotment } from './budget.ts'
import type { Area, SuiteRule } from './cases.ts'
import type { TestClient } from './client.ts'
import { packageVersion } from './package-version.ts'
import { runProperty } from './run-property.ts'
import { runRule } from './run-rule.ts'
import { SharedRequests } from './shared-requests.ts'
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
}

/** The planned rules in the order of the catalogue, and the requests that they share. */
interface RunPlan {
  readonly works: readonly PlannedWork[]
  readonly shared: SharedRequests
}

/** The plain valid request that opens every run. */
export const openingControl = 1

/** Maximum health checks of a run, in addition to the plan: one per 25 rejections. */
export function healthChecks(planned: number): number {
  return Math.floor(planned / 25)
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
    .map((rule) => workOf(rule, context, shared))
  return { works, shared }
}

function workOf({ id, work: workIn }: SuiteRule, context: SuiteContext, shared: SharedRequests): PlannedWork {
  const work = workIn(context)
  if ('untested' in work) {
    const { untested } = work
    const reasons: readonly Reason[] = [{ kind: 'untested', text: untested }]
    return {
      planned: { id, cases: 0, requests: 0, least: 0, untested },
      run: () => Promise.resolve(reasons),
    }
  }
  if (work.kind === 'generated') {
    const { size, requests } = work
    return {
      planned: { id, cases: size, requests, least: requests, untested: null },
      run: (client) => runProperty(client, id, work),
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
  return { planned, run: (client) => runRule(client, id, cases) }
}

/** Allots the budget: all that rules can use, if it fits; else minimums first, then extras, in order. A reserve of at most a tenth stays common. */
export function allot(rules: readonly PlannedRule[], limit: number): Allotment {
  const useful = rules.reduce((sum, { requests }) => sum + requests, 0) + openingControl
  if (useful + Math.ceil(limit / 25) <= limit)
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
