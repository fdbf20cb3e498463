import { plural } from '../../text/counts.ts'
import { isUnjudged } from '../history/changes.ts'
import { listedNames } from '../model/cause-view.ts'
import { shownText } from '../model/finding-view.ts'
import { apart, marked, terminalText, type Line, type Rendering } from '../render/terminal.ts'
import type { TargetRow } from './target-row.ts'
import { ageOf, countsOf, type TargetsComparison } from './targets.ts'

/** Maximum number of targets named next to a rule. */
const mostNamed = 5

/** Many targets for a terminal: one line each, worst first, then the rules that fail anywhere. */
export function targetsText(comparison: TargetsComparison, rendering: Rendering): string {
  const { rows, judged, now, worse, counts, outcome, passed } = comparison
  const failing = comparison.failing.map(({ rule, failed }) => {
    const names = listedNames(
      failed.map((name) => shownText(name)),
      mostNamed,
    )
    return marked('failed', `${rule}: ${plural(failed.length, 'target')}: ${names}`)
  })
  const title: Line = { text: 'Rules that fail anywhere', tone: 'strong' }
  const groups: readonly (readonly Line[])[] = [
    rows.flatMap((row, index) => rowLines(row, index + 1, now)),
    failing.length === 0 ? [] : [title, ...failing],
    [
      ...(judged.length === 0 ? [] : [{ text: passed }]),
      { text: counts },
      { text: outcome, tone: worse ? 'bad' : 'good' },
    ],
  ]
  return terminalText(apart(groups), rendering)
}

function rowLines(row: TargetRow, number: number, now: Date): readonly Line[] {
  const { tone, word, reason, change } = row
  const age = ageOf(row, now)
  const told = [
    countsOf(row),
    change.filter((one) => one !== null).join(' '),
    age === null ? null : `${age} old`,
  ]
  const text = `${number} ${row.name}: ${[word.toUpperCase(), ...told].filter((one) => one !== null).join('; ')}`
  const place = row.report === null ? [] : [`${row.path}/${row.report}`]
  const under = reason === null ? [] : [shownText(reason), ...place]
  // With their own marks, inconclusive and untested would also be spelled out in the text.
  const line = marked(isUnjudged(tone) ? 'warned' : tone, text)
  return [line, ...under.map((one) => ({ text: one, indent: 4 }))]
}
