import { alikeText, exampleOf, extentOf, toldCauses, type Leading } from './causes-in.ts'
import { printable } from '../settings/printable.ts'
import { code, shown } from './summary-text.ts'
import type { Verdict } from '../verdict/verdict.ts'
import { visible } from './visible.ts'

const longestSentence = 600
const longestReplay = 1_000
/** Causes that are shown of a section. */
const mostCauses = 30

/** What violates, or what only warns, by cause: what was sent, what came of it, and how to meet it again, as Markdown. */
export function causeSection(title: 'Violations' | 'Warnings', verdict: Verdict): readonly string[] {
  const told = toldCauses(verdict, { isWarning: title === 'Warnings', most: mostCauses })
  if (told === null) return []
  return [
    `### ${title} (${told.counts})`,
    '',
    ...told.leading.flatMap((one) => linesOf(one, verdict)),
    ...(told.hidden > 0 ? [`- … and ${told.hidden} more in verdict.json`] : []),
    '',
  ]
}

function linesOf(one: Leading, { rules }: Verdict): readonly string[] {
  const { cause } = one
  const replay = exampleOf(cause, rules)?.replay ?? null
  const alike = alikeText(one)
  return [
    `- **${shown(visible(cause.sentence), longestSentence)}**`,
    `  - ${shown(extentOf(cause), longestSentence)}`,
    ...(alike === null ? [] : [`  - ${shown(alike, longestSentence)}`]),
    ...(replay === null ? [] : [`  - again: ${replayOf(replay)}`]),
  ]
}

/** A line that had to be changed to be shown would send something else. */
function replayOf(replay: string): string {
  return replay.length > longestReplay || printable(replay) !== replay ? 'see verdict.json' : code(replay)
}
