import type { Finding } from '../../judge/record.ts'
import { beginning, printable } from '../../text/printable.ts'
import { findingFacts, type Documented } from './finding-facts.ts'
import { isCopyable, visible } from '../../text/visible.ts'

type Extent = Parameters<typeof findingFacts>[1]

const brief: Extent = { body: 200, field: 100, detail: 'short' }
const longestSummary = 600
const labelWidth = 12

/**
 * A finding as the terminal shows it: what was documented, answered and sent, how often, and the lines that send it again; without
 * credentials, and safe for a terminal or a log.
 */
export function findingText(finding: Finding): string {
  return factLines(finding, brief, {}, longestSummary)
}

/** As {@link findingText}; where no answer is documented, its rule says what is. */
export function findingOfRule(finding: Finding, { says }: Documented): string {
  return factLines(finding, brief, { says }, longestSummary)
}

/** As {@link findingOfRule}, with as much of each field as this allows. */
export function longFindingText(finding: Finding, extent: Extent, { says }: Documented): string {
  return factLines(finding, extent, { says }, extent.field)
}

function factLines(
  finding: Finding,
  extent: Extent,
  rule: Partial<Documented>,
  summaryLength: number,
): string {
  const { summary, fingerprint, curl } = finding
  const facts = [...findingFacts(finding, extent, rule), { label: 'fingerprint', value: fingerprint }]
  return [
    printable(beginning(visible(summary), summaryLength)),
    ...facts.map(({ label, value }) => `  ${label.padEnd(labelWidth)}${printable(value)}`),
    ...(curl === null || !isCopyable(curl) ? [] : [`  ${curl}`]),
  ].join('\n')
}
