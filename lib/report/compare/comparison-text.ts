import type { RuleStatus } from '../../judge/record.ts'
import { andMore, firstOf, groupBy, plural } from '../../text/counts.ts'
import { countedRules } from '../../verdict/counted-rules.ts'
import { statuses } from '../../verdict/verdict.ts'
import { isJudged, type ChangeKind } from '../history/changes.ts'
import { listOf, paragraph, plainText } from '../model/document.ts'
import type { Item, Section, Phrase, Tone } from '../model/document.ts'
import { headlineWord, inBrackets } from '../model/headline.ts'
import { short } from '../model/document.ts'
import { terminalText, type Rendering } from '../render/terminal.ts'
import type { ComparedFinding, ComparedRule, Comparison, Difference } from './comparison.ts'
import type { Side } from './side.ts'

/** Comparison for a terminal: the runs, each against the first, then every rule that did not pass everywhere. */
export function comparisonText(comparison: Comparison, rendering: Rendering): string {
  const { sides, outcome, worse } = comparison
  const numbers = sides.map((_, index) => `${index + 1}`)
  const end = { id: 'outcome', blocks: [paragraph(outcome, worse ? 'bad' : 'good')] }
  return terminalText([...runSections(comparison), rulesByRun(comparison, numbers), end], rendering)
}

/** The runs by number, then each against the first. */
export function runSections({ sides, differences, names }: Comparison): readonly Section[] {
  const items = sides.map((side, index) => sideItem(side, names[index] ?? side.path))
  return [
    { id: 'runs', blocks: listOf(items, Infinity, true) },
    ...differences.map((difference, index): Section => {
      const [first = '', other = ''] = [names[0], names[index + 1]]
      const title = [`${index + 2} against 1 (`, { code: other }, ' against ', { code: first }, ')']
      return { id: `run-${index + 2}`, title, ...differenceOf(sides[0], difference) }
    }),
  ]
}

/** Rules that did not pass in every run, under the names of the runs, and with their sentences where there is room. */
export function rulesByRun({ matrix }: Comparison, names: readonly string[], hasRoom = false): Section {
  const isPassed = (row: Comparison['matrix'][number]): boolean =>
    row.statuses.every((status) => status === 'passed')
  const rows = matrix
    .filter((row) => !isPassed(row))
    .map(({ rule, says, statuses: all }): readonly Phrase[] => [
      [{ code: rule }, hasRoom ? `: ${says}` : ''],
      ...all.map((status) => [{ status }]),
    ])
  const passed = countedRules(matrix.filter(isPassed).map(({ rule }) => ({ id: rule }))).length
  const table = { kind: 'table', head: ['rule', ...names], rows } as const
  const left = paragraph(`${plural(passed, 'rule')} passed in every run.`)
  return { id: 'versus', title: 'Rule by target', blocks: [...(rows.length === 0 ? [] : [table]), left] }
}

function sideItem({ path, run, because }: Side, name: string): Item {
  const { target, startedAt, profile, strict, suite, seed, rules } = run
  const where: Phrase = name === short(path) ? [] : [' (', { code: short(path) }, ')']
  const address = target.embedded ? 'the EMBEDDED REFERENCE SERVICE' : (target.baseUrl ?? 'no target')
  const under = [
    `${address}${inBrackets(target)}, version ${target.version}`,
    `${startedAt.slice(0, 19).replace('T', ' ')} UTC, profile ${profile}${strict ? ', strict' : ''}, suite ${suite.version}, seed ${seed}`,
    counted(countedRules(rules).map(({ status }) => status)) || 'no rule was judged',
    ...(run.verdict === 'error' ? because : []),
  ]
  return {
    text: [{ code: name }, ...where, ': ', { strong: headlineWord(run).toUpperCase() }],
    under: under.map(short),
  }
}

/** `21 passed, 1 failed`: the statuses that occur. */
function counted(of: readonly (RuleStatus | null)[]): string {
  return [...statuses, null]
    .map((status) => ({ status, count: of.filter((one) => one === status).length }))
    .filter(({ count }) => count > 0)
    .map(({ status, count }) => `${count} ${plainText([{ status }])}`)
    .join(', ')
}

