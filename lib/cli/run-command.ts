import type { ReferenceService } from '../reference/service.ts'
import { assemble, errorVerdict, type RunHead } from '../report/assemble.ts'
import { junitXml } from '../report/junit.ts'
import { clearReports, ReportsFolderError, writeReport } from '../report/reports-folder.ts'
import { terminalSummary } from '../report/terminal.ts'
import type { ExitCode, Verdict } from '../report/verdict.ts'
import { shareOf } from '../session/shard.ts'
import { describeMistakes } from '../settings/describe-mistakes.ts'
import { readSettings, type KnownSettings, type Mistake } from '../settings/read-settings.ts'
import type { Settings } from '../settings/settings.ts'
import { utcDay } from '../settings/waivers.ts'
import type { Console } from './console.ts'
import { packageVersion } from './package-info.ts'
import { loadSuites, type Suites } from './suites.ts'

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

  if (read.kind === 'mistakes' || input.mistakes.length > 0) {
    const mistakes = [...input.mistakes, ...(read.kind === 'mistakes' ? read.mistakes : [])]
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
  try {
    await clearReports(reportsDir)
    const verdict = await judge(settings, { startedAt, elapsed, console })
    return await conclude(verdict, { reportsDir, console, known })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const verdict = errorVerdict(headOf(known, startedAt, elapsed()), 4, [reason])
    return conclude(verdict, { reportsDir, console, known })
  }
}

interface Judging {
  readonly startedAt: Date
  readonly elapsed: () => number
  readonly console: Console
}

async function judge(given: Settings, { startedAt, elapsed, console }: Judging): Promise<Verdict> {
  const { settings, service } = await reached(given)
  try {
    const suites = await loadSuites({ settings, now: startedAt, allure: true })
    const cancellation = cancelOnSignal(suites, console)
    try {
      if (suites.mishaps.length === 0) await suites.run()
      const { collected, news, plan, mishaps } = suites
      const all = collected()
      return assemble(headOf(knownOf(settings), startedAt, elapsed()), {
        planned: plan.map(({ id }) => id),
        collected: { ...all, mishaps: [...mishaps, ...all.mishaps] },
        news: news(),
        cancelled: cancellation.reason(),
        waivers: settings.run.waivers,
        today: utcDay(startedAt),
      })
    } finally {
      cancellation.forget()
      await suites.close()
    }
  } finally {
    await service?.close()
  }
}

async function reached(
  settings: Settings,
): Promise<{ readonly settings: Settings; readonly service: ReferenceService | null }> {
  if (!settings.target.embedded) return { settings, service: null }

  const { startEmbedded } = await import('./embedded.ts')
  return startEmbedded(settings)
}

/** The first signal ends the run and lets the verdict be written; a second one ends the process as usual. */
function cancelOnSignal(
  suites: Suites,
  console: Console,
): { readonly reason: () => string | null; readonly forget: () => void } {
  let reason: string | null = null
  const cancel = (signal: NodeJS.Signals): void => {
    forget()
    reason = `the run was interrupted (${signal})`
    console.err(`\n${reason}: what was judged so far is being written; interrupt again to leave at once\n`)
    void suites.cancel()
  }
  const forget = (): void => {
    process.removeListener('SIGINT', cancel)
    process.removeListener('SIGTERM', cancel)
  }
  process.on('SIGINT', cancel)
  process.on('SIGTERM', cancel)
  return { reason: () => reason, forget }
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
