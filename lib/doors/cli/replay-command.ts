import type { Command } from 'commander'
import type { Baseline } from '../../drift/baseline.ts'
import type { Area } from '../../engine/plan/cases.ts'
import { judge, type Judged } from '../../engine/run/run.ts'
import { rejectionsBetween, openingControl, type PlannedRule } from '../../engine/plan/allot.ts'
import { redactorOf } from '../../engine/plan/redactor-of.ts'
import { plan } from '../../engine/plan/plan.ts'
import type { ReplayedCase } from '../../engine/plan/suite-context.ts'
import { parseCaseName } from '../../explain/shell-lines.ts'
import { replayText } from '../../report/render/replay-text.ts'
import type { ExitCode } from '../../verdict/verdict.ts'
import { describeIssues, issue, type SettingIssue } from '../../settings/issue.ts'
import { printable } from '../../text/printable.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Console } from './console.ts'
import { tellUncaught } from './ending.ts'
import { knownBaseline } from '../baseline-file.ts'
import { withTarget } from '../judge-target.ts'
import { inputOf, settingsOfCommand, shownWord } from './command-line.ts'
import { Interruption } from './signals.ts'

/** How many times a case may be sent again; the budget may hold fewer. */
const times = {
  read: (text: string) => (/^(?:[1-9]\d{0,2}|1000)$/.test(text) ? Number(text) : undefined),
  expected: 'a whole number from 1 to 1000, written in digits only',
}

/** Sends one reported case again, byte for byte, and says whether what came is allowed, or how often it was wrong. */
export async function replayCommand(
  console: Console,
  given: string,
  flags: { readonly times: string },
  command: Command,
): Promise<ExitCode> {
  const asked = times.read(flags.times)
  const read = await settingsOfCommand(inputOf(command), console, (catalogue) => [
    ...(parseCaseName(given, catalogue) === null ? [notACase(given)] : []),
    ...(asked === undefined ? [notTimes(flags.times)] : []),
  ])
  const name = read === null ? null : parseCaseName(given, read.catalogue)
  if (read === null || name === null || asked === undefined) return 2
  const { settings, own } = read
  // Seed and credentials determine a case: no profile or selection changes it.
  const seeded = { ...settings, run: { ...settings.run, seed: name.seed } }
  const { seed: _, ...shown } = name
  const { value: baseline, issues } = await knownBaseline(settings.run)
  if (issues.length > 0) console.err(describeIssues(issues))
  if (issues.length > 0) return 2
  const replayed = { ...shown, times: asked }
  return withTarget(seeded, (reached) => replay(reached, { own, baseline, asked: replayed }, console))
}

/** What is sent again, and what it is judged by. */
interface Replaying {
  readonly own: readonly Area[]
  readonly baseline: Baseline | null
  readonly asked: ReplayedCase & { readonly times: number }
}

function notACase(given: string): SettingIssue {
  return issue('CASE', {
    given: /^[a-z/-]+:/.test(given) ? given : shownWord(given),
    expected:
      'the name of a case as reports give it: rule:seed:case, for example authentication/api-key-missing:20260101:absent',
    hint: 'copy the replay line of a finding',
  })
}

function notTimes(given: string): SettingIssue {
  return issue('--times', { given: shownWord(given), expected: times.expected })
}

async function replay(
  settings: Settings,
  { own, baseline, asked }: Replaying,
  console: Console,
): Promise<ExitCode> {
  const { suites: ours } = await import('../../../suites/index.ts')
  const suites = [...ours, ...own]
  const rules = plan(settings, suites, { replayed: asked, baseline })
  for (const { id, untested } of rules) {
    if (untested === null) continue
    console.err(`${id} cannot judge this case: ${printable(redactorOf(settings).redact(untested))}\n`)
    return 2
  }
  const planned = rules.find(({ id }) => id === asked.rule)
  const fitting = Math.min(asked.times, timesWithin(settings.run.maxRequests, planned))
  const interruption = new Interruption(console, 'follows')
  tellUncaught(console.ending, {
    redact: (text) => redactorOf(settings).redact(text),
    end: (error) => interruption.end(error),
  })
  try {
    const judged = await judge(settings, suites, {
      startedAt: console.now(),
      baseline,
      replayed: { ...asked, times: fitting },
      signal: interruption.signal,
    })
    return told(judged, { asked: asked.times, fitting, settings }, console)
  } finally {
    interruption.forget()
  }
}

/** How often a case fits into the budget, with room for health checks; at least once. */
function timesWithin(maxRequests: number, planned: PlannedRule | undefined): number {
  const left = maxRequests - openingControl - Math.ceil(maxRequests / rejectionsBetween)
  return Math.max(1, Math.floor(left / Math.max(1, planned?.requests ?? 1)))
}

interface Asking {
  readonly asked: number
  /** How many times fit into the budget. */
  readonly fitting: number
  readonly settings: Settings
}

function told(
  { verdict, replayed }: Judged,
  { asked, fitting, settings }: Asking,
  console: Console,
): ExitCode {
  const isOfUsersFiles = verdict.exitCode === 2 && replayed?.found.length === 0
  if (verdict.exitCode === 4 || isOfUsersFiles || replayed === null) {
    console.err(`${verdict.because.join('; ')}\n`)
    return isOfUsersFiles ? 2 : 4
  }
  const { target, run } = settings
  const isUnanswered = replayed.sent === 0 && verdict.rules.every(({ answers }) => answers === 0)
  const unjudged =
    isUnanswered && replayed.unjudged.length === 0 ? ['nothing was answered'] : replayed.unjudged
  const outcome = { ...replayed, unjudged, asked, baseUrl: target.baseUrl ?? '' }
  console.out(replayText(outcome, { colour: console.colour, width: console.width }))
  if (fitting < asked)
    console.out(`${fitting} of the ${asked} times fit into RUN_MAX_REQUESTS (${run.maxRequests}).\n`)
  if (replayed.wrong > 0) return 1
  return unjudged.length > 0 ? 3 : 0
}
