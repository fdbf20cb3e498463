import { errorVerdict, type RunHead } from '../report/assemble.ts'
import { clearReports, ReportsFolderError } from '../report/reports-folder.ts'
import { terminalSummary } from '../report/terminal.ts'
import type { ExitCode, Verdict } from '../report/verdict.ts'
import { writeReports, type ReportPlaces } from '../report/write-reports.ts'
import { shareOf } from '../session/shard.ts'
import { describeMistakes } from '../settings/describe-mistakes.ts'
import { readSettings, type KnownSettings, type Mistake } from '../settings/read-settings.ts'
import type { Settings } from '../settings/settings.ts'
import { isMistake, knownBaseline } from './baseline.ts'
import type { Console } from './console.ts'
import { Interruption } from './interruption.ts'
import { judgeTarget } from './judge-target.ts'
import { packageVersion } from './package-info.ts'

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

  if (read.kind === 'mistakes' || isMistake(baseline) || input.mistakes.length > 0) {
    const mistakes = [
      ...input.mistakes,
      ...(read.kind === 'mistakes' ? read.mistakes : []),
      ...(isMistake(baseline) ? [baseline] : []),
    ]
    const known = read.kind === 'mistakes' ? read.partial : knownOf(read.settings)
    const places =
      read.kind === 'mistakes'
        ? { folder: read.reportsDir, history: read.history }
        : placesOf(read.settings.run)
    console.err(describeMistakes(mistakes))
    const because = mistakes.map(({ setting, expected }) => `${setting}: expected ${expected}`)
    return conclude(errorVerdict(headOf(known, startedAt, elapsed()), 2, because), {
      places,
      console,
      known,
    })
  }

  const { settings, notices } = read
  const known = knownOf(settings)
  const places = placesOf(settings.run)
  for (const notice of notices) console.err(`${notice}\n`)
  const interruption = new Interruption(console)
  try {
    await clearReports(places.folder)
    const head = (target: Settings): RunHead => headOf(knownOf(target), startedAt, elapsed())
    const verdict = await judgeTarget(settings, { startedAt, interruption, baseline, head })
    return await conclude(verdict, { places, console, known })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const verdict = errorVerdict(headOf(known, startedAt, elapsed()), 4, [reason])
    return conclude(verdict, { places, console, known })
  } finally {
    interruption.forget()
  }
}

interface Concluding {
  readonly places: ReportPlaces
  readonly console: Console
  readonly known: KnownSettings
}

/** Writes the reports and prints the verdict; what cannot be written does not keep it from the terminal. */
async function conclude(verdict: Verdict, { places, console, known }: Concluding): Promise<ExitCode> {
  const unwritten = await write(verdict, places)
  const final: Verdict =
    unwritten === null
      ? verdict
      : { ...verdict, verdict: 'error', exitCode: 4, because: [unwritten, ...verdict.because] }

  if (known.format === 'json') console.out(`${JSON.stringify(final, null, 2)}\n`)
  else
    console.out(
      terminalSummary(final, { colour: console.colour, width: console.width, reportsDir: places.folder }),
    )
  if (unwritten !== null) console.err(`${unwritten}\n`)
  return final.exitCode
}

async function write(verdict: Verdict, places: ReportPlaces): Promise<string | null> {
  try {
    if (verdict.verdict === 'error') await clearReports(places.folder)
    await writeReports(verdict, places)
    return null
  } catch (error) {
    if (error instanceof ReportsFolderError) return error.message
    throw error
  }
}

function placesOf({ reportsDir, history }: Settings['run']): ReportPlaces {
  return { folder: reportsDir, history }
}

function knownOf({ target, run }: Settings): KnownSettings {
  const { baseUrl, embedded, version, label } = target
  return { ...run, ...shareOf(run), baseUrl, embedded, version, label }
}

function headOf(known: KnownSettings, startedAt: Date, durationMs: number): RunHead {
  return { ...known, suiteVersion: packageVersion(), startedAt, durationMs }
}
