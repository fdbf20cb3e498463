import type { RuleStatus } from '../../judge/record.ts'
import { andMore, firstOf, groupBy, plural } from '../../text/counts.ts'
import { countedRules } from '../../verdict/counted-rules.ts'
import { statuses } from '../../verdict/verdict.ts'
import { isJudged, type ChangeKind } from '../history/changes.ts'
import { listOf, paragraph, short, type Item, type Section, type Tone } from '../model/document.ts'
import { headlineWord, inBrackets } from '../model/headline.ts'
import { terminalText, type Rendering } from '../render/terminal.ts'
import type { ComparedFinding, ComparedRule, Comparison, Difference } from './comparison.ts'
import type { Side } from './side.ts'

/** A comparison for a terminal: the runs, each compared with the first, then every rule that did not pass in all of them. */
export function comparisonText(comparison: Comparison, rendering: Rendering): string {
  const { sides, outcome, worse, differing, passed } = comparison
  const head = ['rule', ...sides.map((_, index) => `${index + 1}`)]
  const rows = differing.map(({ rule, statuses: all }) => [rule, ...all.map(statusText)])
  const table = { kind: 'table', head, rows } as const
  const versus = [...(rows.length === 0 ? [] : [table]), paragraph(passed)]
  const end = { blocks: [paragraph(outcome, worse ? 'bad' : 'good')] }
  return terminalText(
    [...runSections(comparison), { title: 'Rule by target', blocks: versus }, end],
    rendering,
  )
}

function statusText(status: RuleStatus | null): string {
  return status ?? 'absent'
}

/** The runs by number, then each run compared with the first. */
export function runSections({ sides, differences, names }: Comparison): readonly Section[] {
  return [
    {
      blocks: listOf(
        sides.map((side, index) => sideItem(side, names[index] ?? side.path)),
        true,
      ),
    },
    ...differences.map((difference, index): Section => ({
      title: `${index + 2} against 1 (${names[index + 1] ?? ''} against ${names[0] ?? ''})`,
      ...differenceOf(sides[0], difference),
    })),
  ]
}

function sideItem({ path, run, because }: Side, name: string): Item {
  const { target, startedAt, profile, strict, suite, seed, rules } = run
  const where = name === short(path) ? '' : ` (${short(path)})`
  const address = target.embedded ? 'the EMBEDDED REFERENCE SERVICE' : (target.baseUrl ?? 'no target')
  const under = [
    `${address}${inBrackets(target)}, version ${target.version}`,
    `${startedAt.slice(0, 19).replace('T', ' ')} UTC, profile ${profile}${strict ? ', strict' : ''}, suite ${suite.version}, seed ${seed}`,
    counted(countedRules(rules).map(({ status }) => status)) || 'no rule was judged',
    ...(run.verdict === 'error' ? because : []),
  ]
  return { text: `${name}${where}: ${headlineWord(run).toUpperCase()}`, under: under.map(short) }
}

/** `21 passed, 1 failed`: only statuses that occur. */
function counted(of: readonly (RuleStatus | null)[]): string {
  return [...statuses, null]
    .map((status) => ({ status, count: of.filter((one) => one === status).length }))
    .filter(({ count }) => count > 0)
    .map(({ status, count }) => `${count} ${statusText(status)}`)
    .join(', ')
}

function differenceOf(first: Side | undefined, difference: Difference): Pick<Section, 'blocks' | 'parts'> {
  const { circumstances, observations, rules, sameTarget } = difference
  const unchanged = countedRules(rules.map((rule) => ({ id: rule.rule, ...rule }))).filter(
    ({ kind }) => kind === 'unchanged',
  )
  const counts = unchanged.length === 0 ? '' : ` (${counted(unchanged.map(({ after }) => after))})`
  const observed = observations.map(({ id, before, after }): Item => ({
    text: `${short(id)}: ${value(before)} → ${value(after)}`,
  }))
  const byKind = groupBy(rules, ({ kind }) => kind)
  const groups = kinds.map(([kind, tone, ofOne, ofTwo]) => {
    const items = (byKind.get(kind) ?? []).map(ruleItem)
    return { tone, title: sameTarget ? ofOne : ofTwo, items }
  })
  const parts = [...groups, { tone: 'strong' as const, title: 'different observations', items: observed }]
  const others = circumstances.map(({ what, before, after }) => ({
    text: `${what}: ${short(before)} → ${short(after)}`,
  }))
  return {
    blocks: [
      ...(first === undefined ? [] : [paragraph(claim(first, difference))]),
      ...listOf(others),
      paragraph(`${plural(unchanged.length, 'rule')} unchanged${counts}.`),
    ],
    parts: parts
      .filter(({ items }) => items.length > 0)
      .map(({ tone, title, items }) => ({
        tone,
        title: `${title} (${items.length})`,
        blocks: listOf(items),
      })),
  }
}

/** Introduces the differences with a possible explanation for them. */
function claim(first: Side, { side, sameTarget, circumstances }: Difference): string {
  if (!isJudged(first.run)) return 'The first run judged nothing, so there is nothing to compare with.'
  if (!isJudged(side.run))
    return 'This run judged nothing, so it says nothing about the rules that held in the first.'
  if (circumstances.length === 0) {
    return sameTarget
      ? 'The same target, suite and settings.'
      : 'Two targets, the same suite and settings: the targets differ in the following.'
  }
  return sameTarget
    ? 'The runs did not judge in the same way, so a different result may not mean a change in the target:'
    : 'The two targets were not judged in the same way, so a difference may not come from the targets:'
}

/** Kinds of change, worst first, with their titles. Two different targets get separate titles, because nothing can be newly failing or fixed between them. */
const kinds: readonly (readonly [kind: ChangeKind, tone: Tone, ofOneTarget: string, ofTwo: string])[] = [
  ['newly failing', 'bad', 'newly failing', 'fails here but not in the first'],
  ['worse', 'bad', 'worse', 'worse than in the first'],
  ['vanished', 'warning', 'vanished: not in this run', 'not in this run'],
  ['changed', 'warning', 'changed, neither better nor worse', 'different, neither better nor worse'],
  ['appeared', 'plain', 'appeared: not in the first run', 'not in the first run'],
  ['better', 'good', 'better', 'better than in the first'],
  ['mended', 'good', 'mended', 'breached in the first but not here'],
]

function ruleItem({ rule, before, after, found, gone, notAsked }: ComparedRule): Item {
  const course =
    before === after ? `${statusText(before)}, as before` : `${statusText(before)} → ${statusText(after)}`
  return {
    text: `${rule}: ${course}`,
    under: [...some(found, '+'), ...some(gone, '-'), ...some(notAsked, 'not sent this time:')],
  }
}

/** Maximum number of findings named per rule in each direction; the JSON contains all of them. */
const mostFindings = 5

function some(findings: readonly ComparedFinding[], sign: string): readonly string[] {
  const told = findings.map(
    ({ fingerprint, summary }) =>
      `${fingerprint} ${short(summary ?? '(a finding that only the history knows)')}`,
  )
  return firstOf(told, mostFindings, andMore).map((one) => `${sign} ${one}`)
}

const longestValue = 200

function value(observed: unknown): string {
  const text = observed === null ? 'nothing' : JSON.stringify(observed)
  return text.length <= longestValue ? text : `${text.slice(0, longestValue)}…`
}
