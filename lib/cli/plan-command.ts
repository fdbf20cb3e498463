import { sumByClient } from '../engine/cases.ts'
import { healthChecks, openingControl, plan } from '../engine/plan.ts'
import { planText } from '../report/plan-text.ts'
import { withFailedRules } from '../run/failed-rules.ts'
import { withEmbedded } from '../run/judge-target.ts'
import { describeIssues } from '../settings/issue.ts'
import type { ExitCode } from '../verdict/verdict.ts'
import { settingsOfCommand, type CommandInput } from './command-line.ts'
import type { Console } from './console.ts'

/** Prints what a run would judge and send; sends nothing. */
export async function planCommand(input: CommandInput, console: Console): Promise<ExitCode> {
  const read = await settingsOfCommand(input, console)
  if (read === null) return 2
  const { value: given, issues } = await withFailedRules(read.settings, read.catalogue)
  if (issues.length > 0) {
    console.err(describeIssues(issues))
    return 2
  }
  const settings = given.target.embedded ? withEmbedded(given, 'embedded') : given
  const { suites } = await import('../../suites/index.ts')
  const rules = plan(settings, [...suites, ...read.own])
  const planned = rules.reduce((sum, { requests }) => sum + requests, 0) + openingControl
  const checks = healthChecks(rules)
  const { profile, maxRequests: budget } = settings.run
  const { baseUrl } = settings.target
  const total = planned + checks
  const byClient = sumByClient([...rules.map((rule) => rule.byClient), { target: openingControl + checks }])
  console.out(planText({ rules, total, budget, byClient, opening: openingControl, checks, baseUrl, profile }))
  return 0
}
