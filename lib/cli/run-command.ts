import { errorVerdict, headOf, unfinishedVerdict, type RunHead } from '../verdict/assemble.ts'
import { FolderInUseError, type FolderLock } from '../report/folder-lock.ts'
import { beginReports } from '../report/reports-folder.ts'
import { verdictJson } from '../verdict/verdict-json.ts'
import type { ExitCode, Verdict } from '../verdict/verdict.ts'
import type { ReportPlaces } from '../report/write-reports.ts'
import { describeIssues, type SettingIssue } from '../settings/issue.ts'
import { asksForShard } from '../settings/no-shards.ts'
import { readSettings } from '../settings/read-settings.ts'
import type { Settings } from '../settings/settings.ts'
import { isMistake, knownBaseline } from './baseline.ts'
import { concludeRun, tellVerdict, type Concluding } from './conclude-run.ts'
import { connectionOf } from './connection.ts'
import type { Console } from './console.ts'
import { Interruption } from './interruption.ts'
import { judgeTarget } from './judge-target.ts'
import { addressMistake } from './meant-address.ts'
import { packageVersion } from '../engine/package-version.ts'
import { ProgressDisplay } from './progress.ts'
import { RunProgress } from './run-progress.ts'

/** What the command line gave: settings by name, and the file of `--env-file`. */
export interface CommandInput {
  readonly flags: Readonly<Record<string, string>>
  readonly envFile: string | null
  /** Mistakes that the command line itself has. */
  readonly mistakes: readonly SettingIssue[]
}

/** Judges a target and writes the reports; gives the exit code. Source: Commands and Exit codes, in the README. */
export async function runCommand(input: CommandInput, console: Console): Promise<ExitCode> {
  const progress = new ProgressDisplay(console)
  const interruption = new Interruption(progress.console)
  try {
    return await judgedAs(input, { console, progress, interruption })
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

async function judgedAs(input: CommandInput, surroundings: Surroundings): Promise<ExitCode> {
  const { console } = surroundings
  const startedAt = console.now()
  const started = performance.now()
  const read = await readSettings({ env: console.env, cwd: console.cwd, now: startedAt, ...input })
  const elapsed = (): number => performance.now() - started
  const baseline = read.kind === 'issues' ? null : await knownBaseline(read.settings.run)
  const headNow = (settings: Settings): RunHead =>
    headOf(settings, {
      suiteVersion: packageVersion(),
      connection: connectionOf(settings, console.env),
      startedAt,
      durationMs: elapsed(),
    })

  for (const notice of read.notices) console.err(`${notice}\n`)
  if (read.kind === 'issues' || isMistake(baseline) || input.mistakes.length > 0) {
    const mistakes = [
      ...input.mistakes,
      ...(read.kind === 'issues' ? read.issues : []),
      ...(isMistake(baseline) ? [baseline] : []),
    ]
    const places =
      read.kind === 'issues'
        ? { folder: read.reportsDir, history: read.history }
        : placesOf(read.settings.run)
    console.err(describeIssues(mistakes))
    const because = mistakes.map(({ setting, expected }) => `${setting}: expected ${expected}`)
    const { format } = read.kind === 'issues' ? read.partial : read.settings.run
    const head =
      read.kind === 'issues'
        ? { ...read.partial, suiteVersion: packageVersion(), startedAt, durationMs: elapsed() }
        : headNow(read.settings)
    const verdict = errorVerdict(head, 2, because)
    const telling = { console, format }
    // A command that is mistyped, or asks for a shard, was never meant as a run of these settings: the reports that are there stay.
    if (input.mistakes.length > 0 || mistakes.some(asksForShard)) return tellVerdict(verdict, telling)
    const concluding = { ...telling, places }
    return inFolder(concluding, {
      first: verdict,
      refused: (exitCode, reason) => errorVerdict(head, exitCode, [reason, ...because]),
      work: async () => concludeRun(verdict, concluding),
    })
  }

  const { settings } = read
  const { format, quiet } = settings.run
  const concluding = { places: placesOf(settings.run), console, format }
  return inFolder(concluding, {
    first: unfinishedVerdict(headNow(settings)),
    refused: (exitCode, reason) => errorVerdict(headNow(settings), exitCode, [reason]),
    work: async (lock) => {
      const { progress, interruption } = surroundings
      interruption.leaves(lock.release)
      try {
        const mistake = settings.target.embedded ? null : await addressMistake(settings)
        if (mistake !== null) {
          console.err(describeIssues([mistake]))
          const because = [`${mistake.setting}: expected ${mistake.expected}; ${mistake.hint ?? ''}`]
          return await concludeRun(errorVerdict(headNow(settings), 2, because), concluding)
        }
        const sofar = new RunProgress()
        const verdict = await judgeTarget(settings, {
          startedAt,
          signal: interruption.signal,
          baseline,
          connection: connectionOf(settings, console.env),
          onEvent: (event) => {
            sofar.note(event)
            if (event.kind === 'planned' && !quiet) progress.watch(() => sofar.now)
          },
        })
        progress.end()
        return await concludeRun(verdict, { ...concluding, judged: true })
      } catch (error) {
        progress.end()
        return concludeRun(errorVerdict(headNow(settings), 4, [reasonOf(error)]), concluding)
      }
    },
  })
}

/** Work that writes reports. */
interface Reporting {
  /** What the folder says until the work is done. */
  readonly first: Verdict
  /** The verdict where the folder cannot be used. */
  readonly refused: (exitCode: 2 | 4, reason: string) => Verdict
  readonly work: (lock: FolderLock) => Promise<ExitCode>
}

/**
 * Works in the reports folder, which is locked meanwhile. Where another run works in it, the verdict is told and nothing is
 * touched: 2; a folder that cannot be used: 4.
 */
async function inFolder(concluding: Concluding, { first, refused, work }: Reporting): Promise<ExitCode> {
  let lock
  try {
    lock = await beginReports(concluding.places.folder, verdictJson(first))
  } catch (error) {
    if (!(error instanceof FolderInUseError)) return concludeRun(refused(4, reasonOf(error)), concluding)
    concluding.console.err(`${error.message}\n`)
    return tellVerdict(refused(2, error.message), concluding)
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

function placesOf({ reportsDir, history }: Settings['run']): ReportPlaces {
  return { folder: reportsDir, history }
}
