import { severities } from '../../verdict/causes.ts'
import { jsonText } from '../../text/json-text.ts'
import type { RuleStatus } from '../../judge/record.ts'
import { placeOfRule } from '../../specification/catalogue.ts'
import { groupBy, moment, plural } from '../../text/counts.ts'
import { visible } from '../../text/visible.ts'
import { countedRules } from '../../verdict/counted-rules.ts'
import { changeKinds } from '../history/changes.ts'
import { listedNames } from '../model/cause-text.ts'
import { outcomes } from '../model/rule-counts.ts'
import type { JudgedTarget, TargetRow } from './target-row.ts'

/** Many targets, each compared with its own previous run. */
export interface TargetsComparison {
  /** Worst first. */
  readonly rows: readonly TargetRow[]
  /** Every rule for any target, in catalogue order. */
  readonly rules: readonly RuleAcross[]
  /** Whether anything has become worse, or a verdict is missing. */
  readonly worse: boolean
  /** The outcome in one sentence, consistent with the exit code. */
  readonly outcome: string
  /** `2 nonconformant, 1 absent`: number of targets by state, worst first. */
  readonly counts: string
  /** `36 rules passed at every target that was judged.` */
  readonly passed: string
  readonly now: Date
}

/** A rule and its results across targets. */
export interface RuleAcross {
  readonly rule: string
  readonly says: string
  /** Number of targets for which it passed. */
  readonly passed: number
  /** Names of the other targets by outcome, worst target first. */
  readonly targets: Readonly<Partial<Record<RuleStatus, readonly string[]>>>
}

/** Compares the rows of several targets; pure. */
export function comparedTargets(rows: readonly TargetRow[], now: Date): TargetsComparison {
  const sorted = rows.toSorted(byWeight)
  const judged = judgedTargets(sorted)
  const rules = rulesAcross(judged)
  const everywhere = rules.filter(({ passed }) => passed === judged.length).map(({ rule }) => ({ id: rule }))
  return {
    rows: sorted,
    rules,
    worse: rows.some(({ worse }) => worse),
    outcome: outcomeOf(rows),
    counts: [...groupBy(sorted, ({ state }) => state)]
      .map(([state, { length }]) => `${length} ${states[state].word}`)
      .join(', '),
    passed: `${plural(countedRules(everywhere).length, 'rule')} passed at every target that was judged.`,
    now,
  }
}

/** Rows for which at least one rule was judged. */
export function judgedTargets(rows: readonly TargetRow[]): readonly JudgedTarget[] {
  return rows.filter((row) => 'rules' in row)
}

/** Icon and word for each state of a target, worst first. */
const states: Readonly<Record<TargetRow['state'], { readonly tone: RuleStatus; readonly word: string }>> = {
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
    weights.indexOf(one.state) - weights.indexOf(other.state) ||
    graveness(one) - graveness(other) ||
    Number(other.worse) - Number(one.worse) ||
    failedRules(other) - failedRules(one) ||
    one.name.localeCompare(other.name, 'en', { numeric: true })
  )
}

function graveness(row: TargetRow): number {
  const cause = 'cause' in row ? row.cause : null
  return cause === null ? severities.length : severities.indexOf(cause.severity)
}

function failedRules(row: TargetRow): number {
  return 'rules' in row ? [...row.rules.values()].filter(({ status }) => status === 'failed').length : 0
}

function rulesAcross(rows: readonly JudgedTarget[]): readonly RuleAcross[] {
  const all = rows.flatMap(({ name, rules }) => [...rules].map(([rule, about]) => ({ rule, name, ...about })))
  return [...groupBy(all, ({ rule }) => rule)]
    .toSorted(([one], [other]) => placeOfRule(one) - placeOfRule(other))
    .map(([rule, sharing]) => {
      const { passed = [], ...others } = Object.fromEntries(
        [...groupBy(sharing, ({ status }) => status)].map(
          ([status, alike]) => [status, alike.map(({ name }) => name)] as const,
        ),
      )
      return { rule, says: sharing[0]?.says ?? '', passed: passed.length, targets: others }
    })
}

/** Rules that fail for any target, with the names of those targets. Rules that fail for the most targets come first. */
export function failingRules({
  rules,
}: TargetsComparison): readonly (RuleAcross & { readonly failed: readonly string[] })[] {
  return rules
    .flatMap((across) =>
      across.targets.failed === undefined ? [] : { ...across, failed: across.targets.failed },
    )
    .toSorted((one, other) => other.failed.length - one.failed.length)
}