function differenceOf(first: Side | undefined, difference: Difference): Pick<Section, 'blocks' | 'parts'> {
  const { circumstances, observations, rules, sameTarget } = difference
  const unchanged = countedRules(rules.map((rule) => ({ id: rule.rule, ...rule }))).filter(
    ({ kind }) => kind === 'unchanged',
  )
  const counts = unchanged.length === 0 ? '' : ` (${counted(unchanged.map(({ after }) => after))})`
  const observed = observations.map(({ id, before, after }): Item => ({
    text: [{ code: short(id) }, ': ', { code: value(before) }, ' → ', { code: value(after) }],
  }))
  const byKind = groupBy(rules, ({ kind }) => kind)
  const groups = kinds.map(([kind, tone, ofOne, ofTwo]) => {
    const items = (byKind.get(kind) ?? []).map(ruleItem)
    return { id: kind, tone, title: sameTarget ? ofOne : ofTwo, items }
  })
  const parts = [
    ...groups,
    { id: 'observed', tone: 'strong' as const, title: 'observed otherwise', items: observed },
  ]
  return {
    blocks: [
      ...(first === undefined ? [] : [paragraph(claim(first, difference))]),
      ...listOf(
        circumstances.map(({ what, before, after }) => ({
          text: [`${what}: `, { code: short(before) }, ' → ', { code: short(after) }],
        })),
      ),
      paragraph(`${plural(unchanged.length, 'rule')} unchanged${counts}.`),
    ],
    parts: parts
      .filter(({ items }) => items.length > 0)
      .map(({ id, tone, title, items }) => ({
        id,
        tone,
        title: `${title} (${items.length})`,
        blocks: listOf(items, Infinity),
      })),
  }
}

/** What may explain the difference; comes first. */
function claim(first: Side, { side, sameTarget, circumstances }: Difference): string {
  if (!isJudged(first.run)) return 'The first run judged nothing, so there is nothing to compare with.'
  if (!isJudged(side.run)) return 'This run judged nothing, so all that held in the first is open.'
  if (circumstances.length === 0) {
    return sameTarget
      ? 'The same target, suite and settings.'
      : 'Two targets, the same suite and settings: what differs, differs between the targets.'
  }
  return sameTarget
    ? 'Not judged in the same way, so what came out otherwise need not be a change of the target:'
    : 'Two targets, not judged in the same way, so what differs need not lie with the targets:'
}

/** Kinds of change, worst first, and their titles: between two targets nothing failed newly or was mended, they differ. */
const kinds: readonly (readonly [kind: ChangeKind, tone: Tone, ofOneTarget: string, ofTwo: string])[] = [
  ['newly failing', 'bad', 'newly failing', 'fails here, and not in the first'],
  ['worse', 'bad', 'worse', 'worse than in the first'],
  ['vanished', 'warning', 'vanished: not in this run', 'not in this run'],
  ['changed', 'warning', 'changed, for neither better nor worse', 'different, for neither better nor worse'],
  ['appeared', 'plain', 'appeared: not in the first run', 'not in the first run'],
  ['better', 'good', 'better', 'better than in the first'],
  ['mended', 'good', 'mended', 'breached in the first, and not here'],
]

function ruleItem({ rule, before, after, found, gone, notAsked }: ComparedRule): Item {
  const course: Phrase =
    before === after ? [{ status: before }, ', as before'] : [{ status: before }, ' → ', { status: after }]
  return {
    text: [{ code: rule }, ': ', ...course],
    under: [...some(found, '+'), ...some(gone, '-'), ...some(notAsked, 'not asked this time:')],
  }
}

/** Maximum named findings of a rule each way; the JSON has all. */
const mostFindings = 5

function some(findings: readonly ComparedFinding[], sign: string): readonly string[] {
  const told = findings.map(
    ({ fingerprint, summary }) =>
      `${fingerprint} ${short(summary ?? '(a finding that only the history knows of)')}`,
  )
  return firstOf(told, mostFindings, andMore).map((one) => `${sign} ${one}`)
}

const longestValue = 200

function value(observed: unknown): string {
  const text = observed === null ? 'nothing' : JSON.stringify(observed)
  return text.length <= longestValue ? text : `${text.slice(0, longestValue)}…`
}
