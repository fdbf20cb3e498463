import { randomUUID, type KeyObject } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import { OwnRuleError } from '../../run/plan/errors.ts'
import { redactorOf } from '../../run/plan/model-of-settings.ts'
import { RefusedFolderError } from '../../report/folder/lock.ts'
import { ReportsFolderError } from '../../report/folder/reports-folder.ts'
import { setAside, type SetAside } from '../../report/folder/set-aside.ts'
import { formatNotice } from '../../report/history/history.ts'
import { lastJudged, runsComparedWith } from '../../report/history/last-judged.ts'
import { newsSentence } from '../../report/history/news.ts'
import { annotations, appendStepSummary, withoutCommands } from '../../report/render/annotations.ts'
import { summaryMarkdown } from '../../report/render/summary.ts'
import { terminalSummary } from '../../report/render/terminal-summary.ts'
import { view } from '../../report/view.ts'
import {
  beginAside,
  runsBefore,
  writeReports,
  writeWhatFits,
  type ReportPlaces,
} from '../../report/write-reports.ts'
import { describeIssues } from '../../settings/issue.ts'
import { packageVersion } from '../../settings/package-version.ts'
import type { Settings } from '../../settings/settings.ts'
import { withoutFolder } from '../../settings/shown-path.ts'
import type { SettingsInput } from '../../settings/sources.ts'
import { errorText } from '../../text/printable.ts'
import { errorVerdict, runMetadata, unfinishedVerdict, type RunMetadata } from '../../verdict/assemble.ts'
import { historyLine } from '../../verdict/history-line.ts'
import { verdictDigest, verdictJson } from '../../verdict/verdict-json.ts'
import type { ExitCode, Verdict } from '../../verdict/verdict.ts'
import { connectionOf, judgeTarget, type JudgeTargetOptions } from '../judge-target.ts'
import { earlierReports, failedVerdict, readRun } from '../run-start.ts'
import { inputOf, withSettings, type Declare } from './command.ts'
import type { Console } from './console.ts'
import { tellUncaught } from './ending.ts'
import { addressIssue } from './meant-address.ts'
import { ProgressDisplay, RunProgress } from './progress.ts'
import { Interruption } from './signals.ts'

/** `run`: judges a target and writes the reports. The README lists the exit codes. */
export const runCommand: Declare = (program, acts) =>
  withSettings(program.command('run'))
    .description('judge a target and write the reports (the default)')
    .action(acts(run))

async function run(console: Console, _: unknown, command: Command): Promise<ExitCode> {
  const progress = new ProgressDisplay(console)
  const interruption = new Interruption(progress.console)
  const input = inputOf(command, console)
  const earlier = await earlierReports(input, console.ending)
  try {
    if (earlier !== null) interruption.leaves(earlier.lock.release)
    return await runBeside(earlier, input, { console, progress, interruption })
  } finally {
    earlier?.lock.release()
    interruption.forget()
  }
}

interface Surroundings {
  readonly console: Console
  readonly progress: ProgressDisplay
  readonly interruption: Interruption
}

/** Where a verdict is printed and written. */
interface Output {
  readonly console: Console
  readonly format: 'text' | 'json'
  readonly places: ReportPlaces
  readonly key: KeyObject | null
}

/** The outcome of a run. */
interface Ended {
  readonly verdict: Verdict
  /** Reasons already printed on standard error, which the text omits. */
  readonly said?: readonly string[]
  /** Whether anything was judged; if so, Allure results are written. */
  readonly judged?: true
}

async function runBeside(
  earlier: SetAside | null,
  input: SettingsInput,
  surroundings: Surroundings,
): Promise<ExitCode> {
  const { console, interruption } = surroundings
  const started = performance.now()
  const { read, settings, baseline, key, issues } = await readRun(input)
  for (const notice of read.notices) console.err(`${notice}\n`)
  const known = settings ?? (read.kind === 'issues' ? read.partial : read.settings)
  const head = (): RunMetadata => {
    const durationMs = performance.now() - started
    const connection = read.kind === 'issues' ? null : connectionOf(known, console.env)
    return runMetadata(known, {
      suiteVersion: packageVersion(),
      startedAt: input.now,
      durationMs,
      connection,
    })
  }
  const { reportsDir: folder, history, format } = known.run
  const output = { console, format, places: { folder, history }, key }
  console.ending.folder = folder
  if (settings === null) console.err(describeIssues(issues))
  const said = issues.map(({ setting, expected }) => `${setting}: expected ${expected}`)
  let aside = earlier
  try {
    const notice = settings === null ? null : await formatNotice(history)
    if (notice !== null) console.err(`${notice}\n`)
    aside ??= await setAside(folder)
    interruption.leaves(aside.lock.release)
    if (settings !== null) {
      await beginAside(aside, unfinishedVerdict(head()))
      console.ending.begun = (await stat(join(folder, 'verdict.json'))).ino
    }
  } catch (error) {
    aside?.lock.release()
    const because = [errorText(error), ...said]
    // Another run is using the folder, so it stays unchanged.
    if (!(error instanceof RefusedFolderError))
      return conclude({ verdict: errorVerdict(head(), 4, because) }, output)
    console.err(`${error.message}\n`)
    return tellAlone({ verdict: errorVerdict(head(), 2, because), said: because }, output)
  }
  try {
    const options = { startedAt: input.now, own: read.own, baseline, aside }
    const ended =
      settings === null
        ? { verdict: errorVerdict(head(), 2, said), said }
        : await judged(settings, options, head, surroundings)
    // A mistake found before the first request leaves the earlier reports unchanged.
    return await ((await aside.conclude(ended.verdict)) ? tellAlone(ended, output) : conclude(ended, output))
  } finally {
    aside.lock.release()
  }
}

