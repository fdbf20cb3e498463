import { planText } from '../report/plan-text.ts'
import type { ExitCode } from '../report/verdict.ts'
import { healthChecks, openingControl } from '../session/plan.ts'
import { describeMistakes } from '../settings/describe-mistakes.ts'
import { readSettings } from '../settings/read-settings.ts'
import type { Console } from './console.ts'
import { withEmbedded } from './embedded.ts'
import type { CommandInput } from './run-command.ts'
import { loadSuites } from './suites.ts'

/** Prints what a run would judge and send; sends nothing. */
export async function planCommand(input: CommandInput, console: Console): Promise<ExitCode> {
  const now = console.now()
  const read = await readSettings({ env: console.env, cwd: console.cwd, now, ...input })
  for (const notice of read.notices) console.err(`${notice}\n`)
  if (read.kind === 'mistakes' || input.mistakes.length > 0) {
    console.err(describeMistakes([...input.mistakes, ...(read.kind === 'mistakes' ? read.mistakes : [])]))
    return 2
  }

  const { embedded } = read.settings.target
  const settings = embedded ? withEmbedded(read.settings, 'embedded') : read.settings
  const suites = await loadSuites({ settings, now, allure: false })
  try {
    const { plan, mishaps } = suites
    if (mishaps.length > 0) throw new Error(mishaps.join('; '))
    const planned = plan.reduce((sum, { requests }) => sum + requests, 0) + openingControl
    const checks = healthChecks(planned)
    const total = planned + checks
    const { profile, maxRequests } = settings.run
    const { baseUrl } = settings.target
    console.out(
      planText({
        rules: plan,
        total,
        budget: maxRequests,
        opening: openingControl,
        checks,
        baseUrl,
        profile,
      }),
    )
    return 0
  } finally {
    await suites.close()
  }
}
