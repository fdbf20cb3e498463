import { beginning } from '../settings/printable.ts'
import { groupBy } from '../spec/group-by.ts'
import { isCovered } from './headline.ts'
import { plural } from './plural.ts'
import type { Line } from './terminal-lines.ts'
import type { Verdict, VerdictRule } from '../verdict/verdict.ts'
import { waiverNotes } from './waiver-notes.ts'

const longestReason = 600

/** The breaches and rules that waivers cover. */
export function waivedLines({ rules }: Verdict): readonly Line[] {
  const covered = rules.filter(isCovered)
  if (covered.length === 0) return []
  return [
    { text: `Waived (${plural(covered.length, 'rule')})`, tone: 'strong' },
    { text: '' },
    ...covered.flatMap(coveredLines),
  ]
}

function coveredLines(rule: VerdictRule): readonly Line[] {
  const findings = rule.findings.filter(({ waived }) => waived !== undefined)
  const because = rule.because === null ? '' : `: ${beginning(rule.because, longestReason)}`

  return [
    { label: '~ ', text: `${rule.id}${rule.status === 'waived' ? because : ', in part'}` },
    ...findings.map(({ summary, case: name, waived = '' }) => {
      const reason = rule.status === 'waived' ? '' : `; ${waived}`
      return { indent: 4, text: beginning(`${summary} (${name})${reason}`, longestReason) }
    }),
  ]
}

/** The waivers that expired or are not needed, where nobody can overlook them. */
export function waiverLines(verdict: Verdict): readonly Line[] {
  const notes = waiverNotes(verdict)
  if (notes.length === 0) return []
  return [
    { text: `Waivers to look at (${notes.length})`, tone: 'strong' },
    { text: '' },
    ...notes.map(({ says }): Line => ({
      label: '! ',
      text: beginning(says, longestReason),
      tone: 'warning',
    })),
  ]
}

/** The rules without a verdict, those with the same reason together. */
export function notJudgedLines({ rules }: Verdict): readonly Line[] {
  const unjudged = ['inconclusive', 'untested'].flatMap((status) =>
    rules.filter((rule) => rule.status === status),
  )
  if (unjudged.length === 0) return []

  const reasons = groupBy(unjudged, ({ status, because }) => `${status}: ${because ?? 'no reason was given'}`)
  return [
    { text: `Not judged (${plural(unjudged.length, 'rule')})`, tone: 'strong' },
    { text: '' },
    ...[...reasons].flatMap(([reason, members]): readonly Line[] => [
      { label: '? ', text: beginning(reason, longestReason) },
      { indent: 4, text: members.map(({ id }) => id).join(', '), tone: 'faint' },
    ]),
  ]
}

/** What no verdict covers, where there is one that it bounds; the reasons stay in `verdict.json`. */
export function notCoveredLines({ verdict, notCovered, rules }: Verdict): readonly Line[] {
  if (notCovered.length === 0 || rules.length === 0) return []
  if (verdict === 'nonconformant') {
    return [
      { text: `Not covered by any verdict: ${notCovered.length} subjects, see verdict.json`, tone: 'faint' },
    ]
  }
  const subjects = notCovered.map((one) => (one.includes(': ') ? one.slice(0, one.lastIndexOf(': ')) : one))
  return [{ text: `Not covered by any verdict: ${subjects.join('; ')}`, tone: 'faint' }]
}
