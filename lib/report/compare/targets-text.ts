import { plural } from '../../text/counts.ts'
import { isUnjudged } from '../history/changes.ts'
import { listedNames } from '../model/cause-view.ts'
import { shownText } from '../model/finding-view.ts'
import { apart, marked, terminalText, type Line, type Rendering } from '../render/terminal.ts'
import { ageOf, type TargetRow, type TargetsComparison } from './targets.ts'

/** Maximum number of targets named next to a rule. */
const mostNamed = 5

/** Many targets for a terminal: one line each, worst first, then the rules that fail anywhere. */
export function targetsText(comparison: TargetsComparison, rendering: Rendering): string {
  const { rows, now, worse, counts, outcome, passed } = comparison
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
      ...(passed === null ? [] : [{ text: passed }]),
      { text: counts },
      { text: outcome, tone: worse ? 'bad' : 'good' },
    ],
  ]
  return terminalText(apart(groups), rendering)
}

function rowLines(row: TargetRow, number: number, now: Date) {
  const { name, path, report, tone, word, counts, reason, change } = row
  const age = ageOf(row, now)
  const told = [word.toUpperCase(), counts, change, age === null ? null : `${age} old`]
  const text = `${number} ${name}: ${told.filter((one) => one !== null).join('; ')}`
  const under = reason === null ? [] : [shownText(reason), ...(report === null ? [] : [`${path}/${report}`])]
  // With their own marks, inconclusive and untested would also be spelled out in the text.
  const line = marked(isUnjudged(tone) ? 'warned' : tone, text)
  return [line, ...under.map((one) => ({ text: one, indent: 4 }))]
}
