import type { RuleStatus } from '../../judge/record.ts'
import { statuses } from '../../verdict/verdict.ts'
import { paragraph, type Item, type Phrase, type Section } from '../model/document.ts'
import { terminalText, type Rendering } from '../render/terminal.ts'
import { listedNames } from '../model/cause-text.ts'
import { short } from '../model/document.ts'
import { visible } from '../../text/visible.ts'
import { outcomes } from '../model/rule-counts.ts'
import { countedRules } from '../../verdict/counted-rules.ts'
import { groupBy, moment, plural } from '../../text/counts.ts'
import { isUnjudged } from '../history/changes.ts'
import { countedChanges, type GravestCause, type JudgedTarget, type TargetRow } from './target-row.ts'
import {
  differingRules,
  judgedTargets,
  stateOf,
  states,
  targetsOutcome,
  type RuleAcross,
  type TargetsComparison,
} from './targets.ts'

/** Title of every report of many targets. */
export const targetsTitle = 'Conformance of many targets'

/** Maximum targets of a matrix of rules by target. */
export const widestMatrix = 50

/** Many targets for a terminal: a line each, worst first, then the rules. */
export function targetsText(comparison: TargetsComparison, rendering: Rendering): string {
  return terminalText(targetsSections(comparison), rendering)
}

function targetsSections(comparison: TargetsComparison): readonly Section[] {
  const { rows, now, worse } = comparison
  const items = rows.map((row, index) => rowItem(row, { number: index + 1, now }))
  return [
    { id: 'targets', blocks: [{ kind: 'list', items }] },
    ...(rows.length > widestMatrix ? failingSection(comparison) : matrixSection(comparison)),
    {
      id: 'outcome',
      blocks: [
        paragraph(
          stateCounts(comparison)
            .map(({ text }) => text)
            .join(', '),
        ),
        paragraph(targetsOutcome(comparison), worse ? 'bad' : 'good'),
      ],
    },
  ]
}

/** `2 nonconformant`: targets by verdict, the worst first. */
export function stateCounts({
  rows,
}: TargetsComparison): readonly { readonly tone: RuleStatus; readonly text: string }[] {
  return [...groupBy(rows, stateOf)].map(([state, { length }]) => {
    const { tone, word } = states[state]
    return { tone, text: `${length} ${word}` }
  })
}

/** Look of a target. */
export function toneOf(row: TargetRow): RuleStatus {
  return row.kind === 'judged' ? row.tone : states[row.kind].tone
}

/** Verdict of a target with its qualifications, or why it has none. */
export function wordOf(row: TargetRow): string {
  return row.kind === 'judged' ? row.word : states[row.kind].word
}

function rowItem(row: TargetRow, { number, now }: { readonly number: number; readonly now: Date }): Item {
  const { what, when } = changeOf(row)
  const told = [
    ...(row.kind === 'judged' ? [rulesOfTarget(row)] : []),
    when === null ? what : `${what} ${when}`,
    ...(row.startedAt === null ? [] : [`${age(row.startedAt, now)} old`]),
  ]
  const reason = row.kind === 'judged' ? causeOf(row.cause) : row.because
  const tone = toneOf(row)
  return {
    // The marks of inconclusive and untested would say so.
    status: isUnjudged(tone) ? 'warned' : tone,
    text: [
      `${number} `,
      { code: row.name },
      ': ',
      { strong: wordOf(row).toUpperCase() },
      `; ${told.join('; ')}`,
    ],
    under: [
      ...(reason === null ? [] : [short(reason)]),
      ...(reason === null || row.report === null ? [] : [[{ code: `${row.path}/${row.report}` }]]),
    ],
  }
}

/** `38 passed, 1 failed`: rules of a target by status. */
export function rulesOfTarget({ rules }: JudgedTarget): string {
  return outcomes(countedRules([...rules].map(([id, status]) => ({ id, status }))))
}

/** The gravest cause in a line, with the count of the others; null without one. */
export function causeOf(cause: GravestCause | null): string | null {
  if (cause === null) return null
  const { kind, nature, sentence, others } = cause
  const mark = kind === 'violation' ? '' : `${kind}, `
  return `${mark}${nature}: ${visible(sentence)}${others === 0 ? '' : `, and ${plural(others, 'more cause')}`}`
}

