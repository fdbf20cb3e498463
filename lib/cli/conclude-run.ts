import { randomUUID } from 'node:crypto'
import { annotations, appendStepSummary, withoutCommands } from '../report/annotations.ts'
import { previousRun } from '../report/history/history.ts'
import { historyLine } from '../verdict/history-line.ts'
import { clearReports, ReportsFolderError } from '../report/folder/reports-folder.ts'
import { summaryMarkdown, terminalSummary } from '../report/summaries.ts'
import { verdictJson } from '../verdict/json-text.ts'
import type { ExitCode, Verdict } from '../verdict/verdict.ts'
import { runsBefore, writeReports, writeWhatFits, type ReportPlaces } from '../report/write-reports.ts'
import type { Console } from './console.ts'

/** Where a verdict is told. */
export interface Telling {
  readonly console: Console
  readonly format: 'text' | 'json'
}

/** Where a verdict is told and its reports are written. */
export interface Concluding extends Telling {
  readonly places: ReportPlaces
  /** Whether anything was judged, so that Allure's results are written, too. */
  readonly judged?: true
}

/**
 * Writes the reports, tells the verdict on standard output and, within GitHub's workflows, to these; gives the exit code. What
 * cannot be written makes it 4, and does not keep the verdict from the terminal.
 */
export async function concludeRun(verdict: Verdict, concluding: Concluding): Promise<ExitCode> {
  const { places, console } = concluding
  const unwritten = await write(verdict, concluding)
  const final: Verdict =
    unwritten === null
      ? verdict
      : { ...verdict, verdict: 'error', exitCode: 4, because: [...new Set([unwritten, ...verdict.because])] }
  if (unwritten !== null) await writeWhatFits(final, places)

  tell(final, concluding, places.folder)
  if (unwritten !== null) console.err(`${unwritten}\n`)
  await addToStepSummary(final, concluding, places.history)
  return final.exitCode
}

/** Tells a verdict as {@link concludeRun} does, but touches neither the reports folder nor the history; gives the exit code. */
export async function tellVerdict(verdict: Verdict, telling: Telling): Promise<ExitCode> {
  tell(verdict, telling, null)
  await addToStepSummary(verdict, telling, null)
  return verdict.exitCode
}

/** Why the reports could not be written, or null. */
async function write(verdict: Verdict, { places, judged, console }: Concluding): Promise<string | null> {
  try {
    if (verdict.verdict === 'error') await clearReports(places.folder)
    await writeReports(verdict, places)
    if (judged === true) {
      const { writeAllureResults } = await import('../report/allure/allure.ts')
      writeAllureResults(verdict, { reportsDir: places.folder, env: console.env })
    }
    return null
  } catch (error) {
    if (error instanceof ReportsFolderError) return error.message
    return `the suite itself failed: the reports cannot be made: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** With `json`, standard output holds the verdict and nothing else; GitHub reads commands from both streams. */
function tell(verdict: Verdict, { console, format }: Telling, reportsDir: string | null): void {
  const isGitHub = console.env['GITHUB_ACTIONS'] === 'true'
  const commands = isGitHub ? annotations(verdict).map((line) => `${line}\n`) : []
  if (format === 'json') {
    console.out(verdictJson(verdict))
    if (commands.length > 0) console.err(commands.join(''))
    return
  }
  const { colour, width } = console
  const text = terminalSummary(verdict, { colour, width, reportsDir })
  console.out(`${isGitHub ? withoutCommands(text, randomUUID()) : text}${commands.join('')}`)
}

async function addToStepSummary(
  verdict: Verdict,
  { console }: Telling,
  history: string | null,
): Promise<void> {
  const file = console.env['GITHUB_STEP_SUMMARY'] ?? ''
  if (file === '') return
  const earlier = history === null ? [] : await runsBefore(verdict, history)
  const markdown = summaryMarkdown(verdict, previousRun(earlier, historyLine(verdict)))
  const failure = await appendStepSummary(file, markdown)
  if (failure !== null) console.err(`${failure}\n`)
}
