import type { RuleStatus } from '../../judge/record.ts'
import { countedRules, placeOfRule } from '../../specification/rules.ts'
import { groupBy, plural } from '../../text/counts.ts'
import { jsonText } from '../../text/json-text.ts'
import { severities } from '../../verdict/causes.ts'
import { outcomes } from '../model/headline.ts'
import { states, type TargetRow } from './target-row.ts'

/** Many targets, each compared with its own previous run. */
export type TargetsComparison = ReturnType<typeof comparedTargets>

/** Compares the rows of several targets; pure. */
export function comparedTargets(all: readonly TargetRow[], now: Date) {
  const rows = all.toSorted(byWeight)
  const judged = rows.filter(({ rules }) => rules.size > 0)
  const rules = rulesAcross(judged)
  const everywhere = rules.filter(({ passed }) => passed === judged.length).map(({ rule }) => ({ id: rule }))
  const [worse, missing] = worseOf(rows)
  return {
    /** Worst first. */
    rows,
    /** Rows for which at least one rule was judged. */
    judged,
    /** Targets that have become worse, and targets without a verdict, which also count as worse. */
    got: { worse, missing },
    /** Every rule for any target, in catalogue order. */
    rules,
    /** Rules that fail for any target, with the names of those targets. Rules that fail for the most targets come first. */
    failing: rules
      .flatMap(({ rule, says, targets: { failed } }) => (failed === undefined ? [] : { rule, says, failed }))
      .toSorted((one, other) => other.failed.length - one.failed.length),
    /** Whether anything has become worse, or a verdict is missing. */
    worse: worse.length + missing.length > 0,
    /** The outcome in one sentence, consistent with the exit code. */
    outcome: outcomeOf(plural(rows.length, 'target'), worse.length, missing.length),
    /** `2 nonconformant, 1 absent`: number of targets by state, worst first. */
    counts: [...groupBy(rows, ({ state }) => state)]
      .map(([state, { length }]) => `${length} ${states[state][1]}`)
      .join(', '),
    passed: `${plural(countedRules(everywhere).length, 'rule')} passed at every target that was judged.`,
    now,
  }
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

function graveness({ severity }: TargetRow): number {
  return severity === null ? severities.length : severities.indexOf(severity)
}

function failedRules(row: TargetRow): number {
  return [...row.rules.values()].filter(({ status }) => status === 'failed').length
}

/** Rules, with the number of targets for which each passed, and the names of the others by outcome, worst target first. */
function rulesAcross(rows: readonly TargetRow[]) {
  const all = rows.flatMap(({ name, rules }) => [...rules].map(([rule, about]) => ({ rule, name, ...about })))
  return [...groupBy(all, ({ rule }) => rule)]
    .toSorted(([one], [other]) => placeOfRule(one) - placeOfRule(other))
    .map(([rule, sharing]) => {
      const { passed = [], ...targets }: Partial<Record<RuleStatus, readonly string[]>> = Object.fromEntries(
        [...groupBy(sharing, ({ status }) => status)].map(
          ([status, alike]) => [status, alike.map(({ name }) => name)] as const,
        ),
      )
      return { rule, says: sharing[0]?.says ?? '', passed: passed.length, targets }
    })
}

function worseOf(
  rows: readonly TargetRow[],
): readonly [worse: readonly TargetRow[], missing: readonly TargetRow[]] {
  const hasVerdict = (row: TargetRow): boolean => row.rules.size > 0 || row.state === 'unreached'
  const all = rows.filter(({ worse }) => worse)
  return [all.filter(hasVerdict), all.filter((row) => !hasVerdict(row))]
}

function outcomeOf(targets: string, worse: number, missing: number): string {
  if (worse + missing === 0) return `0 of ${targets} got worse (exit 0)`
  const have = `${missing === 1 ? 'has' : 'have'} no verdict`
  if (worse === 0) return `${missing} of ${targets} ${have} (exit 1)`
  return `${worse} of ${targets} got worse${missing === 0 ? '' : `, ${missing} ${have}`} (exit 1)`
}

/** `38 passed, 1 failed`; null if no rule was judged. */
export function countsOf({ rules }: TargetRow): string | null {
  const counted = countedRules([...rules].map(([id, { status }]) => ({ id, status })))
  return rules.size === 0 ? null : outcomes(counted)
}

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000]

/** `12 min`, `5 h`, `3 days`: time since the start of the run; null if unknown. */
export function ageOf({ startedAt }: TargetRow, now: Date): string | null {
  if (startedAt === null) return null
  const passed = Math.max(0, now.getTime() - Date.parse(startedAt))
  if (passed < hourMs) return `${Math.floor(passed / minuteMs)} min`
  return passed < 2 * dayMs ? `${Math.floor(passed / hourMs)} h` : `${Math.floor(passed / dayMs)} days`
}

/** Many targets as machine-readable data. */
export function targetsJson({ rows, rules, worse }: TargetsComparison): string {
  const targets = rows.map(({ name, path, state, worse: isWorse, report, startedAt, data }) => {
    return { name, path, state, worse: isWorse, report, startedAt, ...data }
  })
  return `${jsonText({ format: 'card-switch-conformance/targets/1', worse, targets, rules }, 2)}\n`
}
