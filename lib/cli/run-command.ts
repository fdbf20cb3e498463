import { packageVersion } from '../engine/package-version.ts'
import { FolderInUseError, type FolderLock } from '../report/folder/lock.ts'
import { beginReports } from '../report/folder/reports-folder.ts'
import { knownBaseline } from '../run/baseline-file.ts'
import { connectionOf, judgeTarget } from '../run/judge-target.ts'
import { describeIssues, parsed } from '../settings/issue.ts'
import { asksForShard } from '../settings/no-shards.ts'
import { readSettings } from '../settings/read-settings.ts'
import type { Settings } from '../settings/settings.ts'
import { errorVerdict, runMetadata, unfinishedVerdict, type RunMetadata } from '../verdict/assemble.ts'
import { verdictJson } from '../verdict/json-text.ts'
import type { ExitCode, Verdict } from '../verdict/verdict.ts'
import type { CommandInput } from './command-line.ts'
import { concludeRun, tellVerdict, type Concluding } from './conclude-run.ts'
import type { Console } from './console.ts'
import { addressIssue } from './meant-address.ts'
import { ProgressDisplay, RunProgress } from './progress.ts'
import { Interruption } from './signals.ts'

/** Judges a target and writes the reports; gives the exit code. Source: Commands and Exit codes, in the README. */
export async function runCommand(input: CommandInput, console: Console): Promise<ExitCode> {
  const progress = new ProgressDisplay(console)
  const interruption = new Interruption(progress.console)
  try {
    return await run(input, { console, progress, interruption })
  } finally {
    interruption.forget()
  }
}

/** What a run uses of the process. */
interface Surroundings {
  readonly console: Console
  readonly progress: ProgressDisplay
  readonly interruption: Interruption
}

/** What every verdict of a run begins with, as of now, and where it is told. */
interface Reporting {
  readonly head: () => RunMetadata
  readonly concluding: Concluding
}

async function run(input: CommandInput, surroundings: Surroundings): Promise<ExitCode> {
  const { console } = surroundings
  const startedAt = console.now()
  const started = performance.now()
  const read = await readSettings({ env: console.env, cwd: console.cwd, now: startedAt, ...input })
  const baseline = read.kind === 'settings' ? await knownBaseline(read.settings.run) : parsed(null)
  for (const notice of read.notices) console.err(`${notice}\n`)

  const head = (): RunMetadata => {
    const known = { suiteVersion: packageVersion(), startedAt, durationMs: performance.now() - started }
    if (read.kind === 'issues') return { ...read.partial, ...known }
    return runMetadata(read.settings, { ...known, connection: connectionOf(read.settings, console.env) })
  }
  const { reportsDir: folder, history } = read.kind === 'issues' ? read : read.settings.run
  const { format } = read.kind === 'issues' ? read.partial : read.settings.run
  const reporting = { head, concluding: { places: { folder, history }, console, format } }
  const issues = [...input.issues, ...(read.kind === 'issues' ? read.issues : []), ...baseline.issues]
  if (read.kind === 'settings' && issues.length === 0) {
    const options = { startedAt, baseline: baseline.value }
    return inFolder(reporting, { first: unfinishedVerdict(head()), because: [] }, (lock) => {
      surroundings.interruption.leaves(lock.release)
      return judged(read.settings, options, reporting, surroundings)
    })
  }

  console.err(describeIssues(issues))
  const because = issues.map(({ setting, expected }) => `${setting}: expected ${expected}`)
  const first = errorVerdict(head(), 2, because)
  // A command that is mistyped, or asks for a shard, was never meant as a run of these settings: the reports that are there stay.
  const isMistyped = input.issues.length > 0 || issues.some(asksForShard)
  if (isMistyped) return tellVerdict(first, reporting.concluding)
  return inFolder(reporting, { first, because }, () => concludeRun(first, reporting.concluding))
}

async function judged(
  settings: Settings,
  options: Pick<Parameters<typeof judgeTarget>[1], 'startedAt' | 'baseline'>,
  { head, concluding }: Reporting,
  { console, progress, interruption }: Surroundings,
): Promise<ExitCode> {
  try {
    const wrongAddress = settings.target.embedded ? null : await addressIssue(settings)
    if (wrongAddress !== null) {
      console.err(describeIssues([wrongAddress]))
      const { setting, expected, hint } = wrongAddress
      const because = [`${setting}: expected ${expected}; ${hint ?? ''}`]
      return await concludeRun(errorVerdict(head(), 2, because), concluding)
    }
    const sofar = new RunProgress()
    const verdict = await judgeTarget(settings, {
      ...options,
      signal: interruption.signal,
      connection: connectionOf(settings, console.env),
      onEvent: (event) => {
        sofar.note(event)
        if (event.kind === 'planned' && !settings.run.quiet) progress.watch(() => sofar.now)
      },
    })
    progress.end()
    return await concludeRun(verdict, { ...concluding, judged: true })
  } catch (error) {
    progress.end()
    return concludeRun(errorVerdict(head(), 4, [reasonOf(error)]), concluding)
  }
}

/**
 * Works in the reports folder, which is locked meanwhile and says `first` until the work is done. If another run works in it, the
 * verdict is told and nothing is touched: 2; a folder that cannot be used: 4.
 */
async function inFolder(
  { head, concluding }: Reporting,
  { first, because }: { readonly first: Verdict; readonly because: readonly string[] },
  work: (lock: FolderLock) => Promise<ExitCode>,
): Promise<ExitCode> {
  let lock
  try {
    lock = await beginReports(concluding.places.folder, verdictJson(first))
  } catch (error) {
    const reasons = [reasonOf(error), ...because]
    if (!(error instanceof FolderInUseError)) return concludeRun(errorVerdict(head(), 4, reasons), concluding)
    concluding.console.err(`${error.message}\n`)
    return tellVerdict(errorVerdict(head(), 2, reasons), concluding)
  }
  try {
    return await work(lock)
  } finally {
    lock.release()
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