async function judged(
  settings: Settings,
  options: Pick<JudgeTargetOptions, 'startedAt' | 'own' | 'baseline' | 'aside'>,
  head: () => RunMetadata,
  { console, progress, interruption }: Surroundings,
): Promise<Ended> {
  tellUncaught(console.ending, {
    redact: (text) => redactorOf(settings).redact(text),
    end: (error) => interruption.end(error),
  })
  try {
    const wrong = await addressIssue(settings)
    if (wrong !== null) {
      console.err(describeIssues([wrong], '2 requests were sent to find out'))
      const said = [`${wrong.setting}: expected ${wrong.expected}; ${wrong.hint ?? ''}`]
      const verdict = errorVerdict(head(), 2, said)
      return { verdict: { ...verdict, requests: { ...verdict.requests, sent: 2 } }, said }
    }
    const sofar = new RunProgress()
    const { signal } = interruption
    const connection = connectionOf(settings, console.env)
    const onEvent: JudgeTargetOptions['onEvent'] = (event) => {
      sofar.note(event)
      if (!settings.run.quiet) progress.note(() => sofar.text)
    }
    const judging = judgeTarget(settings, { ...options, connection, signal, onEvent })
    return { verdict: await judging.finally(() => progress.end()), judged: true }
  } catch (error) {
    if (error instanceof OwnRuleError) console.err(describeIssues(error.issues))
    return {
      verdict: failedVerdict(head(), error),
      said: error instanceof OwnRuleError ? [error.message] : [],
    }
  }
}

/**
 * Writes the reports, prints the verdict on standard output and for GitHub workflows, and returns the exit code. If a report cannot be
 * written, the exit code is 4, but the verdict is still printed.
 */
async function conclude(ended: Ended, output: Output): Promise<ExitCode> {
  const { console, key, places } = output
  const verdict = withoutPaths(ended.verdict, console.cwd)
  const allure = ended.judged === true ? { allure: console.env } : {}
  const unwritten = await writeReports(verdict, places, { key, ...allure }).then(
    () => null,
    (error: unknown) =>
      error instanceof ReportsFolderError
        ? error.message
        : `the suite itself failed, and the reports cannot be written: ${errorText(error)}`,
  )
  const because = [...new Set([withoutFolder(unwritten ?? '', console.cwd), ...verdict.because])]
  const final: Verdict = unwritten === null ? verdict : { ...verdict, verdict: 'error', exitCode: 4, because }
  const isWritten = unwritten === null || (await writeWhatFits(final, places, key))
  if (unwritten !== null) console.err(`${unwritten}\n`)
  const line = historyLine(final)
  const earlier = runsComparedWith(await runsBefore(final, places.history), line)
  const news = newsSentence(final, lastJudged(earlier, line))
  const digest = unwritten === null ? verdictDigest(final) : null
  const said = [...(ended.said ?? []), unwritten ?? '']
  await tell({ verdict: final, said }, output, { reportsDir: places.folder, digest, since: news })
  // The reports are final once everything is printed.
  if (isWritten) console.ending.folder = null
  return final.exitCode
}

/** Prints a verdict without writing reports or history. */
async function tellAlone({ verdict, said }: Ended, output: Output): Promise<ExitCode> {
  const { console } = output
  console.ending.folder = null
  await tell({ verdict: withoutPaths(verdict, console.cwd), said: said ?? [] }, output, { reportsDir: null })
  return verdict.exitCode
}

/** Reports are shared, so the reasons for errors must not name the user's folder. All other reasons follow from the rules. */
function withoutPaths(verdict: Verdict, cwd: string): Verdict {
  if (verdict.verdict !== 'error') return verdict
  return { ...verdict, because: verdict.because.map((reason) => withoutFolder(reason, cwd)) }
}

/**
 * Prints a verdict, and also adds it to the GitHub summary. With `json`, standard output contains only the verdict; GitHub reads commands
 * from both streams.
 */
async function tell(
  { verdict, said }: Required<Pick<Ended, 'verdict' | 'said'>>,
  { console, format }: Output,
  { reportsDir, ...known }: { readonly reportsDir: string | null } & NonNullable<Parameters<typeof view>[1]>,
): Promise<void> {
  const { colour, width, cwd, env } = console
  const isGitHub = env['GITHUB_ACTIONS'] === 'true'
  const shown = view(verdict, known)
  const commands = isGitHub ? annotations(shown).map((line) => `${line}\n`) : []
  if (format === 'json') {
    console.out(verdictJson(verdict))
    if (commands.length > 0) console.err(commands.join(''))
  } else {
    const told = said.map((reason) => withoutFolder(reason, cwd))
    const because = verdict.because.filter((reason) => !told.includes(reason))
    const isTold = because.length < verdict.because.length
    const untold = isTold ? view({ ...verdict, because }, known) : shown
    const text = terminalSummary(untold, { colour, width, reportsDir })
    console.out(`${isGitHub ? withoutCommands(text, randomUUID()) : text}${commands.join('')}`)
  }
  const file = env['GITHUB_STEP_SUMMARY'] ?? ''
  const failure = file === '' ? null : await appendStepSummary(file, summaryMarkdown(shown))
  if (failure !== null) console.err(`${failure}\n`)
}
