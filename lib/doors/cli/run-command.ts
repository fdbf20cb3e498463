import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import { RefusedFolderError, type SetAside } from '../../report/folder/reports-folder.ts'
import { newsSentence } from '../../report/history/history.ts'
import { annotations, appendStepSummary, withoutCommands } from '../../report/render/annotations.ts'
import { summaryMarkdown } from '../../report/render/summary.ts'
import { terminalSummary } from '../../report/render/terminal.ts'
import { view } from '../../report/view.ts'
import { runsBefore, writeReports, writeWhatFits } from '../../report/write-reports.ts'
import { OwnRuleError } from '../../run/plan/errors.ts'
import { describeIssues } from '../../settings/issue.ts'
import { withoutFolder } from '../../settings/user-file.ts'
import { errorText } from '../../text/printable.ts'
import { errorVerdict } from '../../verdict/assemble.ts'
import { verdictDigest, verdictJson, type ExitCode, type Verdict } from '../../verdict/verdict.ts'
import { beginRun, earlierReports, failedVerdict, judgeTarget, readRun, type RunInput } from '../run-start.ts'
import { inputOf, tellUncaught, withSettings, type Declare } from './command.ts'
import type { Console } from './console.ts'
import { addressIssue } from './doctor-command.ts'
import { ProgressDisplay } from './progress.ts'
import { interruptible, stopListening } from './signals.ts'

/** `run`: judges a target and writes the reports. The README lists the exit codes. */
export const runCommand: Declare = (program, acts) =>
  withSettings(program.command('run'))
    .description('judge a target and write the reports (the default)')
    .action(acts(run))

async function run(console: Console, _: unknown, command: Command): Promise<ExitCode> {
  const progress = new ProgressDisplay(console)
  const interruption = interruptible(progress.console)
  let aside: SetAside | null = null
  try {
    const input = inputOf(command, console)
    aside = await earlierReports(input, console.ending)
    const read = await readRun(input)
    for (const notice of read.notices) console.err(`${notice}\n`)
    if (read.issues.length > 0) console.err(describeIssues(read.issues))
    const because = read.issues.map(({ setting, expected }) => `${setting}: expected ${expected}`)
    try {
      aside = await beginRun(read, aside, console.ending)
    } catch (error) {
      // Another run is using the folder, so it stays unchanged.
      const isInUse = error instanceof RefusedFolderError
      if (isInUse) console.err(`${error.message}\n`)
      const reasons = [errorText(error), ...because]
      return await conclude(errorVerdict(read.head(), isInUse ? 2 : 4, reasons), read, console, isInUse)
    }
    const verdict =
      because.length > 0
        ? errorVerdict(read.head(), 2, because)
        : await judged(read, aside, { progress, interruption })
    // A mistake found before the first request leaves the earlier reports unchanged.
    return await conclude(verdict, read, console, await aside.conclude(verdict))
  } finally {
    aside?.lock.release()
    stopListening()
  }
}

async function judged(
  read: RunInput,
  aside: SetAside,
  { progress, interruption }: { readonly progress: ProgressDisplay; readonly interruption: AbortController },
): Promise<Verdict> {
  const { console } = progress
  const { settings, head } = read
  tellUncaught(console.ending, settings, interruption)
  try {
    const wrong = await addressIssue(settings)
    if (wrong !== null) {
      console.err(describeIssues([wrong], '2 requests were sent to find out'))
      const because = [`${wrong.setting}: expected ${wrong.expected}; ${wrong.hint ?? ''}`]
      const verdict = errorVerdict(head(), 2, because)
      return { ...verdict, requests: { ...verdict.requests, sent: 2 } }
    }
    const onEvent = progress.follow(settings.run.quiet)
    const judging = judgeTarget(read, aside, { signal: interruption.signal, onEvent })
    return await judging.finally(() => progress.end())
  } catch (error) {
    if (error instanceof OwnRuleError) console.err(describeIssues(error.issues))
    return failedVerdict(head(), error)
  }
}

/**
 * Writes the reports unless the earlier ones stay, prints the verdict on standard output and for GitHub workflows, and returns the exit code.
 * If a report cannot be written, the exit code is 4, but the verdict is still printed.
 */
async function conclude(
  ended: Verdict,
  { settings, key }: RunInput,
  console: Console,
  isUnwritten: boolean,
): Promise<ExitCode> {
  const { reportsDir: folder, history, format } = settings.run
  // Reports are shared, so the reasons for errors must not name the user's folder. All other reasons follow from the rules.
  const shown = (reason: string): string => withoutFolder(reason, console.cwd)
  const verdict = ended.verdict === 'error' ? { ...ended, because: ended.because.map(shown) } : ended
  if (isUnwritten) {
    console.ending.folders = []
    await tell(verdict, format, console, { reportsDir: null })
    return verdict.exitCode
  }
  const places = { folder, history }
  const allure = verdict.rules.length > 0
  const failure = await writeReports(verdict, places, { key, allure }).then(
    () => null,
    (error: unknown) => errorText(error),
  )
  const because = [...new Set([shown(failure ?? ''), ...verdict.because])]
  const final: Verdict =
    failure === null
      ? verdict
      : {
          ...verdict,
          verdict: 'error',
          exitCode: 4,
          because,
        }
  const isWritten = failure === null || (await writeWhatFits(final, places, key))
  if (failure !== null) console.err(`${failure}\n`)
  const since = newsSentence(final, await runsBefore(final, history))
  const digest = failure === null ? verdictDigest(final) : null
  await tell(final, format, console, { reportsDir: folder, digest, since })
  // The reports are final once everything is printed.
  if (isWritten) console.ending.folders = []
  return final.exitCode
}

/**
 * Prints a verdict, and also adds it to the GitHub summary. With `json`, standard output contains only the verdict; GitHub reads commands
 * from both streams.
 */
async function tell(
  verdict: Verdict,
  format: 'text' | 'json',
  { colour, width, env, ...console }: Console,
  { reportsDir, ...known }: { readonly reportsDir: string | null } & NonNullable<Parameters<typeof view>[1]>,
): Promise<void> {
  const isGitHub = env['GITHUB_ACTIONS'] === 'true'
  const shown = view(verdict, known)
  const commands = isGitHub ? annotations(shown).map((line) => `${line}\n`) : []
  if (format === 'json') {
    console.out(verdictJson(verdict))
    if (commands.length > 0) console.err(commands.join(''))
  } else {
    // Standard error already has the mistakes that kept the run from judging anything.
    const isTold = verdict.exitCode === 2 && verdict.rules.length === 0
    const untold = isTold ? view({ ...verdict, because: [] }, known) : shown
    const text = terminalSummary(untold, { colour, width, reportsDir })
    console.out(`${isGitHub ? withoutCommands(text, randomUUID()) : text}${commands.join('')}`)
  }
  const file = env['GITHUB_STEP_SUMMARY'] ?? ''
  const failure = file === '' ? null : await appendStepSummary(file, summaryMarkdown(shown))
  if (failure !== null) console.err(`${failure}\n`)
}
