import { judge, type Judged } from '../engine/run.ts'
import { plan } from '../engine/plan.ts'
import { parseCaseName, type CaseName } from '../judge/replay-line.ts'
import { replayText } from '../report/replay-text.ts'
import type { ExitCode, VerdictRule } from '../verdict/verdict.ts'
import { describeIssues, shortened } from '../settings/issue.ts'
import { readSettings } from '../settings/read-settings.ts'
import type { Settings } from '../settings/settings.ts'
import type { Console } from './console.ts'
import { startEmbedded } from './embedded.ts'
import type { CommandInput } from './run-command.ts'
import { shownWord } from './shown-word.ts'

/** Sends one reported case again, byte for byte, and says what came and whether it is allowed. Source: Commands, in the README. */
export async function replayCommand(given: string, input: CommandInput, console: Console): Promise<ExitCode> {
  const name = parseCaseName(given)
  const read = await readSettings({ env: console.env, cwd: console.cwd, now: console.now(), ...input })
  const mistakes = [
    ...(name === null ? [notACase(given)] : []),
    ...input.mistakes,
    ...(read.kind === 'issues' ? read.issues : []),
  ]
  for (const notice of read.notices) console.err(`${notice}\n`)
  if (name === null || read.kind === 'issues' || mistakes.length > 0) {
    console.err(describeIssues(mistakes))
    return 2
  }

  const embedded = read.settings.target.embedded ? await startEmbedded(read.settings) : null
  try {
    return await replay(withSeed(embedded?.settings ?? read.settings, name), name, console)
  } finally {
    await embedded?.service.close()
  }
}

function notACase(given: string) {
  return {
    setting: 'CASE',
    given: /^[a-z/-]+:/.test(given) ? shortened(given) : shownWord(given),
    expected:
      'the name of a case as reports give it: rule:seed:case, for example authentication/api-key-missing:20260101:absent',
    hint: 'copy the replay line of a finding',
  }
}

/** All that a case is made from besides the credentials: no profile and no selection changes it. */
function withSeed(settings: Settings, { seed }: CaseName): Settings {
  return { ...settings, run: { ...settings.run, seed } }
}

async function replay(
  settings: Settings,
  { rule, case: name }: CaseName,
  console: Console,
): Promise<ExitCode> {
  const { suites } = await import('../../suites/index.ts')
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
  return ended || isUnanswered(verdict.rules, exchanges.length) ? 3 : 0
}

function isUnanswered(results: readonly VerdictRule[], exchanges: number): boolean {
  return exchanges === 0 && results.every(({ answers }) => answers === 0)
}
