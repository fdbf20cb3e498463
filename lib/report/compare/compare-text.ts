import { plural } from '../../text/printable.ts'
import { isUnjudged } from '../history/history.ts'
import { listedNames } from '../model/cause-view.ts'
import { shownText } from '../model/finding-view.ts'
import {
  blank,
  listLines,
  terminalText,
  type Line,
  type Rendering,
  apart,
  marked,
} from '../render/terminal.ts'
import type { Comparison } from './comparison.ts'
import type { AgedRow, TargetsComparison } from './targets.ts'

/** A comparison for a terminal: the runs, each compared with the first, then every rule that did not pass in all of them. */
export function comparisonText(comparison: Comparison, rendering: Rendering) {
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

/** Maximum number of targets named next to a rule. */
const mostNamed = 5

/** Many targets for a terminal: one line each, worst first, then the rules that fail anywhere. */
export function targetsText(comparison: TargetsComparison, rendering: Rendering) {
  const { rows, worse, counts, outcome, passed } = comparison
  const failing = comparison.failing.map(({ rule, failed }) => {
    const names = listedNames(
      failed.map((name) => shownText(name)),
      mostNamed,
    )
    return marked('failed', `${rule}: ${plural(failed.length, 'target')}: ${names}`)
  })
  const title: Line = { text: 'Rules that fail anywhere', tone: 'strong' }
  const groups: readonly (readonly Line[])[] = [
    rows.flatMap((row, index) => rowLines(row, index + 1)),
    failing.length === 0 ? [] : [title, ...failing],
    [
      ...(passed === null ? [] : [{ text: passed }]),
      { text: counts },
      { text: outcome, tone: worse ? 'bad' : 'good' },
    ],
  ]
  return terminalText(apart(groups), rendering)
}

function rowLines(row: AgedRow, number: number) {
  const { name, path, report, tone, word, counts, reason, change, age } = row
  const told = [word.toUpperCase(), counts, change, age === null ? null : `${age} old`]
  const text = `${number} ${name}: ${told.filter((one) => one !== null).join('; ')}`
  const under = reason === null ? [] : [shownText(reason), ...(report === null ? [] : [`${path}/${report}`])]
  // With their own marks, inconclusive and untested would also be spelled out in the text.
  const line = marked(isUnjudged(tone) ? 'warned' : tone, text)
  return [line, ...under.map((one) => ({ text: one, indent: 4 }))]
}
