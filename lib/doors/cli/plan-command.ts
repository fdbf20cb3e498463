import type { Command } from 'commander'
import { openingControl, type PlannedRule } from '../../engine/plan/allot.ts'
import { sumByClient, type Area, type RequestsByClient } from '../../engine/plan/cases.ts'
import { healthChecks, plan } from '../../engine/plan/plan.ts'
import { redactorOf } from '../../engine/plan/redactor-of.ts'
import { unplannedEndpoints } from '../../engine/plan/judged-endpoints.ts'
import { planText } from '../../report/render/plan-text.ts'
import { withFailedRules } from '../failed-rules.ts'
import { withEmbedded } from '../judge-target.ts'
import { describeIssues } from '../../settings/issue.ts'
import type { Settings } from '../../settings/settings.ts'
import { countedRules } from '../../verdict/counted-rules.ts'
import type { ExitCode } from '../../verdict/verdict.ts'
import { inputOf, settingsOfCommand } from './command-line.ts'
import type { Console } from './console.ts'
import { tellUncaught } from './ending.ts'
import { planningText, ProgressDisplay } from './progress.ts'

/** Prints what a run would judge and send; sends nothing. */
export async function planCommand(console: Console, _: unknown, command: Command): Promise<ExitCode> {
  const read = await settingsOfCommand(inputOf(command), console)
  if (read === null) return 2
  const { value: given, issues } = await withFailedRules(read.settings, read.catalogue)
  if (issues.length > 0) {
    console.err(describeIssues(issues))
    return 2
  }
  const settings = given.target.embedded ? withEmbedded(given, 'embedded') : given
  tellUncaught(console.ending, { redact: (text) => redactorOf(settings).redact(text) })
  const { suites } = await import('../../../suites/index.ts')
  const rules = planAloud(settings, [...suites, ...read.own], console)
  const { profile, maxRequests: budget } = settings.run
  const { baseUrl } = settings.target
  const notJudged = unplannedEndpoints(settings, rules)
  const shown = {
    rules: countedRules(rules),
    ...plannedRequests(rules),
    budget,
    opening: openingControl,
    baseUrl,
    profile,
    notJudged,
  }
  console.out(planText(shown))
  return 0
}

/** Plans, and says on the way how far it has come. */
function planAloud(settings: Settings, areas: readonly Area[], console: Console): readonly PlannedRule[] {
  const progress = new ProgressDisplay(console)
  try {
    return plan(settings, areas, {}, (event) => {
      if (!settings.run.quiet) progress.note(planningText(event))
    })
  } finally {
    progress.end()
  }
}

/** Requests of a plan, those of no rule included. */
export interface PlannedRequests {
  /** Health checks, at most. */
  readonly checks: number
  /** All, at most; confirmations and retries come on top. */
  readonly total: number
  readonly byClient: RequestsByClient
}

/** Sums up what a plan sends, with the request before all others and the health checks. */
export function plannedRequests(rules: readonly PlannedRule[]): PlannedRequests {
  const checks = healthChecks(rules)
  const planned = rules.reduce((sum, { requests }) => sum + requests, 0)
  return {
    checks,
    total: planned + openingControl + checks,
    byClient: sumByClient([...rules.map((rule) => rule.byClient), { target: openingControl + checks }]),
  }
}
