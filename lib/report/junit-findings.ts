import type { Finding } from '../judge/record.ts'
import { findingRows } from './finding-rows.ts'
import { printable } from './printable.ts'
import { sentenceOf } from './rule-sentence.ts'
import type { VerdictRule } from './verdict.ts'

const extent = { body: 4_000, field: 2_000, detail: 'full' } as const
const labelWidth = 12

/** The findings of a rule as text, a fact a line, all that makes characters invisible or moves them written as escapes. */
export function findingsText(rule: VerdictRule): string {
  const { id, level, section, findings } = rule
  const heading = `${id} (${level}; ${section}): ${sentenceOf(id)}`
  return [printable(heading), ...findings.map(findingText)].join('\n\n')
}

function findingText(finding: Finding): string {
  const rows = findingRows(finding, extent)
  const lines = [
    ...rows.map(({ label, value }) => `${label.padEnd(labelWidth)}${printable(value)}`),
    `${'fingerprint'.padEnd(labelWidth)}${printable(finding.fingerprint)}`,
    ...curlOf(finding),
  ]
  return [printable(finding.summary), ...lines.map((line) => `  ${line}`)].join('\n')
}

/** A line that had to be escaped would no longer say what was sent. */
function curlOf({ curl }: Finding): readonly string[] {
  return curl === null || printable(curl) !== curl ? [] : [curl]
}
