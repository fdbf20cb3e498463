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
  /** Maximum requests for its cases. */
  readonly requests: number
  /** The requests that it can do with; it then says what it left out. */
  readonly least: number
  /** Why it cannot be tested with these settings, or null. */
  readonly untested: string | null
}

/** A rule of a run: what it would send, and what sends and judges it. */
export interface PlannedWork {
  readonly planned: PlannedRule
  readonly run: (client: TestClient) => Promise<readonly Reason[]>
}

/** What a run would send, rule by rule in the order of the catalogue, and the requests that rules have in common. */
export interface RunPlan {
  readonly works: readonly PlannedWork[]
  readonly shared: SharedRequests
}

/** Every run sends one plain valid request before all others. */
export const openingControl = 1

/** Maximum health checks of a run, besides what is planned: one for 25 refusals. */
export function healthChecks(planned: number): number {
  return Math.floor(planned / 25)
}

/** What a run with these settings would send, rule by rule; sends nothing. The settings must name an address and a client. */
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

/**
 * Allots the budget: to each rule what it can use, if all of that fits; else first, in order, what it must have, then what it can
 * use besides. Cases that do not fit are not sent, and their rule is inconclusive. What is not allotted, a tenth of the budget if it
 * is short, is common to retries, health checks and confirmations.
 */
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
