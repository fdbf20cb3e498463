import { errorVerdict, type RunHead } from '../report/assemble.ts'
import { junitXml } from '../report/junit.ts'
import { clearReports, ReportsFolderError, writeReport } from '../report/reports-folder.ts'
import { terminalSummary } from '../report/terminal.ts'
import type { ExitCode, Verdict } from '../report/verdict.ts'
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
    const reportsDir = read.kind === 'mistakes' ? read.reportsDir : read.settings.run.reportsDir
    console.err(describeMistakes(mistakes))
    const because = mistakes.map(({ setting, expected }) => `${setting}: expected ${expected}`)
    return conclude(errorVerdict(headOf(known, startedAt, elapsed()), 2, because), {
      reportsDir,
      console,
      known,
    })
  }

  const { settings, notices } = read
  const known = knownOf(settings)
  const { reportsDir } = settings.run
  for (const notice of notices) console.err(`${notice}\n`)
  const interruption = new Interruption(console)
  try {
    await clearReports(reportsDir)
    const head = (target: Settings): RunHead => headOf(knownOf(target), startedAt, elapsed())
    const verdict = await judgeTarget(settings, { startedAt, interruption, baseline, head })
    return await conclude(verdict, { reportsDir, console, known })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const verdict = errorVerdict(headOf(known, startedAt, elapsed()), 4, [reason])
    return conclude(verdict, { reportsDir, console, known })
  } finally {
    interruption.forget()
  }
}

interface Concluding {
  readonly reportsDir: string
  readonly console: Console
  readonly known: KnownSettings
}

/** Writes the reports and prints the verdict; what cannot be written does not keep it from the terminal. */
async function conclude(verdict: Verdict, { reportsDir, console, known }: Concluding): Promise<ExitCode> {
  const unwritten = await write(verdict, reportsDir)
  const final: Verdict =
    unwritten === null
      ? verdict
      : { ...verdict, verdict: 'error', exitCode: 4, because: [unwritten, ...verdict.because] }

  if (known.format === 'json') console.out(`${JSON.stringify(final, null, 2)}\n`)
  else console.out(terminalSummary(final, { colour: console.colour, width: console.width, reportsDir }))
  if (unwritten !== null) console.err(`${unwritten}\n`)
  return final.exitCode
}

async function write(verdict: Verdict, reportsDir: string): Promise<string | null> {
  try {
    if (verdict.verdict === 'error') await clearReports(reportsDir)
    await writeReport(reportsDir, 'verdict.json', `${JSON.stringify(verdict, null, 2)}\n`)
    await writeReport(reportsDir, 'junit.xml', junitXml(verdict))
    return null
  } catch (error) {
    if (error instanceof ReportsFolderError) return error.message
    throw error
  }
}

function knownOf({ target, run }: Settings): KnownSettings {
  const { baseUrl, embedded, version, label } = target
  return { ...run, ...shareOf(run), baseUrl, embedded, version, label }
}

function headOf(known: KnownSettings, startedAt: Date, durationMs: number): RunHead {
  return { ...known, suiteVersion: packageVersion(), startedAt, durationMs }
}
