import type { Command } from 'commander'
import { planText } from '../../report/render/plan-text.ts'
import { sumByClient } from '../../run/plan/cases.ts'
import {
  healthChecks,
  openingControl,
  plan,
  unplannedEndpoints,
  type PlannedRule,
} from '../../run/plan/plan.ts'
import { countedRules } from '../../specification/rules.ts'
import { withEmbedded } from '../judge-target.ts'
import { withFailedRules } from '../run-start.ts'
import { inputOf, refuse, settingsOfCommand, tellUncaught, withSettings, type Declare } from './command.ts'
import type { Console } from './console.ts'
import { ProgressDisplay } from './progress.ts'

/** `plan`: prints the rules and requests of a run, and sends nothing. */
export const planCommand: Declare = (program, acts) =>
  withSettings(program.command('plan'))
    .description('print the rules of a run and the number of requests for each; sends nothing')
    .action(acts(printPlan))

async function printPlan(console: Console, _: unknown, command: Command): Promise<void> {
  const read = await settingsOfCommand(inputOf(command, console), console)
  const { value: given, issues } = await withFailedRules(read.settings, read.catalogue)
  refuse(issues)
  const settings = given.target.embedded ? withEmbedded(given, 'embedded') : given
  tellUncaught(console.ending, settings)
  const progress = new ProgressDisplay(console)
  let rules
  try {
    rules = plan(settings, read.suites, {}, progress.follow(settings.run.quiet))
  } finally {
    progress.end()
  }
  const { profile, maxRequests: budget } = settings.run
  const { baseUrl } = settings.target
  const notJudged = unplannedEndpoints(settings, rules)
  const requests = { ...plannedRequests(rules), budget, opening: openingControl }
  console.out(
    planText({
      rules: countedRules(rules),
      ...requests,
      baseUrl,
      profile,
      notJudged,
    }),
  )
}

/** Maximum number of requests in a plan, including the first request and health checks, but not confirmations and retries. */
export function plannedRequests(rules: readonly PlannedRule[]) {
  const checks = healthChecks(rules)
  const planned = rules.reduce((sum, { requests }) => sum + requests, 0)
  return {
    checks,
    total: planned + openingControl + checks,
    byClient: sumByClient([...rules.map((rule) => rule.byClient), { target: openingControl + checks }]),
  }
}
