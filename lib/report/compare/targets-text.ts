import { listOf, paragraph, type Item, type Section } from '../model/document.ts'
import { listedNames } from '../model/cause-text.ts'
import { short } from '../model/document.ts'
import { terminalText, type Rendering } from '../render/terminal.ts'
import { plural } from '../../text/counts.ts'
import { isUnjudged } from '../history/changes.ts'
import type { TargetRow } from './target-row.ts'
import { failingRules, judgedTargets, rowText, type TargetsComparison } from './targets.ts'

/** Maximum number of targets named next to a rule. */
const mostNamed = 5

/** Many targets for a terminal: one line each, worst first, then the rules that fail anywhere. */
export function targetsText(comparison: TargetsComparison, rendering: Rendering): string {
  const { rows, now, worse, counts, outcome, passed } = comparison
  const failing = failingRules(comparison).map(({ rule, failed }): Item => ({
    status: 'failed',
    text: `${rule}: ${plural(failed.length, 'target')}: ${listedNames(failed.map(short), mostNamed)}`,
  }))
  const sections: readonly Section[] = [
    { blocks: listOf(rows.map((row, index) => rowItem(row, index + 1, now))) },
    ...(failing.length === 0 ? [] : [{ title: 'Rules that fail anywhere', blocks: listOf(failing) }]),
    {
      blocks: [
        ...(judgedTargets(rows).length === 0 ? [] : [paragraph(passed)]),
        paragraph(counts),
        paragraph(outcome, worse ? 'bad' : 'good'),
      ],
    },
  ]
  return terminalText(sections, rendering)
}

function rowItem(row: TargetRow, number: number, now: Date): Item {
  const { tone, word, rules, reason, change, age } = rowText(row, now)
  const told = [rules, change.filter((one) => one !== null).join(' '), age === null ? null : `${age} old`]
  const place = row.report === null ? [] : [`${row.path}/${row.report}`]
  return {
    // With their own marks, inconclusive and untested would also be spelled out in the text.
    status: isUnjudged(tone) ? 'warned' : tone,
    text: `${number} ${row.name}: ${[word.toUpperCase(), ...told].filter((one) => one !== null).join('; ')}`,
    under: reason === null ? [] : [short(reason), ...place],
  }
}
