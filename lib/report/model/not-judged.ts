import { groupBy, plural } from '../../text/counts.ts'
import { countedRules } from '../../verdict/counted-rules.ts'
import type { Verdict, VerdictRule } from '../../verdict/verdict.ts'
import { listedNames } from './cause-text.ts'
import { isUnjudged } from '../history/changes.ts'
import { listOf, type Item, type Section } from './document.ts'
import { withCodeNames } from './codes.ts'
import { short } from './sections.ts'

/** Section of rules without a verdict, grouped by reason, or null. */
export function notJudgedSection({ rules }: Verdict): Section | null {
  const unjudged = (['inconclusive', 'untested'] as const).flatMap((wanted) =>
    countedRules(rules).filter(({ status }) => status === wanted),
  )
  if (unjudged.length === 0) return null
  const groups = [...groupBy(unjudged, ({ status, because }) => `${status} ${because ?? ''}`).values()].map(
    grouped,
  )
  const blocks = listOf(groups.map(({ status, reason, names }) => ({ status, text: reason, names })))
  return { id: 'not-judged', title: `Not judged (${plural(unjudged.length, 'rule')})`, blocks }
}

/** What {@link notJudgedSection} lists, in one sentence beside violations, which matter more; or null. */
export function notJudgedBriefly({ rules }: Verdict): string | null {
  const names = countedRules(rules)
    .filter(({ status }) => isUnjudged(status))
    .map(({ id }) => id)
  if (names.length === 0) return null
  return `Not judged (${plural(names.length, 'rule')}; why: see verdict.json): ${listedNames(names, mostNamed)}`
}

/** Maximum rules named in {@link notJudgedBriefly}. */
const mostNamed = 3

/** Section of endpoints that are named and were not judged, or null. */
export function unjudgedEndpointsSection({ target }: Pick<Verdict, 'target'>): Section | null {
  const { notJudged } = target
  if (notJudged.length === 0) return null
  const items = notJudged.map(({ endpoint, because, waived }): Item => {
    const agreed = waived === undefined ? '' : `; waived: ${waived}`
    return {
      status: waived === undefined ? 'untested' : 'waived',
      text: [{ code: short(endpoint) }, `: ${short(`${because}${agreed}`)}`],
    }
  })
  return {
    id: 'endpoints',
    title: `Endpoints that were not judged (${notJudged.length})`,
    blocks: listOf(items),
  }
}

/** Rules that were not judged for one reason. */
interface Group {
  readonly status: VerdictRule['status']
  readonly reason: string
  readonly names: readonly string[]
}

function grouped(members: readonly VerdictRule[]): Group {
  const [first] = members
  return {
    status: first?.status ?? 'untested',
    reason: withCodeNames(short(first?.because ?? 'no reason was given')),
    names: members.map(({ id }) => id),
  }
}
