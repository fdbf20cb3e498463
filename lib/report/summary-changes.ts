import { changesBetween, otherCircumstances, type Change } from './changes.ts'
import { historyLine, type HistoryLine } from '../verdict/history-line.ts'
import { code, shown } from './summary-text.ts'
import type { Verdict } from '../verdict/verdict.ts'

/** Kinds of change in the order in which a reader wants to know of them; others come after them. */
const kinds = ['newly failing', 'worse', 'vanished', 'mended', 'better', 'appeared', 'changed']
const mostRules = 40
const longest = 300

/** What is new since the last comparable run, as Markdown; a run that came to nothing has no news. */
export function newsLines(verdict: Verdict, previous: HistoryLine | null): readonly string[] {
  if (verdict.rules.length === 0) return []
  if (previous === null) return ['No earlier run is known that this one could be compared with.', '']

  const now = historyLine(verdict)
  const changes = changesBetween(previous, now).filter(({ kind }) => kind !== 'unchanged')
  const when = `${shown(previous.startedAt.slice(0, 16).replace('T', ' '), longest)} UTC, ${shown(previous.verdict, longest)}`
  const others = otherCircumstances(previous, now)
  return [
    changes.length === 0
      ? `**Nothing is new** since the last run (${when}).`
      : `**New since the last run** (${when}):`,
    '',
    ...byKind(changes),
    ...(others.length === 0 ? [] : ['Not only the target may have changed since then:', '']),
    ...others.map((sentence) => `- ${shown(sentence, longest)}`),
    ...(others.length === 0 ? [] : ['']),
  ]
}

function byKind(changes: readonly Change[]): readonly string[] {
  const present = [...new Set<string>([...kinds, ...changes.map(({ kind }) => kind)])]
  const lines = present.flatMap((wanted) => {
    const rules = changes.filter(({ kind }) => kind === wanted)
    if (rules.length === 0) return []
    const more = rules.length > mostRules ? `, and ${rules.length - mostRules} more` : ''
    return [`- ${titleOf(wanted)}: ${rules.slice(0, mostRules).map(one).join(', ')}${more}`]
  })
  return lines.length === 0 ? [] : [...lines, '']
}

function titleOf(kind: string): string {
  if (kind === 'newly failing') return '**newly failing**'
  return kind === 'changed' ? 'with other findings than before' : kind
}

function one({ rule, kind, before, after }: Change): string {
  const course =
    kind === 'worse' || kind === 'better' ? ` (${before ?? 'none'} before, ${after ?? 'none'} now)` : ''
  return `${code(rule)}${course}`
}
