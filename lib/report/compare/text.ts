import { headlineWord } from '../headline.ts'
import { printable } from '../../settings/printable.ts'
import { renderLines, usableWidth, type Line, type Rendering, type Tone } from '../terminal-lines.ts'
import type { Comparison, Difference, MatrixRow } from './comparison.ts'
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
  type Group,
} from './wording.ts'

const tones: Readonly<Record<Group['kind'], Tone>> = {
  'newly failing': 'bad',
  worse: 'bad',
  vanished: 'warning',
  changed: 'warning',
  appeared: 'plain',
  better: 'good',
  mended: 'good',
}

/** A comparison for a person at a terminal: the runs, each against the first, then every rule that did not pass everywhere. */
export function comparisonText(comparison: Comparison, rendering: Rendering): string {
  const { sides, differences, worse } = comparison
  const sections: readonly (readonly Line[])[] = [
    sides.flatMap(sideLines),
    ...differences.map((difference, index) => differenceLines(sides[0], difference, index + 2)),
    ...matrixLines(comparison, usableWidth(rendering.width)),
    [{ text: outcomeSentence(comparison), tone: worse ? 'bad' : 'good' }],
  ]
  const lines = sections.flatMap((section, index) => (index === 0 ? section : [{ text: '' }, ...section]))
  return renderLines(lines, rendering)
}

function sideLines(side: Side, index: number): readonly Line[] {
  const { path, run, because } = side
  return [
    { label: `${index + 1}  `, text: `${path}: ${headlineWord(run).toUpperCase()}`, tone: 'strong' },
    { indent: 3, text: targetText(side) },
    { indent: 3, text: runText(side) },
    { indent: 3, text: countsOf(side) },
    ...(run.verdict === 'error' ? because : []).map((text) => ({ indent: 3, label: '- ', text })),
  ]
}

function differenceLines(first: Side | undefined, difference: Difference, number: number): readonly Line[] {
  const { circumstances, observations } = difference
  return [
    { text: `${number} against 1`, tone: 'strong' },
    ...(first === undefined ? [] : [{ indent: 2, text: claim(first, difference) }]),
    ...circumstances.map(({ what, before, after }) => ({
      indent: 2,
      label: '- ',
      text: `${what}: ${before} → ${after}`,
    })),
    ...groupsOf(difference).flatMap(groupLines),
    ...(observations.length === 0
      ? []
      : [{ indent: 2, text: `observed otherwise (${observations.length})` }]),
    ...observations.map(({ id, before, after }) => ({
      indent: 4,
      text: `${id}: ${observed(before)} → ${observed(after)}`,
    })),
    { indent: 2, text: unchangedSentence(difference) },
  ]
}

function groupLines({ kind, title, rules }: Group): readonly Line[] {
  return [
    { indent: 2, text: title, tone: tones[kind] },
    ...rules.flatMap((rule) => [
      { indent: 4, text: `${rule.rule}: ${transition(rule)}` },
      ...findingLines(rule).map((text) => ({ indent: 6, text })),
    ]),
  ]
}

const cellWidth = 'inconclusive'.length + 2

/** A table for as many runs as fit beside the rules, and another for the next. */
function matrixLines(comparison: Comparison, width: number): readonly (readonly Line[])[] {
  const rows = tellingRows(comparison)
  if (rows.length === 0) return [[{ text: untoldSentence(comparison) }]]

  const ruleWidth = Math.max(...rows.map(({ rule }) => printable(rule).length)) + 2
  const fitting = Math.max(1, Math.floor((width - ruleWidth) / cellWidth))
  const tables = Array.from({ length: Math.ceil(comparison.sides.length / fitting) }, (_, turn) =>
    tableLines(rows, { ruleWidth, from: turn * fitting, to: (turn + 1) * fitting }, comparison.sides.length),
  )
  return [...tables, [{ text: untoldSentence(comparison) }]]
}

interface Extent {
  readonly ruleWidth: number
  readonly from: number
  readonly to: number
}

function tableLines(
  rows: readonly MatrixRow[],
  { ruleWidth, from, to }: Extent,
  sides: number,
): readonly Line[] {
  const numbers = Array.from({ length: sides }, (_, index) => `${index + 1}`)
  const line = (rule: string, cells: readonly string[]): string =>
    `${rule.padEnd(ruleWidth)}${cells
      .slice(from, to)
      .map((cell) => cell.padEnd(cellWidth))
      .join('')}`
  return [
    { text: line('rule', numbers), tone: 'strong', whole: true },
    ...rows.map(({ rule, statuses }): Line => ({
      text: line(printable(rule), statuses.map(statusText)),
      whole: true,
    })),
  ]
}
