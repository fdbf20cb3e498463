import type { KeyObject } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import { OwnRuleError } from '../../engine/plan/errors.ts'
import { packageVersion } from '../../settings/package-version.ts'
import { redactorOf } from '../../engine/plan/redactor-of.ts'
import { RefusedFolderError } from '../../report/folder/lock.ts'
import { ReportsFolderError } from '../../report/folder/reports-folder.ts'
import { setAside, type SetAside } from '../../report/folder/set-aside.ts'
import { formatNotice } from '../../report/history/history.ts'
import { lastJudged, runsComparedWith } from '../../report/history/last-judged.ts'
import { newsSentence } from '../../report/history/news.ts'
import {
  beginAside,
  runsBefore,
  writeReports,
  writeWhatFits,
  type ReportPlaces,
} from '../../report/write-reports.ts'
import { connectionOf, judgeTarget } from '../judge-target.ts'
import { describeIssues } from '../../settings/issue.ts'
import { earlierReports, readRun } from '../run-start.ts'
import type { Settings } from '../../settings/settings.ts'
import { errorVerdict, runMetadata, unfinishedVerdict, type RunMetadata } from '../../verdict/assemble.ts'
import { historyLine } from '../../verdict/history-line.ts'
import { verdictDigest } from '../../verdict/verdict-json.ts'
import type { ExitCode, Verdict } from '../../verdict/verdict.ts'
import { inputOf, type CommandInput } from './command-line.ts'
import type { Console } from './console.ts'
import { tellUncaught } from './ending.ts'
import { addressIssue } from './meant-address.ts'
import { planningText, ProgressDisplay, RunProgress } from './progress.ts'
import { tell, tellVerdict, withoutPaths, type VerdictOutput } from './tell-verdict.ts'
import { Interruption } from './signals.ts'
import { errorText } from '../../text/printable.ts'
import { withoutFolder } from '../../settings/shown-path.ts'

/** Judges a target and writes the reports; the README lists the exit codes. */
export async function runCommand(console: Console, _: unknown, command: Command): Promise<ExitCode> {
  return runOn(inputOf(command), console)
}

