import type { Area } from '../engine/cases.ts'
import { judge, type Judged } from '../engine/run.ts'
import { plan } from '../engine/plan.ts'
import { parseCaseName, type CaseName } from '../judge/shell-lines.ts'
import { replayText } from '../report/replay-text.ts'
import type { ExitCode } from '../verdict/verdict.ts'
import { issue, shortened, type SettingIssue } from '../settings/issue.ts'
import type { Settings } from '../settings/settings.ts'
import type { Console } from './console.ts'
import { withTarget } from '../run/judge-target.ts'
import { settingsOfCommand, shownWord, type CommandInput } from './command-line.ts'

/** Sends one reported case again, byte for byte, and says whether the answer is allowed. */
export async function replayCommand(given: string, input: CommandInput, console: Console): Promise<ExitCode> {
  const read = await settingsOfCommand(input, console, (catalogue) =>
    parseCaseName(given, catalogue) === null ? [notACase(given)] : [],
  )
  const name = read === null ? null : parseCaseName(given, read.catalogue)
  if (read === null || name === null) return 2
  const { settings, own } = read
  // Seed and credentials determine a case: no profile or selection changes it.
  const seeded = { ...settings, run: { ...settings.run, seed: name.seed } }
  return withTarget(seeded, (reached) => replay(reached, own, name, console))
}

function notACase(given: string): SettingIssue {
  return issue('CASE', {
    given: /^[a-z/-]+:/.test(given) ? shortened(given) : shownWord(given),
    expected:
      'the name of a case as reports give it: rule:seed:case, for example authentication/api-key-missing:20260101:absent',
    hint: 'copy the replay line of a finding',
  })
}

async function replay(
  settings: Settings,
  own: readonly Area[],
  { rule, case: name }: CaseName,
  console: Console,
): Promise<ExitCode> {
  const { suites: ours } = await import('../../suites/index.ts')
  const suites = [...ours, ...own]
  const replayed = { rule, case: name }
  const planned = plan(settings, suites, { replayed })
  const untested = planned.find(({ id }) => id === rule)?.untested ?? null
  if (untested !== null) {
    console.err(`${rule} cannot send this case: ${untested}\n`)
    return 2
  }
  return told(await judge(settings, suites, { startedAt: console.now(), replayed }), settings, console)
}

function told({ verdict, replayed, ended }: Judged, { target }: Settings, console: Console): ExitCode {
  if (verdict.exitCode === 4) {
    console.err(`${verdict.because.join('; ')}\n`)
    return 4
  }
  const { exchanges, found } = replayed ?? { exchanges: [], found: [] }
  const unjudged = verdict.rules.filter(({ status }) => status === 'inconclusive' || status === 'untested')
  console.out(
    replayText(
      {
        baseUrl: target.baseUrl ?? '',
        exchanges,
        found,
        unjudged: [...new Set(unjudged.flatMap(({ because }) => because ?? []))],
      },
      { colour: console.colour, width: console.width },
    ),
  )
  if (found.length > 0) return 1
  const isUnanswered = exchanges.length === 0 && verdict.rules.every(({ answers }) => answers === 0)
  return ended || isUnanswered ? 3 : 0
}
