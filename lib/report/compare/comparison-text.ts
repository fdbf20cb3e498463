import { blank, listLines, terminalText, type Line, type Rendering } from '../render/terminal.ts'
import type { Comparison } from './comparison.ts'

/** A comparison for a terminal: the runs, each compared with the first, then every rule that did not pass in all of them. */
export function comparisonText(comparison: Comparison, rendering: Rendering): string {
  const { runs, differences, differing, passed, outcome, worse } = comparison
  const lines: readonly Line[] = [
    ...runs.flatMap(({ text, under }, place) => [
      { text, label: `${place + 1}  ` },
      ...under.map((one) => ({ text: one, indent: 3 })),
    ]),
    ...differences.flatMap(({ title, lines: said, circumstances, groups }): readonly Line[] => [
      blank,
      { text: title, tone: 'strong' },
      ...said.map((text) => ({ text, indent: 2 })),
      ...listLines(circumstances, 2),
      ...groups.flatMap(({ title: name, tone, items }) => [
        { text: name, tone, indent: 2 },
        ...items.flatMap(({ text, under }) => [
          ...listLines([text], 4),
          ...under.map((one) => ({ text: one, indent: 6 })),
        ]),
      ]),
    ]),
    blank,
    { text: 'Rule by target', tone: 'strong' },
    ...listLines(
      differing.map(
        ({ rule, statuses }) => `${rule}: ${statuses.map((status) => status ?? 'absent').join(', ')}`,
      ),
      2,
    ),
    { text: passed, indent: 2 },
    blank,
    { text: outcome, tone: worse ? 'bad' : 'good' },
  ]
  return terminalText(lines, rendering)
}
