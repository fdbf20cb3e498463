import { randomUUID } from 'node:crypto'
import { RefusedFolderError } from '../../report/folder/reports-folder.ts'
import { setAside, type SetAside } from '../../report/folder/set-aside.ts'
import { newsSentence } from '../../report/history/changes.ts'
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
import { verdictDigest, verdictJson } from '../../verdict/verdict-json.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import {
  beginRun,
  earlierReports,
  failedVerdict,
  judgeTarget,
  readRun,
  type RunInput,
} from '../judge-target.ts'
import { lines, tellUncaught, withSettings, type Call, type Declare } from './command.ts'
import { addressIssue } from './doctor-command.ts'
import { ProgressDisplay } from './progress.ts'
import { interruptible, stopListening } from './signals.ts'

/** `run`: judges a target and writes the reports. The README lists the exit codes. */
export const runCommand: Declare = (program, acts) =>
  withSettings(program.command('run'))
    .description('judge a target and write the reports (the default)')
    .action(acts(run))

async function run(call: Call) {
  const { input, ending } = call
  const progress = new ProgressDisplay(call)
  const interruption = interruptible(progress.console)
  let aside: SetAside | null = null
  try {
    aside = await earlierReports(input, ending)
    const read = await readRun(input)
    const { issues, head, settings } = read
    call.err(lines(...read.notices))
    if (issues.length > 0) call.err(describeIssues(issues))
    try {
      aside ??= await setAside(settings.run.reportsDir)
      await beginRun(read, aside, ending)
    } catch (error) {
      // Another run is using the folder, so it stays unchanged.
      const isInUse = error instanceof RefusedFolderError
      if (isInUse) call.err(`${error.message}\n`)
      const because = [errorText(error), ...read.mistaken().because]
      return await conclude(errorVerdict(head(), isInUse ? 2 : 4, because), read, call, isInUse)
    }
    const verdict = issues.length > 0 ? read.mistaken() : await judged(read, aside, progress, interruption)
    // A mistake found before the first request leaves the earlier reports unchanged.
    return await conclude(verdict, read, call, await aside.conclude(verdict))
  } finally {
    aside?.lock.release()
    stopListening()
  }
}

async function judged(
  read: RunInput,
  aside: SetAside,
  progress: ProgressDisplay,
  interruption: AbortController,
) {
  const { err, ending } = progress.console
  const { settings, head } = read
  tellUncaught(ending, settings, interruption)
  try {
    const wrong = await addressIssue(settings)
    if (wrong !== null) {
      err(describeIssues([wrong], '2 requests were sent to find out'))
      const because = [`${wrong.setting}: expected ${wrong.expected}; ${wrong.hint ?? ''}`]
      const verdict = errorVerdict(head(), 2, because)
      return { ...verdict, requests: { ...verdict.requests, sent: 2 } }
    }
    return await progress.during(settings.run.quiet, (onEvent) =>
      judgeTarget(read, aside, { signal: interruption.signal, onEvent }),
    )
  } catch (error) {
    if (error instanceof OwnRuleError) err(describeIssues(error.issues))
    return failedVerdict(head(), error)
  }
}

/**
 * Writes the reports unless the earlier ones stay, prints the verdict on standard output and for GitHub workflows, and returns the exit code.
 * If a report cannot be written, the exit code is 4, but the verdict is still printed.
 */
async function conclude(ended: Verdict, { settings, key }: RunInput, call: Call, isUnwritten: boolean) {
  const { reportsDir: folder, history, format } = settings.run
  // Reports are shared, so the reasons for errors must not name the user's folder. All other reasons follow from the rules.
  const shown = (reason: string) => withoutFolder(reason, call.cwd)
  let verdict = ended.verdict === 'error' ? { ...ended, because: ended.because.map(shown) } : ended
  let isFinal = true
  if (isUnwritten) await tell(verdict, format, call, { reportsDir: null })
  else {
    const places = { folder, history }
    let digest = null
    try {
      await writeReports(verdict, places, { key, allure: verdict.rules.length > 0 })
      digest = verdictDigest(verdict)
    } catch (error) {
      const failure = errorText(error)
      call.err(`${failure}\n`)
      const because = [...new Set([shown(failure), ...verdict.because])]
      verdict = { ...verdict, verdict: 'error', exitCode: 4, because }
      isFinal = await writeWhatFits(verdict, places, key)
    }
    const since = newsSentence(verdict, await runsBefore(verdict, history))
    await tell(verdict, format, call, { reportsDir: folder, digest, since })
  }
  // The reports are final once everything is printed.
  if (isFinal) call.ending.folders = []
  return verdict.exitCode
}

/**
 * Prints a verdict, and also adds it to the GitHub summary. With `json`, standard output contains only the verdict; GitHub reads commands
 * from both streams.
 */
async function tell(
  verdict: Verdict,
  format: 'text' | 'json',
  { colour, width, env, ...console }: Call,
  { reportsDir, ...known }: { readonly reportsDir: string | null } & NonNullable<Parameters<typeof view>[1]>,
) {
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