/** Targets that have become worse, and targets without a verdict, which also count as worse. */
export function worseTargets(rows: readonly TargetRow[]): {
  readonly worse: readonly TargetRow[]
  readonly missing: readonly TargetRow[]
} {
  const hasVerdict = (row: TargetRow): boolean => 'rules' in row || row.state === 'unreached'
  const all = rows.filter(({ worse }) => worse)
  return { worse: all.filter(hasVerdict), missing: all.filter((row) => !hasVerdict(row)) }
}

function outcomeOf(rows: readonly TargetRow[]): string {
  const { worse, missing } = worseTargets(rows)
  const of = `of ${plural(rows.length, 'target')}`
  if (worse.length + missing.length === 0) return `0 ${of} got worse (exit 0)`
  const have = `${missing.length === 1 ? 'has' : 'have'} no verdict`
  if (worse.length === 0) return `${missing.length} ${of} ${have} (exit 1)`
  return `${worse.length} ${of} got worse${missing.length === 0 ? '' : `, ${missing.length} ${have}`} (exit 1)`
}

interface RowText {
  readonly tone: RuleStatus
  /** The verdict with its qualifiers, or why there is none. */
  readonly word: string
  /** `38 passed, 1 failed`; null if no rule was judged. */
  readonly rules: string | null
  /** The most severe cause and the number of others, or why there is no verdict; null if there is neither. */
  readonly reason: string | null
  /** Changes since the target's previous run, and when that run started. */
  readonly change: readonly [what: string, when: string | null]
  /** `12 min`, `5 h`, `3 days`: time since the start of the run. */
  readonly age: string | null
}

export function rowText(row: TargetRow, now: Date): RowText {
  const age = row.startedAt === null ? null : ageOf(row.startedAt, now)
  if (!('rules' in row)) {
    const { last, because: reason } = row
    const change = last === null ? 'no earlier run is known' : `was ${last.word}`
    const when = last === null ? null : `on ${moment(last.startedAt)}`
    return { ...states[row.state], rules: null, reason, change: [change, when], age }
  }
  const { tone, word, rules } = row
  const counted = countedRules([...rules].map(([id, { status }]) => ({ id, status })))
  return { tone, word, rules: outcomes(counted), reason: causeText(row), change: changeText(row), age }
}

function causeText({ cause }: JudgedTarget): string | null {
  if (cause === null) return null
  const { kind, nature, sentence, others } = cause
  const mark = kind === 'violation' ? '' : `${kind}, `
  return `${mark}${nature}: ${visible(sentence)}${others === 0 ? '' : `, and ${plural(others, 'more cause')}`}`
}

/** Maximum number of circumstances named. */
const mostNamed = 5

function changeText({ change }: JudgedTarget): RowText['change'] {
  if (change === null) return ['no earlier run', null]
  const { counts, circumstances, since } = change
  const kinds = changeKinds.flatMap((kind) =>
    kind === 'vanished' ? ['no longer judged' as const, kind] : [kind],
  )
  const told = kinds.flatMap((kind) => (counts[kind] === undefined ? [] : [`${counts[kind]} ${kind}`]))
  const run = `(last run ${moment(since)})`
  if (told.length === 0) return ['unchanged', run]
  const others =
    circumstances.length === 0 ? '' : `; changed besides: ${listedNames(circumstances, mostNamed)}`
  return [told.join(', '), `${run}${others}`]
}

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000]

function ageOf(startedAt: string, now: Date): string {
  const passed = Math.max(0, now.getTime() - Date.parse(startedAt))
  if (passed < hourMs) return `${Math.floor(passed / minuteMs)} min`
  return passed < 2 * dayMs ? `${Math.floor(passed / hourMs)} h` : `${Math.floor(passed / dayMs)} days`
}

const targetsFormat = 'card-switch-conformance/targets/1'

/** Many targets as machine-readable data. */
export function targetsJson({ rows, rules, worse }: TargetsComparison): string {
  const targets = rows.map(({ name, path, state, worse: isWorse, report, startedAt, ...row }) => {
    const same = { name, path, state, worse: isWorse, report, startedAt }
    if (!('rules' in row)) return { ...same, because: row.because, last: row.last }
    const { word, subject, cause, change } = row
    return { ...same, word, subject, cause, change }
  })
  return `${jsonText({ format: targetsFormat, worse, targets, rules }, 2)}\n`
}
