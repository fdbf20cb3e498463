import { historyLine, type HistoryLine } from '../../verdict/history-line.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { listOf, paragraph, type Item, type Section } from '../document.ts'
import { short } from '../sections.ts'
import { counted, moment } from '../words.ts'
import {
  changeKinds,
  changesBetween,
  otherCircumstances,
  type ChangeKind,
  type RuleChange,
} from './changes.ts'

const mostRules = 40

/** What stands in the place of news if there is no earlier run. */
export const noEarlierRun = 'No earlier run is known that this one could be compared with.'

/** Changes since the last comparable run; none for a run that judged nothing. */
export function newsSection(verdict: Verdict, previous: HistoryLine | null): Section | null {
  if (verdict.rules.length === 0) return null
  if (previous === null) {
    return { id: 'news', blocks: [paragraph(noEarlierRun)] }
  }
  const now = historyLine(verdict)
  const changes = changesBetween(previous, now).filter(({ kind }) => kind !== 'unchanged')
  const when = short(`(${moment(previous.startedAt)}, ${previous.verdict})`)
  const others = otherCircumstances(previous, now).map((text) => ({ text: short(text) }))
  const items = changeKinds.flatMap((kind) =>
    changeItems(
      kind,
      changes.filter((one) => one.kind === kind),
    ),
  )
  return {
    id: 'news',
    blocks: [
      paragraph(
        items.length === 0
          ? [{ strong: 'Nothing is new' }, ` since the last run ${when}.`]
          : [{ strong: 'New since the last run' }, ` ${when}:`],
      ),
      ...listOf(items),
      ...(others.length === 0 ? [] : [paragraph('Not only the target may have changed since then:')]),
      ...listOf(others),
    ],
  }
}

function changeItems(kind: ChangeKind, changes: readonly RuleChange[]): readonly Item[] {
  if (changes.length === 0) return []
  const rules = changes
    .slice(0, mostRules)
    .flatMap((one, place) => [place === 0 ? '' : ', ', { code: one.rule }, courseOf(one)])
  const more = changes.length - mostRules
  const title = kind === 'changed' ? 'with other findings than before' : kind
  return [{ text: [{ strong: title }, ': ', ...rules, more > 0 ? `, and ${more} more` : ''] }]
}

/** Details that the kind of a change does not tell. */
function courseOf({ kind, before, after, found, gone, notAsked }: RuleChange): string {
  if (kind !== 'worse' && kind !== 'better' && kind !== 'changed') return ''
  const parts = [
    ...(before === after ? [] : [`${before ?? 'none'} before, ${after ?? 'none'} now`]),
    ...(found.length > 0 ? [counted(found.length, 'new finding')] : []),
    ...(gone.length > 0 ? [`${gone.length} no longer found`] : []),
    ...(notAsked.length > 0 ? [`${notAsked.length} not asked this time`] : []),
  ]
  return parts.length === 0 ? '' : ` (${parts.join('; ')})`
}
