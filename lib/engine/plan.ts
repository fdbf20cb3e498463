import { leastOf, requestsOf, type Untestable } from './cases.ts'
import { judgeCases, type CasesLeft } from './judge-rule.ts'
import type { PlannedRule } from './allotment.ts'
import { judgeProperty } from './property.ts'
import { userAgent } from './test-request.ts'
import type { TestClient } from './client.ts'
import { SharedRequests } from './shared-requests.ts'
import type { Settings } from '../settings/settings.ts'
import { ruleIds } from '../spec/rules.ts'
import type { Area, Rule, Work } from './rule.ts'
import { suiteContext, type SuiteContext, type Told } from './suite-context.ts'
import { packageVersion } from './package-version.ts'

/** A rule of a run: what it would send, and what sends and judges it. */
export interface PlannedWork {
  readonly planned: PlannedRule
  readonly judge: (session: TestClient) => Promise<CasesLeft>
}

/** What a run would send, rule by rule in the order of the catalogue, and what rules have in common. */
export interface RunPlan {
  readonly works: readonly PlannedWork[]
  readonly shared: SharedRequests
}

/** What a run with these settings would send, rule by rule; sends nothing. The settings must name an address and a client. */
export function plan(
  settings: Settings,
  suites: readonly Area[],
  told?: Partial<Told>,
): readonly PlannedRule[] {
  const context = suiteContext(settings, userAgent(packageVersion()), told)
  return planRun(suites, context).works.map(({ planned }) => planned)
}

/** Makes the cases of all selected rules. */
export function planRun(suites: readonly Area[], context: SuiteContext): RunPlan {
  const shared = new SharedRequests()
  const selected = suites.flatMap(({ rules }) => rules).filter(({ id }) => context.selects(id))
  const works = selected
    .toSorted((a, b) => ruleIds.indexOf(a.id) - ruleIds.indexOf(b.id))
    .map((rule) => workOf(rule, rule.work(context), shared))
  return { works, shared }
}

function workOf({ id }: Rule, work: Work | Untestable, shared: SharedRequests): PlannedWork {
  if ('untested' in work) {
    return {
      planned: { id, cases: 0, requests: 0, least: 0, untested: work.untested },
      judge: () => Promise.resolve({ unjudged: [], untested: [] }),
    }
  }
  if (work.kind === 'generated') {
    const { size, requests } = work.property
    return {
      planned: { id, cases: size, requests, least: requests, untested: null },
      judge: (session) => judgeProperty(session, id, work.property),
    }
  }
  const cases = work.cases.map((one) => shared.planned(id, one))
  const planned = {
    id,
    cases: cases.length,
    requests: cases.reduce((sum, one) => sum + requestsOf(one), 0),
    least: cases.reduce((sum, one) => sum + leastOf(one), 0),
    untested: null,
  }
  return { planned, judge: (session) => judgeCases(session, id, cases) }
}
