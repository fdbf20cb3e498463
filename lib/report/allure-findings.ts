import type { Finding, ShownExchange } from '../judge/record.ts'
import { clustered } from './clustered.ts'
import { findingRows } from './finding-rows.ts'
import { plural } from './plural.ts'
import { beginning, printable } from '../settings/printable.ts'
import type { VerdictRule } from '../verdict/verdict.ts'
import { visible } from './visible.ts'

/** What a finding is called: a violation, a breach that only warns, one that a waiver covers, or a fault of our own side. */
export type FindingWord = 'violation' | 'warning' | 'waived' | 'error'

/** A finding as a step of its rule. */
export interface FindingStep {
  readonly word: FindingWord | 'more'
  readonly name: string
  readonly facts: readonly (readonly [name: string, value: string])[]
  readonly exchange: ShownExchange | null
}

/** Beyond that nobody reads on, and a flood of findings must not make a report that no browser opens. */
const mostFindings = 20
const longest = { summary: 400, curl: 4_000 } as const
const extent = { body: 400, field: 400, detail: 'full' } as const

/** The findings of a rule as steps, each fingerprint once; the last says how many are left out. */
export function findingSteps(rule: VerdictRule): readonly FindingStep[] {
  const findings = clustered(rule.findings)
  const more = findings.length - mostFindings
  const steps = findings.slice(0, mostFindings).map((finding) => stepOf(finding, rule))
  if (more <= 0) return steps
  const name = `… and ${plural(more, 'more finding')} in verdict.json`
  return [...steps, { word: 'more', name, facts: [], exchange: null }]
}

/** What a finding counts as, in the status that its rule has. */
export function wordOf({ waived, warning, blames }: Finding, { status }: VerdictRule): FindingWord {
  if (waived !== undefined) return 'waived'
  if (blames !== undefined) return 'error'
  return status === 'failed' && warning !== true ? 'violation' : 'warning'
}

/** A finding in a line: what is wrong, and how often. */
export function findingLine({ summary, reproduced, count }: Finding): string {
  const times = count === 1 ? '' : `, met ${count} times`
  return printable(`${beginning(visible(summary), longest.summary)} (${reproduced}${times})`)
}

function stepOf(finding: Finding, rule: VerdictRule): FindingStep {
  const word = wordOf(finding, rule)
  return {
    word,
    name: `${word}: ${findingLine(finding)}`,
    facts: [...rows(finding), ...curlOf(finding)],
    exchange: finding.exchange,
  }
}

/** What was sent stands in the attached exchange. */
function rows(finding: Finding): readonly (readonly [string, string])[] {
  return [
    ...findingRows(finding, extent)
      .filter(({ label }) => label !== 'sent' && label !== '')
      .map(({ label, value }) => [label, printable(value)] as const),
    ['fingerprint', printable(finding.fingerprint)],
  ]
}

/** A line that had to be escaped would no longer say what was sent. */
function curlOf({ curl }: Finding): readonly (readonly [string, string])[] {
  return curl === null || curl.length > longest.curl || printable(curl) !== curl ? [] : [['curl', curl]]
}
