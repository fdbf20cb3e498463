import { errorVerdict, type RunHead } from '../report/assemble.ts'
import { clearReports } from '../report/reports-folder.ts'
import type { ExitCode } from '../report/verdict.ts'
import type { ReportPlaces } from '../report/write-reports.ts'
import { shareOf } from '../session/shard.ts'
import { describeMistakes } from '../settings/describe-mistakes.ts'
import { readSettings, type KnownSettings, type Mistake } from '../settings/read-settings.ts'
import type { Settings } from '../settings/settings.ts'
import { isMistake, knownBaseline } from './baseline.ts'
import { concludeRun } from './conclude-run.ts'
import { connectionOf } from './connection.ts'
import type { Console } from './console.ts'
import { Interruption } from './interruption.ts'
import { judgeTarget, type Judging } from './judge-target.ts'
import { packageVersion } from './package-info.ts'
import { ProgressDisplay } from './progress.ts'

/** What the command line gave: settings by name, and the file of `--env-file`. */
export interface CommandInput {
  readonly flags: Readonly<Record<string, string>>
  readonly envFile: string | null
  /** Mistakes that the command line itself has. */
  readonly mistakes: readonly Mistake[]
}

/** Judges a target and writes the reports; gives the exit code. Source: Commands and Exit codes, in the README. */
export async function runCommand(input: CommandInput, console: Console): Promise<ExitCode> {
  const startedAt = console.now()
  const started = performance.now()
  const read = await readSettings({ env: console.env, cwd: console.cwd, now: startedAt, ...input })
  const elapsed = (): number => performance.now() - started
  const baseline = read.kind === 'mistakes' ? null : await knownBaseline(read.settings.run)

  for (const notice of read.notices) console.err(`${notice}\n`)
  if (read.kind === 'mistakes' || isMistake(baseline) || input.mistakes.length > 0) {
    const mistakes = [
      ...input.mistakes,
      ...(read.kind === 'mistakes' ? read.mistakes : []),
      ...(isMistake(baseline) ? [baseline] : []),
    ]
    const known = read.kind === 'mistakes' ? read.partial : knownOf(read.settings, console.env)
    const places =
      read.kind === 'mistakes'
        ? { folder: read.reportsDir, history: read.history }
        : placesOf(read.settings.run)
    console.err(describeMistakes(mistakes))
    const because = mistakes.map(({ setting, expected }) => `${setting}: expected ${expected}`)
    const verdict = errorVerdict(headOf(known, startedAt, elapsed()), 2, because)
    return concludeRun(verdict, { places, console, format: known.format })
  }

  const { settings } = read
  const known = knownOf(settings, console.env)
  const places = placesOf(settings.run)
  const progress = new ProgressDisplay(console)
  const interruption = new Interruption(progress.console)
  const ends = { places, console, format: known.format }
  try {
    await clearReports(places.folder)
    const head = (target: Settings): RunHead => headOf(knownOf(target, console.env), startedAt, elapsed())
    const begins: Judging['begins'] = (told) => (known.quiet ? undefined : progress.watch(told))
    const judging = { startedAt, interruption, baseline, begins, head }
    const { verdict, writeAllure } = await judgeTarget(settings, judging)
    progress.end()
    return await concludeRun(verdict, { ...ends, writeAllure })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const verdict = errorVerdict(headOf(known, startedAt, elapsed()), 4, [reason])
    progress.end()
    return concludeRun(verdict, ends)
  } finally {
    interruption.forget()
  }
}

function placesOf({ reportsDir, history }: Settings['run']): ReportPlaces {
  return { folder: reportsDir, history }
}

/** What a verdict says of the settings, and of the way to the target. */
type Known = KnownSettings & Pick<RunHead, 'connection'>

function knownOf(settings: Settings, env: Console['env']): Known {
  const { target, run } = settings
  const { baseUrl, embedded, version, label } = target
  const connection = connectionOf(settings, env)
  return {
    ...run,
    ...shareOf(run),
    baseUrl,
    embedded,
    version,
    label,
    ...(connection === null ? {} : { connection }),
  }
}

function headOf(known: Known, startedAt: Date, durationMs: number): RunHead {
  return { ...known, suiteVersion: packageVersion(), startedAt, durationMs }
}
