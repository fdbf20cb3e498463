import { randomUUID } from 'node:crypto'
import { annotations, appendStepSummary, withoutCommands } from '../../report/render/annotations.ts'
import { summaryMarkdown } from '../../report/render/summary.ts'
import { terminalSummary } from '../../report/render/terminal-summary.ts'
import { view } from '../../report/view.ts'
import { withoutFolder } from '../../settings/shown-path.ts'
import { verdictJson } from '../../verdict/verdict-json.ts'
import type { ExitCode, Verdict } from '../../verdict/verdict.ts'
import type { Console } from './console.ts'

/** Where a verdict is told. */
export interface VerdictOutput {
  readonly console: Console
  readonly format: 'text' | 'json'
  /** Reasons that standard error has told already; a text does not repeat them. */
  readonly said: readonly string[]
}

/** Reports that were written, null if none were; no digest of another verdict than the one told. */
interface WrittenReports {
  readonly reportsDir: string | null
  /** SHA-256 of `verdict.json`. */
  readonly digest?: string | null
  /** What changed since the last run. */
  readonly news?: string | null
}

/** Also into GitHub's summary. With `json`, standard output holds only the verdict; GitHub reads commands from both streams. */
export async function tell(verdict: Verdict, output: VerdictOutput, written: WrittenReports): Promise<void> {
  print(verdict, output, written)
  await addToStepSummary(verdict, output)
}

function print(
  verdict: Verdict,
  { console, format, said }: VerdictOutput,
  { reportsDir, digest = null, news = null }: WrittenReports,
): void {
  const isGitHub = console.env['GITHUB_ACTIONS'] === 'true'
  const commands = isGitHub ? annotations(view(verdict)).map((line) => `${line}\n`) : []
  if (format === 'json') {
    console.out(verdictJson(verdict))
    if (commands.length > 0) console.err(commands.join(''))
    return
  }
  const { colour, width } = console
  const told = said.map((reason) => withoutFolder(reason, console.cwd))
  const untold = { ...verdict, because: verdict.because.filter((reason) => !told.includes(reason)) }
  const text = terminalSummary(view(untold, { digest, since: news }), { colour, width, reportsDir })
  console.out(`${isGitHub ? withoutCommands(text, randomUUID()) : text}${commands.join('')}`)
}

async function addToStepSummary(verdict: Verdict, { console }: VerdictOutput): Promise<void> {
  const file = console.env['GITHUB_STEP_SUMMARY'] ?? ''
  if (file === '') return
  const failure = await appendStepSummary(file, summaryMarkdown(view(verdict)))
  if (failure !== null) console.err(`${failure}\n`)
}

/** Reports are given away: no failure in them names the folder of whoever runs. All other reasons follow from the rules. */
export function withoutPaths(verdict: Verdict, cwd: string): Verdict {
  if (verdict.verdict !== 'error') return verdict
  return { ...verdict, because: verdict.because.map((reason) => withoutFolder(reason, cwd)) }
}

/** Tells a verdict of which no report and no line of the history is written. */
export async function tellVerdict(verdict: Verdict, output: VerdictOutput): Promise<ExitCode> {
  output.console.ending.folder = null
  await tell(withoutPaths(verdict, output.console.cwd), output, { reportsDir: null })
  return verdict.exitCode
}
