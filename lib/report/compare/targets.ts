import { severities } from '../../explain/causes.ts'
import type { RuleStatus } from '../../judge/record.ts'
import { placeOfRule } from '../../specification/catalogue.ts'
import { jsonText } from '../../json/json-text.ts'
import { sentenceOf } from '../model/rule-counts.ts'
import { plural } from '../../text/counts.ts'
import type { JudgedTarget, TargetRow } from './target-row.ts'

/** Many targets, each beside its own last run. */
export interface TargetsComparison {
  /** Worst first. */
  readonly rows: readonly TargetRow[]
  /** Every rule of any target, in the order of the catalogue. */
  readonly rules: readonly RuleAcross[]
  /** Whether anything got worse, or a verdict is missing. */
  readonly worse: boolean
  readonly now: Date
}

/** A rule across targets. */
export interface RuleAcross {
  readonly rule: string
  readonly says: string
  /** Targets by what came of the rule there, worst first; statuses without any are missing. */
  readonly targets: ReadonlyMap<RuleStatus, readonly JudgedTarget[]>
}

/** Sets the rows of targets side by side; pure. */
export function comparedTargets(rows: readonly TargetRow[], now: Date): TargetsComparison {
  const sorted = rows.toSorted(byWeight)
  return {
    rows: sorted,
    rules: rulesAcross(judgedTargets(sorted)),
    worse: rows.some(({ worse }) => worse),
    now,
  }
}

/** Rows of which a rule was judged. */
export function judgedTargets(rows: readonly TargetRow[]): readonly JudgedTarget[] {
  return rows.filter((row) => row.kind === 'judged')
}

/** The verdict of a target, or why it has none. */
type State = Exclude<TargetRow['kind'], 'judged'> | JudgedTarget['verdict']

/** What each state of a target looks like and is called, the worst first. */
export const states: Readonly<Record<State, { readonly tone: RuleStatus; readonly word: string }>> = {
  nonconformant: { tone: 'failed', word: 'nonconformant' },
  absent: { tone: 'failed', word: 'absent' },
  outdated: { tone: 'failed', word: 'outdated' },
  unreadable: { tone: 'failed', word: 'unreadable' },
  unfinished: { tone: 'failed', word: 'without a verdict' },
  unreached: { tone: 'inconclusive', word: 'not judged' },
  incomplete: { tone: 'inconclusive', word: 'incomplete' },
  conformant: { tone: 'passed', word: 'conformant' },
}

const weights = Object.keys(states)

function byWeight(one: TargetRow, other: TargetRow): number {
  return (
    weights.indexOf(stateOf(one)) - weights.indexOf(stateOf(other)) ||
    graveness(one) - graveness(other) ||
    Number(other.worse) - Number(one.worse) ||
    failedRules(other) - failedRules(one) ||
    one.name.localeCompare(other.name, 'en', { numeric: true })
  )
}

/** The verdict of a target, or why it has none. */
export function stateOf(row: TargetRow): State {
  return row.kind === 'judged' ? row.verdict : row.kind
}

function graveness(row: TargetRow): number {
  const cause = row.kind === 'judged' ? row.cause : null
  return cause === null ? severities.length : severities.indexOf(cause.severity)
}

function failedRules(row: TargetRow): number {
  return row.kind === 'judged' ? [...row.rules.values()].filter((status) => status === 'failed').length : 0
}

function rulesAcross(rows: readonly JudgedTarget[]): readonly RuleAcross[] {
  const across = new Map<string, Map<RuleStatus, JudgedTarget[]>>()
  for (const row of rows) {
    for (const [rule, status] of row.rules) {
      const targets = across.get(rule) ?? new Map<RuleStatus, JudgedTarget[]>()
      across.set(rule, targets)
      const alike = targets.get(status)
      if (alike === undefined) targets.set(status, [row])
      else alike.push(row)
    }
  }
  const own = new Map(rows.flatMap(({ ownRules }) => [...ownRules]))
  return [...across]
    .toSorted(([one], [other]) => placeOfRule(one) - placeOfRule(other))
    .map(([rule, targets]) => ({ rule, says: own.get(rule) ?? sentenceOf({ id: rule }), targets }))
}

/** Rules that did not pass at every target of which a rule was judged. */
export function differingRules({ rows, rules }: TargetsComparison): readonly RuleAcross[] {
  const { length } = judgedTargets(rows)
  return rules.filter(({ targets }) => targets.get('passed')?.length !== length)
}

/** Targets that got worse, and those of which there is no verdict, which count as worse. */
export function worseTargets({ rows }: Pick<TargetsComparison, 'rows'>): {
  readonly worse: readonly TargetRow[]
  readonly missing: readonly TargetRow[]
} {
  const hasVerdict = ({ kind }: TargetRow): boolean => kind === 'judged' || kind === 'unreached'
  const all = rows.filter(({ worse }) => worse)
  return { worse: all.filter(hasVerdict), missing: all.filter((row) => !hasVerdict(row)) }
}

/** Outcome in one sentence, matching the exit code. */
export function targetsOutcome(comparison: TargetsComparison): string {
  const { rows } = comparison
  const { worse, missing } = worseTargets(comparison)
  const of = `of ${plural(rows.length, 'target')}`
  if (worse.length + missing.length === 0) return `none ${of} got worse (exit 0)`
  const have = `${missing.length === 1 ? 'has' : 'have'} no verdict`
  if (worse.length === 0) return `${missing.length} ${of} ${have} (exit 1)`
  return `${worse.length} ${of} got worse${missing.length === 0 ? '' : `, ${missing.length} ${have}`} (exit 1)`
}

const targetsFormat = 'card-switch-conformance/targets/1'

/** Many targets as data for programs. */
export function targetsJson({ rows, rules, worse }: TargetsComparison): string {
  const targets = rows.map((row) => {
    const { name, path, report, startedAt } = row
    const same = { name, path, state: stateOf(row), worse: row.worse, report, startedAt }
    if (row.kind !== 'judged') return { ...same, because: row.because, last: row.last }
    const { word, subject, cause, change } = row
    return {
      ...same,
      word,
      subject,
      cause,
      change: change === null ? null : { ...change, counts: Object.fromEntries(change.counts) },
    }
  })
  const named = rules.map(({ rule, says, targets: across }) => {
    const others = [...across].filter(([status]) => status !== 'passed')
    const names = others.map(([status, some]) => [status, some.map(({ name }) => name)])
    return { rule, says, passed: across.get('passed')?.length ?? 0, targets: Object.fromEntries(names) }
  })
  return `${jsonText({ format: targetsFormat, worse, targets, rules: named }, 2)}\n`
}