/** As {@link runCommand}, by what was read of the command line. */
export async function runOn(input: CommandInput, console: Console): Promise<ExitCode> {
  const progress = new ProgressDisplay(console)
  const interruption = new Interruption(progress.console)
  const isMistyped = input.issues.length > 0
  if (isMistyped) console.ending.folder = null
  const { env, cwd, ending } = console
  const sources = { env, cwd, now: console.now(), ...input }
  const earlier = isMistyped ? null : await earlierReports(sources, ending)
  try {
    if (earlier !== null) interruption.leaves(earlier.lock.release)
    return await run(earlier, input, { console, progress, interruption })
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

/** Common start of every verdict of a run, and where it is told. */
interface Reporting {
  readonly head: () => RunMetadata
  readonly output: ReportOutput
}

async function run(
  earlier: SetAside | null,
  input: CommandInput,
  surroundings: Surroundings,
): Promise<ExitCode> {
  const { console } = surroundings
  const startedAt = console.now()
  const started = performance.now()
  const asked = { env: console.env, cwd: console.cwd, now: startedAt, ...input }
  const { read, settings, baseline, key, issues: ofRun } = await readRun(asked, input.understood)
  if (input.understood) for (const notice of read.notices) console.err(`${notice}\n`)

  const head = (): RunMetadata => {
    const known = { suiteVersion: packageVersion(), startedAt, durationMs: performance.now() - started }
    if (read.kind === 'issues') return { ...read.partial, ...known }
    const judged = settings ?? read.settings
    return runMetadata(judged, { ...known, connection: connectionOf(judged, console.env) })
  }
  const { reportsDir: folder, history } = read.kind === 'issues' ? read : read.settings.run
  if (input.issues.length === 0) console.ending.folder = folder
  const { format } = read.kind === 'issues' ? read.partial : read.settings.run
  const output = { places: { folder, history }, console, format, said: [] }
  const issues = [...read.shown(input.issues), ...ofRun]
  if (settings !== null && issues.length === 0) {
    const options = { startedAt, own: read.own, baseline }
    const reporting = { head, output: { ...output, key } }
    const notice = await formatNotice(history)
    if (notice !== null) console.err(`${notice}\n`)
    return inFolder(reporting, { earlier, first: unfinishedVerdict(head()) }, async (aside) => {
      surroundings.interruption.leaves(aside.lock.release)
      return judgeAndReport(settings, { ...options, aside }, reporting, surroundings)
    })
  }

  console.err(describeIssues(issues))
  const because = issues.map(({ setting, expected }) => `${setting}: expected ${expected}`)
  const first = errorVerdict(head(), 2, because)
  const told = { head, output: { ...output, said: because } }
  if (input.issues.length > 0) return tellVerdict(first, told.output)
  return inFolder(told, { earlier, because }, (aside) => concludeBeside(aside, first, told.output))
}

/** Concludes a run: one that ended by a slip before its first request leaves the earlier reports as they were. */
async function concludeBeside(aside: SetAside, verdict: Verdict, output: ReportOutput): Promise<ExitCode> {
  const isBack = await aside.conclude(verdict)
  return isBack ? tellVerdict(verdict, output) : concludeRun(verdict, output)
}

async function judgeAndReport(
  settings: Settings,
  {
    aside,
    ...options
  }: Pick<Parameters<typeof judgeTarget>[1], 'startedAt' | 'own' | 'baseline'> & { readonly aside: SetAside },
  { head, output }: Reporting,
  { console, progress, interruption }: Surroundings,
): Promise<ExitCode> {
  tellUncaught(console.ending, {
    redact: (text) => redactorOf(settings).redact(text),
    end: (error) => interruption.end(error),
  })
  try {
    const wrongAddress = settings.target.embedded ? null : await addressIssue(settings)
    if (wrongAddress !== null) {
      const { sent } = wrongAddress
      console.err(describeIssues([wrongAddress.issue], `${sent} requests were sent to find out`))
      const { setting, expected, hint } = wrongAddress.issue
      const because = [`${setting}: expected ${expected}; ${hint ?? ''}`]
      const verdict = errorVerdict(head(), 2, because)
      const told = { ...verdict, requests: { ...verdict.requests, sent } }
      return await concludeBeside(aside, told, { ...output, said: because })
    }
    const sofar = new RunProgress()
    const verdict = await judgeTarget(settings, {
      ...options,
      signal: interruption.signal,
      connection: connectionOf(settings, console.env),
      onEvent: (event) => {
        sofar.note(event)
        if (event.kind === 'planned') aside.keep()
        if (settings.run.quiet) return
        if (event.kind === 'planning') progress.note(planningText(event))
        else if (event.kind === 'planned') progress.watch(() => sofar.now)
      },
    })
    progress.end()
    return await concludeBeside(aside, verdict, { ...output, judged: true })
  } catch (error) {
    progress.end()
    if (!(error instanceof OwnRuleError))
      return concludeBeside(aside, errorVerdict(head(), 4, [errorText(error)]), output)
    console.err(describeIssues(error.issues))
    return concludeBeside(aside, errorVerdict(head(), 2, [error.message]), {
      ...output,
      said: [error.message],
    })
  }
}

interface Begun {
  readonly earlier: SetAside | null
  /** Stands until the run ends; absent where nothing will be judged. */
  readonly first?: Verdict
  readonly because?: readonly string[]
}

/**
 * Locks the reports folder during `work`, unless that was done `earlier`. If another run holds it, tells the verdict and touches nothing:
 * 2; an unusable folder: 4.
 */
async function inFolder(
  { head, output }: Reporting,
  { earlier, first, because = [] }: Begun,
  work: (aside: SetAside) => Promise<ExitCode>,
): Promise<ExitCode> {
  let aside
  try {
    aside = earlier ?? (await setAside(output.places.folder))
    if (first !== undefined) {
      await beginAside(aside, first)
      output.console.ending.begun = (await stat(join(output.places.folder, 'verdict.json'))).ino
    }
  } catch (error) {
    const reasons = [errorText(error), ...because]
    if (!(error instanceof RefusedFolderError)) return concludeRun(errorVerdict(head(), 4, reasons), output)
    output.console.err(`${error.message}\n`)
    return tellVerdict(errorVerdict(head(), 2, reasons), { ...output, said: reasons })
  }
  try {
    return await work(aside)
  } finally {
    aside.lock.release()
  }
}

interface ReportOutput extends VerdictOutput {
  readonly places: ReportPlaces
  /** Whether anything was judged: then Allure's results are written, too. */
  readonly judged?: true
  /** Private key that signs the reports. */
  readonly key?: KeyObject | null
}

/**
 * Writes the reports, tells the verdict on standard output and to GitHub's workflows, and returns the exit code. A report that
 * cannot be written makes it 4; the terminal still gets the verdict.
 */
async function concludeRun(given: Verdict, output: ReportOutput): Promise<ExitCode> {
  const { places, console } = output
  const verdict = withoutPaths(given, console.cwd)
  const unwritten = await write(verdict, output)
  const because = [...new Set([withoutFolder(unwritten ?? '', console.cwd), ...verdict.because])]
  const final: Verdict = unwritten === null ? verdict : { ...verdict, verdict: 'error', exitCode: 4, because }
  const isTold = unwritten === null || (await writeWhatFits(final, places, output.key ?? null))

  if (unwritten !== null) console.err(`${unwritten}\n`)
  const line = historyLine(final)
  const earlier = runsComparedWith(await runsBefore(final, places.history), line)
  const news = newsSentence(final, lastJudged(earlier, line))
  const digest = unwritten === null ? verdictDigest(final) : null
  const written = { reportsDir: places.folder, digest, news }
  await tell(final, { ...output, said: [...output.said, unwritten ?? ''] }, written)
  // What was written counts once all of it is told.
  if (isTold) console.ending.folder = null
  return final.exitCode
}

/** Why the reports could not be written, or null. */
async function write(
  verdict: Verdict,
  { places, judged, key = null, console }: ReportOutput,
): Promise<string | null> {
  try {
    await writeReports(verdict, places, { key, ...(judged === true ? { allure: console.env } : {}) })
    return null
  } catch (error) {
    if (error instanceof ReportsFolderError) return error.message
    return `the suite itself failed: the reports cannot be made: ${errorText(error)}`
  }
}
