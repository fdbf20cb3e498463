import { exitMeaning } from './exit-meaning.ts'
import { areaLines } from './terminal-areas.ts'
import { violationLines, warningLines } from './terminal-findings.ts'
import { renderLines, type Line, type Rendering } from './terminal-lines.ts'
import { headlineLines, toneOf } from './terminal-overview.ts'
import { notCoveredLines, notJudgedLines, waivedLines, waiverLines } from './terminal-reasons.ts'
import type { Verdict } from '../verdict/verdict.ts'
import { otherReasons } from './verdict-sentence.ts'

/**
 * A verdict for a person at a terminal: the word and the counts, the areas, each breach with what was sent, documented and answered
 * and a line to repeat it, what was not judged and why, and what the exit code means. Prose is wrapped to `width` columns, lines to
 * copy never are; escape codes are there only with `colour`.
 */
export function terminalSummary(
  verdict: Verdict,
  options: Rendering & {
    /** Null where no reports were written. */
    readonly reportsDir: string | null
  },
): string {
  const sections = [
    headlineLines(verdict),
    areaLines(verdict, options.width),
    violationLines(verdict),
    warningLines(verdict),
    waivedLines(verdict),
    notJudgedLines(verdict),
    notCoveredLines(verdict),
    waiverLines(verdict),
    endingLines(verdict, options.reportsDir),
  ]
  const lines = sections
    .filter((section) => section.length > 0)
    .flatMap((section, index) => (index === 0 ? section : [{ text: '' }, ...section]))

  return renderLines(lines, options)
}

/** The reasons that are no violations, and what the run ends with. */
function endingLines(ended: Verdict, reportsDir: string | null): readonly Line[] {
  const { verdict, rules } = ended
  const saidAbove = verdict === 'error' && rules.length === 0
  return [
    ...(saidAbove ? [] : otherReasons(ended)).map((text) => ({ label: '- ', text })),
    { text: exitMeaning(ended), tone: toneOf(ended) },
    ...(reportsDir === null ? [] : [{ text: `reports: ${reportsDir}`, whole: true } as const]),
  ]
}
