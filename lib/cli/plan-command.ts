import { plan } from '../engine/plan.ts'
import { planText } from '../report/plan-text.ts'
import type { ExitCode } from '../verdict/verdict.ts'
import { healthChecks, openingControl } from '../engine/plan.ts'
import { describeIssues } from '../settings/issue.ts'
import { readSettings } from '../settings/read-settings.ts'
import type { Console } from './console.ts'
import { withEmbedded } from './embedded.ts'
import type { CommandInput } from './run-command.ts'

/** Prints what a run would judge and send; sends nothing. */
export async function planCommand(input: CommandInput, console: Console): Promise<ExitCode> {
  const now = console.now()
  const read = await readSettings({ env: console.env, cwd: console.cwd, now, ...input })
  for (const notice of read.notices) console.err(`${notice}\n`)
  if (read.kind === 'issues' || input.mistakes.length > 0) {
    console.err(describeIssues([...input.mistakes, ...(read.kind === 'issues' ? read.issues : [])]))
    return 2
  }

  const { embedded } = read.settings.target
  const settings = embedded ? withEmbedded(read.settings, 'embedded') : read.settings
  const { suites } = await import('../../suites/index.ts')
  const rules = plan(settings, suites)
  const planned = rules.reduce((sum, { requests }) => sum + requests, 0) + openingControl
  const checks = healthChecks(planned)
  const { profile, maxRequests } = settings.run
  console.out(
    planText({
      rules,
      total: planned + checks,
      budget: maxRequests,
      opening: openingControl,
      checks,
      baseUrl: settings.target.baseUrl,
      profile,
    }),
  )
  return 0
}
