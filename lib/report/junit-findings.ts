import type { Finding } from '../judge/record.ts'
import { clustered } from './clustered.ts'
import { findingRows } from './finding-rows.ts'
import { beginning, printable } from '../settings/printable.ts'
import { sentenceOf } from './rule-sentence.ts'
import type { VerdictRule } from '../verdict/verdict.ts'
import { visible } from './visible.ts'

const extent = { body: 4_000, field: 2_000, detail: 'full' } as const
const labelWidth = 12
/** Beyond that nobody reads a log, and a flood of findings must not make a file that no pipeline takes. */
const mostFindings = 10
const longestCurl = 4_000

/** The findings of a rule as text, a fact a line, all that makes characters invisible or moves them written as escapes. */
export function findingsText(rule: VerdictRule): string {
  const { id, level, section } = rule
  const findings = clustered(rule.findings)
  const more = findings.length - mostFindings
  const heading = `${id} (${level}; ${section}): ${sentenceOf(id)}`
  return [
    printable(heading),
    ...findings.slice(0, mostFindings).map(findingText),
    ...(more > 0 ? [`… and ${more} more in verdict.json`] : []),
  ].join('\n\n')
}

function findingText(finding: Finding): string {
  const rows = findingRows(finding, extent)
  const lines = [
    ...rows.map(({ label, value }) => `${label.padEnd(labelWidth)}${printable(value)}`),
    `${'fingerprint'.padEnd(labelWidth)}${printable(finding.fingerprint)}`,
    ...curlOf(finding),
  ]
  return [
    printable(beginning(visible(finding.summary), extent.field)),
    ...lines.map((line) => `  ${line}`),
  ].join('\n')
}

/** A line that had to be escaped would no longer say what was sent. */
function curlOf({ curl }: Finding): readonly string[] {
  return curl === null || curl.length > longestCurl || printable(curl) !== curl ? [] : [curl]
}
