import type { Command } from 'commander'
import { replayText } from '../../report/render/replay-text.ts'
import type { Area } from '../../run/plan/cases.ts'
import { openingControl, plan, rejectionsBetween } from '../../run/plan/plan.ts'
import { redactorOf } from '../../run/plan/test-request.ts'
import { judge, type Judged, type JudgeOptions } from '../../run/run.ts'
import { describeIssues, issue } from '../../settings/issue.ts'
import type { Settings } from '../../settings/settings.ts'
import { printable } from '../../text/printable.ts'
import { UnusableInput } from '../../text/unusable-input.ts'
import { parseCaseName } from '../../verdict/shell-lines.ts'
import type { ExitCode } from '../../verdict/verdict.ts'
import { knownBaseline, withTarget } from '../judge-target.ts'
import {
  inputOf,
  refuse,
  settingsOfCommand,
  shownWord,
  tellUncaught,
  wholeNumber,
  withSettings,
  type Declare,
} from './command.ts'
import type { Console } from './console.ts'
import { interruptible, stopListening } from './signals.ts'

/** `replay`: sends a reported case again, byte for byte, and reports whether the answer is allowed or how often it was wrong. */
export const replayCommand: Declare = (program, acts) =>
  withSettings(program.command('replay'))
    .description('send a reported case again, byte for byte, and check the answer')
    .argument('<case>', 'name of the case in the reports, rule:seed:case')
    .option(
      '--times <number>',
      'number of repetitions, 1 to 1000; reports how often the answer was wrong',
      wholeNumber(1, 1_000),
      1,
    )
    .action(acts(replayCase))

async function replayCase(
  console: Console,
  given: string,
  { times: asked }: { readonly times: number },
  command: Command,
): Promise<ExitCode> {
  const read = await settingsOfCommand(inputOf(command, console), console)
  const { settings, suites } = read
  const name = parseCaseName(given, read.catalogue)
  if (name === null) {
    const about = issue('CASE', {
      given: /^[a-z/-]+:/.test(given) ? given : shownWord(given),
      expected:
        'the name of a case in a report, rule:seed:case, for example authentication/api-key-missing:20260101:absent',
      hint: 'copy the replay line of a finding',
    })
    throw new UnusableInput(describeIssues(read.shown([about])))
  }
  const { value: baseline, issues } = await knownBaseline(settings.run)
  refuse(issues)
  const { seed, ...shown } = name
  // The seed and credentials determine a case; the profile and selection do not.
  const seeded = { ...settings, run: { ...settings.run, seed } }
  const options = { baseline, replayed: { ...shown, times: asked } }
  return withTarget(seeded, (reached) => replay(reached, suites, options, console))
}

async function replay(
  settings: Settings,
  suites: readonly Area[],
  options: Pick<Required<JudgeOptions>, 'baseline' | 'replayed'>,
  console: Console,
): Promise<ExitCode> {
  const { maxRequests } = settings.run
  const { times: asked = 1, rule } = options.replayed
  const rules = plan(settings, suites, options)
  for (const { id, untested } of rules)
    if (untested !== null)
      throw new UnusableInput(
        printable(redactorOf(settings).redact(`${id} cannot judge this case: ${untested}`)),
      )
  // Leaves room for health checks, but sends the case at least once.
  const left = maxRequests - openingControl - Math.ceil(maxRequests / rejectionsBetween)
  const requests = Math.max(1, rules.find(({ id }) => id === rule)?.requests ?? 1)
  const fitting = Math.min(asked, Math.max(1, Math.floor(left / requests)))
  const interruption = interruptible(console, 'follow')
  tellUncaught(console.ending, settings, interruption)
  try {
    const replayed = { ...options.replayed, times: fitting }
    const more = { replayed, startedAt: console.now(), signal: interruption.signal }
    const judged = await judge(settings, suites, { ...options, ...more })
    const code = told(judged, { asked, baseUrl: settings.target.baseUrl ?? '' }, console)
    if (fitting < asked)
      console.out(`RUN_MAX_REQUESTS (${maxRequests}) allows only ${fitting} of ${asked} repetitions.\n`)
    return code
  } finally {
    stopListening()
  }
}

function told(
  { verdict, replayed }: Judged,
  about: { readonly asked: number; readonly baseUrl: string },
  console: Console,
): ExitCode {
  const { exitCode } = verdict
  if (replayed === null || exitCode === 4 || (exitCode === 2 && replayed.found.length === 0)) {
    console.err(`${verdict.because.join('; ')}\n`)
    return exitCode === 2 ? 2 : 4
  }
  const isUnanswered = replayed.sent === 0 && verdict.rules.every(({ answers }) => answers === 0)
  const unjudged =
    isUnanswered && replayed.unjudged.length === 0 ? ['nothing was answered'] : replayed.unjudged
  console.out(replayText({ ...replayed, unjudged, ...about }, console))
  return replayed.wrong > 0 ? 1 : unjudged.length > 0 ? 3 : 0
}
