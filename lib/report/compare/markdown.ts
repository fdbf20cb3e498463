import { headlineWord } from '../headline.ts'
import { printable } from '../../settings/printable.ts'
import type { Comparison, Difference } from './comparison.ts'
import type { Side } from './side.ts'
import {
  claim,
  countsOf,
  findingLines,
  groupsOf,
  observed,
  outcomeSentence,
  runText,
  statusText,
  targetText,
  tellingRows,
  transition,
  unchangedSentence,
  untoldSentence,
} from './wording.ts'

/** A comparison as Markdown for a merge request. What is not our own sentence stands in code spans, which nothing leaves. */
export function comparisonMarkdown(comparison: Comparison): string {
  const { sides, differences } = comparison
  const blocks = [
    '# Conformance compared',
    sides.map(sideItem).join('\n'),
    ...differences.flatMap((difference, index) => differenceBlocks(sides[0], difference, index + 2)),
    '## Rule by target',
    ...tableBlocks(comparison),
    `${untoldSentence(comparison)}.`,
    code(outcomeSentence(comparison)),
  ]
  return `${blocks.join('\n\n')}\n`
}

function sideItem(side: Side, index: number): string {
  const because =
    side.run.verdict === 'error' ? side.because.map((text) => `\n   - ${code(text)}`).join('') : ''
  const facts = [code(targetText(side)), code(runText(side)), countsOf(side)].join('; ')
  return `${index + 1}. ${code(side.path)}: **${headlineWord(side.run)}**; ${facts}${because}`
}

function differenceBlocks(
  first: Side | undefined,
  difference: Difference,
  number: number,
): readonly string[] {
  const { circumstances, observations } = difference
  return [
    `## ${number} against 1`,
    ...(first === undefined ? [] : [claim(first, difference)]),
    ...listed(circumstances.map(({ what, before, after }) => `- ${what}: ${code(before)} → ${code(after)}`)),
    ...groupsOf(difference).flatMap(({ title, rules }) => [
      `### ${capitalised(title)}`,
      rules
        .flatMap((rule) => [
          `- ${code(rule.rule)}: ${transition(rule)}`,
          ...findingLines(rule).map((line) => `  - ${code(line)}`),
        ])
        .join('\n'),
    ]),
    ...(observations.length === 0 ? [] : [`### Observed otherwise (${observations.length})`]),
    ...listed(
      observations.map(
        ({ id, before, after }) => `- ${code(id)}: ${code(observed(before))} → ${code(observed(after))}`,
      ),
    ),
    `${unchangedSentence(difference)}.`,
  ]
}

function listed(items: readonly string[]): readonly string[] {
  return items.length === 0 ? [] : [items.join('\n')]
}

function tableBlocks(comparison: Comparison): readonly string[] {
  const rows = tellingRows(comparison)
  if (rows.length === 0) return []
  const head = ['rule', ...comparison.sides.map((_, index) => `${index + 1}`)]
  const lines = [
    row(head),
    row(head.map(() => '---')),
    ...rows.map(({ rule, statuses }) =>
      row([code(rule).replaceAll('|', String.raw`\|`), ...statuses.map(statusText)]),
    ),
  ]
  return [lines.join('\n')]
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

/** A code span around any text: fenced by more backticks than it holds in a row, and without line ends. Source: CommonMark, 6.1. */
function code(text: string): string {
  const safe = printable(text)
  const longest = (safe.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0)
  const fence = '`'.repeat(longest + 1)
  return longest === 0 && safe.trim() !== '' ? `${fence}${safe}${fence}` : `${fence} ${safe} ${fence}`
}

function capitalised(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}