/** What changed since the target's own last run, and when that was. */
export function changeOf(row: TargetRow): { readonly what: string; readonly when: string | null } {
  if (row.kind !== 'judged') {
    if (row.last === null) return { what: 'no earlier run is known', when: null }
    return { what: `was ${row.last.word}`, when: `on ${moment(row.last.startedAt)}` }
  }
  const { change } = row
  if (change === null) return { what: 'no earlier run', when: null }
  const { counts, circumstances, since } = change
  const told = countedChanges.filter((kind) => counts.has(kind)).map((kind) => `${counts.get(kind)} ${kind}`)
  if (told.length === 0) return { what: 'unchanged', when: `(last run ${moment(since)})` }
  const others =
    circumstances.length === 0 ? '' : `; changed besides: ${listedNames(circumstances, mostNamed)}`
  return { what: told.join(', '), when: `(last run ${moment(since)})${others}` }
}

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000]

/** `12 min`, `5 h`, `3 days`: time since a run began. */
export function age(startedAt: string, now: Date): string {
  const passed = Math.max(0, now.getTime() - Date.parse(startedAt))
  if (passed < hourMs) return `${Math.floor(passed / minuteMs)} min`
  return passed < 2 * dayMs ? `${Math.floor(passed / hourMs)} h` : `${Math.floor(passed / dayMs)} days`
}

/** Signs of statuses in a matrix. */
const signs: Readonly<Record<RuleStatus, string>> = {
  passed: '·',
  failed: '✗',
  warned: '!',
  waived: '~',
  inconclusive: '?',
  untested: '-',
}

function matrixSection(comparison: TargetsComparison): readonly Section[] {
  const { rows } = comparison
  const targets = judgedTargets(rows)
  const differing = differingRules(comparison)
  const table = {
    kind: 'table',
    head: ['rule', ...targets.map((row) => `${rows.indexOf(row) + 1}`)],
    rows: differing.map(({ rule }): readonly Phrase[] => [
      [{ code: rule }],
      ...targets.map((row) => signOf(row.rules.get(rule))),
    ]),
  } as const
  if (targets.length === 0) return []
  const legend = statuses.map((status) => `${signs[status]} ${status}`).join(', ')
  const blocks = differing.length === 0 ? [] : [table, paragraph(legend, 'faint')]
  return [
    { id: 'matrix', title: 'Rule by target', blocks: [...blocks, paragraph(passedSentence(comparison))] },
  ]
}

function signOf(status: RuleStatus | undefined): string {
  return status === undefined ? ' ' : signs[status]
}

/** How many rules passed at every judged target. */
export function passedSentence(comparison: TargetsComparison): string {
  const differing = new Set(differingRules(comparison))
  const passed = comparison.rules.filter((rule) => !differing.has(rule)).map(({ rule }) => ({ id: rule }))
  return `${plural(countedRules(passed).length, 'rule')} passed at every target that was judged.`
}

/** Maximum targets named beside a rule. */
const mostNamed = 5

function failingSection(comparison: TargetsComparison): readonly Section[] {
  const items = failingRules(comparison).map(({ rule, failing }): Item => {
    const names = failing.map(({ name }) => short(name))
    return {
      status: 'failed',
      text: [{ code: rule }, `: ${plural(failing.length, 'target')}: ${listedNames(names, mostNamed)}`],
    }
  })
  const passed = paragraph(passedSentence(comparison))
  if (items.length === 0) return [{ id: 'rules', blocks: [passed] }]
  return [{ id: 'rules', title: 'Rules that fail anywhere', blocks: [{ kind: 'list', items }, passed] }]
}

/** Rules that fail at any target, those that fail at most targets first. */
export function failingRules({
  rules,
}: TargetsComparison): readonly (RuleAcross & { readonly failing: readonly JudgedTarget[] })[] {
  return rules
    .map((across) => ({ ...across, failing: across.targets.get('failed') ?? [] }))
    .filter(({ failing }) => failing.length > 0)
    .toSorted((one, other) => other.failing.length - one.failing.length)
}
