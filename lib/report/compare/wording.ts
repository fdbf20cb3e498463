import type { RuleStatus } from '../../judge/record.ts'
import { groupBy } from '../../spec/group-by.ts'
import type { ChangeKind } from '../changes.ts'
import { statuses } from '../../verdict/verdict.ts'
import { plural } from '../plural.ts'
import type { ComparedFinding, ComparedRule, Comparison, Difference, MatrixRow } from './comparison.ts'
import type { Side } from './side.ts'

/** The rules of a difference that came out in one way, worst first. */
export interface Group {
  readonly kind: Exclude<ChangeKind, 'unchanged'>
  readonly title: string
  readonly rules: readonly ComparedRule[]
}

const order = [
  'newly failing',
  'worse',
  'vanished',
  'changed',
  'appeared',
  'better',
  'mended',
] as const satisfies readonly ChangeKind[]

/** Between two targets nothing failed newly and nothing was mended: they differ. */
const titles: Readonly<Record<Group['kind'], readonly [ofOneTarget: string, ofTwo: string]>> = {
  'newly failing': ['newly failing', 'fails here, and not in the first'],
  worse: ['worse', 'worse than in the first'],
  vanished: ['vanished: not in this run', 'not in this run'],
  changed: ['changed, for neither better nor worse', 'different, for neither better nor worse'],
  appeared: ['appeared: not in the first run', 'not in the first run'],
  better: ['better', 'better than in the first'],
  mended: ['mended', 'breached in the first, and not here'],
}

/** What came out otherwise, by how. */
export function groupsOf({ rules, sameTarget }: Difference): readonly Group[] {
  const byKind = groupBy(rules, ({ kind }) => kind)
  return order.flatMap((kind) => {
    const members = byKind.get(kind) ?? []
    const title = `${titles[kind][sameTarget ? 0 : 1]} (${members.length})`
    return members.length === 0 ? [] : [{ kind, title, rules: members }]
  })
}

/** How many rules came out the same. */
export function unchangedSentence({ rules }: Difference): string {
  const unchanged = rules.filter(({ kind }) => kind === 'unchanged')
  return `${plural(unchanged.length, 'rule')} unchanged${parenthesised(counted(unchanged.map(({ after }) => after)))}`
}

/** What the difference may be put down to, first of all. */
export function claim(first: Side, { side, sameTarget, circumstances }: Difference): string {
  if (first.run.rules.length === 0)
    return 'The first run judged nothing, so there is nothing to compare with.'
  if (side.run.rules.length === 0) return 'This run judged nothing, so all that held in the first is open.'
  if (circumstances.length === 0) {
    return sameTarget
      ? 'The same target, suite and settings.'
      : 'Two targets, the same suite and settings: what differs, differs between the targets.'
  }
  return sameTarget
    ? 'Not judged in the same way, so what came out otherwise need not be a change of the target:'
    : 'Two targets, not judged in the same way, so what differs need not lie with the targets:'
}

/** A rule with its status before and after, as `passed → failed`. */
export function transition({ before, after }: ComparedRule): string {
  return before === after
    ? `${statusText(before)}, as before`
    : `${statusText(before)} → ${statusText(after)}`
}

/** The status of a rule in a run that may not have it. */
export function statusText(status: RuleStatus | null): string {
  return status ?? 'absent'
}

/** So many findings of a rule are named; all are in the JSON. */
const mostFindings = 5

/** The findings of a rule that differ, at most five each way, with `+` or `-` before, and what was left out. */
export function findingLines({ found, gone }: ComparedRule): readonly string[] {
  return [...some(found, '+'), ...some(gone, '-')]
}

function some(findings: readonly ComparedFinding[], sign: string): readonly string[] {
  const shown = findings
    .slice(0, mostFindings)
    .map(
      ({ fingerprint, summary }) =>
        `${sign} ${fingerprint} ${summary ?? '(a finding that only the history knows of)'}`,
    )
  const left = findings.length - shown.length
  return left === 0 ? shown : [...shown, `${sign} and ${left} more`]
}

/** The value of an observation on one line, bounded. */
export function observed(value: unknown): string {
  const text = value === null ? 'nothing' : JSON.stringify(value)
  return text.length <= longestValue ? text : `${text.slice(0, longestValue)}…`
}

const longestValue = 200

/** `21 passed, 1 failed`: the statuses that occur. */
export function counted(of: readonly (RuleStatus | null)[]): string {
  const all = [...statuses, null]
  return all
    .map((status) => ({ status, count: of.filter((one) => one === status).length }))
    .filter(({ count }) => count > 0)
    .map(({ status, count }) => `${count} ${statusText(status)}`)
    .join(', ')
}

function parenthesised(text: string): string {
  return text === '' ? '' : ` (${text})`
}

/** The counts of a run, or that it judged nothing. */
export function countsOf({ run }: Side): string {
  return counted(run.rules.map(({ status }) => status)) || 'no rule was judged'
}

/** The rules that say something: all but those that passed everywhere. */
export function tellingRows({ matrix }: Comparison): readonly MatrixRow[] {
  return matrix.filter(({ statuses: all }) => all.some((status) => status !== 'passed'))
}

/** What the table of rules leaves out. */
export function untoldSentence(comparison: Comparison): string {
  const passed = comparison.matrix.length - tellingRows(comparison).length
  return `${plural(passed, 'rule')} passed in every run`
}

/** What was judged, as the address with its label and version. */
export function targetText({ run: { target } }: Side): string {
  const label = target.label === null ? '' : ` (${target.label})`
  const address = target.embedded ? 'the EMBEDDED REFERENCE SERVICE' : (target.baseUrl ?? 'no target')
  return `${address}${label}, version ${target.version}`
}

/** When and how a run was made. */
export function runText({ run }: Side): string {
  const { startedAt, profile, strict, suite, seed } = run
  return `${startedAt.slice(0, 19).replace('T', ' ')} UTC, profile ${profile}${strict ? ', strict' : ''}, suite ${suite.version}, seed ${seed}`
}

/** The outcome of the comparison as one sentence; it goes with the exit code. */
export function outcomeSentence({ worse, differences, sides }: Comparison): string {
  if (!worse) return `nothing is worse than in ${sides[0]?.path ?? 'the first'} (exit 0)`
  const count = differences.flatMap(({ rules }) => rules).filter((rule) => rule.worse).length
  return `${plural(count, 'rule')} came out worse than in ${sides[0]?.path ?? 'the first'} (exit 1)`
}
