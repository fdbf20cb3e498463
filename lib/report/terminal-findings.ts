import type { Finding } from '../judge/record.ts'
import { findingRows, type Extent } from './finding-rows.ts'
import { plural } from './plural.ts'
import { beginning, printable } from '../settings/printable.ts'
import { sentenceOf } from './rule-sentence.ts'
import type { Line, Tone } from './terminal-lines.ts'
import { openFindings, pickFindings, type Bounds, type Picked } from './terminal-pick.ts'
import type { Verdict, VerdictRule } from '../verdict/verdict.ts'
import { visible } from './visible.ts'

/** How a kind of breach is presented. */
interface Manner {
  readonly title: string
  readonly mark: string
  readonly tone: Tone
  readonly bounds: Bounds
}

const violation: Manner = { title: 'Violations', mark: '✗ ', tone: 'bad', bounds: { full: 10, all: 20 } }
const warning: Manner = { title: 'Warnings', mark: '! ', tone: 'warning', bounds: { full: 0, all: 5 } }

const extents: Readonly<Record<Extent['detail'], Extent>> = {
  full: { body: 300, field: 200, detail: 'full' },
  short: { body: 80, field: 100, detail: 'short' },
}

const longestSummary = 500
/** Beyond that, nobody copies a line from a terminal. */
const longestCopy = 4_000
const labelWidth = 12

/** The breaches that make the verdict nonconformant, with all that a reader needs to see and to repeat them. */
export function violationLines({ rules }: Verdict): readonly Line[] {
  return breaches(
    rules.filter(({ status }) => status === 'failed'),
    violation,
  )
}

/** The breaches that the profile does not count as violations, in short. */
export function warningLines({ rules }: Verdict): readonly Line[] {
  return breaches(
    rules.filter(({ status }) => status === 'warned'),
    warning,
  )
}

function breaches(rules: readonly VerdictRule[], manner: Manner): readonly Line[] {
  if (rules.length === 0) return []

  const picked = pickFindings(rules, manner.bounds)
  return [
    { text: `${manner.title} (${counted(rules)})`, tone: 'strong' },
    ...picked.shown.flatMap(({ rule, findings }) => [
      { text: '' },
      ...heading(rule, manner),
      ...findings.flatMap(({ finding, detail }) => findingLines(finding, extents[detail])),
    ]),
    ...rest(picked),
  ]
}

function counted(rules: readonly VerdictRule[]): string {
  const findings = rules.reduce((sum, rule) => sum + openFindings(rule).length, 0)
  return `${plural(rules.length, 'rule')}, ${plural(findings, 'finding')}`
}

function heading({ id, level, section }: VerdictRule, { mark, tone }: Manner): readonly Line[] {
  return [
    { label: mark, text: `${id} (${level}; ${section})`, tone },
    { indent: mark.length, text: sentenceOf(id) },
  ]
}

function findingLines(finding: Finding, extent: Extent): readonly Line[] {
  return [
    { indent: 4, text: beginning(visible(finding.summary), longestSummary), tone: 'strong' },
    ...findingRows(finding, extent).map(({ label, value, whole }) => {
      const line = { indent: 6, label: label.padEnd(labelWidth), text: value }
      return whole === true ? { ...line, whole } : line
    }),
    ...curlOf(finding),
  ]
}

/** A line that had to be escaped to be shown would no longer say what was sent, so that copying it would mislead. */
function curlOf({ curl }: Finding): readonly Line[] {
  if (curl === null) return []
  const nothing = { indent: 6, label: 'curl'.padEnd(labelWidth) }
  if (curl.length > longestCopy) return [{ ...nothing, text: `${curl.length} characters, see verdict.json` }]
  if (printable(curl) !== curl) return [{ ...nothing, text: 'not fit for a terminal, see verdict.json' }]
  return [{ indent: 6, text: curl, whole: true }]
}

function rest({ shown, hidden }: Picked): readonly Line[] {
  if (hidden.length === 0) return []

  const named = new Set(shown.map(({ rule }) => rule.id))
  const unnamed = [...new Set(hidden.map(({ rule }) => rule.id))].filter((id) => !named.has(id))
  const also = unnamed.length === 0 ? '' : `, of these rules too: ${unnamed.join(', ')}`
  return [{ text: '' }, { text: `… and ${hidden.length} more in verdict.json${also}` }]
}
