import { placeOfRule } from '../../specification/catalogue.ts'
import type { HistoryLine, HistoryRule } from '../../verdict/history-line.ts'

/** Chance of a verdict about a course that is wrong: of an interval without the true rate, or a recovery that is none. */
const error = 0.05
/** Quantile of the normal distribution for {@link error} on both sides. */
const quantile = 1.96

/**
 * How a rule fails over runs.
 * - `always`: in each run since the first that it failed in.
 * - `sometimes`: in some, or not on every try; with the rate, and the interval that has the true one with 95 % confidence.
 * - `recovered`: no longer; if it failed sometimes, in so many runs that chance explains them with less than 5 %.
 */
export type Course =
  | { readonly kind: 'always'; readonly since: string }
  | { readonly kind: 'sometimes'; readonly red: number; readonly judged: number; readonly interval: Interval }
  | { readonly kind: 'recovered'; readonly since: string }

/** Bounds of a rate, each from 0 to 1. */
export type Interval = readonly [low: number, high: number]

/** A rule that failed in any of some runs. */
export interface RuleCourse {
  readonly rule: string
  /** Its result in each run, oldest first; null if the run does not have it. */
  readonly cells: readonly (HistoryRule | null)[]
  readonly course: Course
}

/** Courses of the rules that failed in any run, in the order of the catalogue; runs come oldest first. */
export function coursesOf(runs: readonly HistoryLine[]): readonly RuleCourse[] {
  const byId = runs.map(({ rules }) => new Map(rules.map((rule) => [rule.id, rule])))
  const ids = new Set(runs.flatMap(({ rules }) => rules.filter(isRed).map(({ id }) => id)))
  return [...ids]
    .toSorted((a, b) => placeOfRule(a) - placeOfRule(b))
    .map((rule) => {
      const cells = byId.map((rules) => rules.get(rule) ?? null)
      return { rule, cells, course: courseOf(cells, runs) }
    })
}

/** Whether a rule failed, and whether that came only on some tries. */
export function isRed({ status }: HistoryRule): boolean {
  return status === 'failed'
}

/** Whether no open finding of a failed rule came on every try. */
export function isOnlySometimes(rule: HistoryRule): boolean {
  const { fingerprints, waived = [], intermittent } = rule
  const open = fingerprints.filter((one) => !waived.includes(one))
  return isRed(rule) && open.length > 0 && open.every((one) => intermittent.includes(one))
}

function courseOf(cells: readonly (HistoryRule | null)[], runs: readonly HistoryLine[]): Course {
  const judged = cells.flatMap((rule, place) =>
    rule !== null && ['passed', 'warned', 'failed'].includes(rule.status)
      ? [{ rule, startedAt: runs[place]?.startedAt ?? '' }]
      : [],
  )
  const isRedAt = ({ rule }: (typeof judged)[number]): boolean => isRed(rule)
  const [first, last] = [judged.findIndex(isRedAt), judged.findLastIndex(isRedAt)]
  const red = judged.filter(isRedAt)
  const between = last - first + 1
  const isFlaky = red.length < between || red.some(({ rule }) => isOnlySometimes(rule))
  const after = judged.slice(last + 1)
  const [next] = after
  // Laplace's estimate: few runs say little of the rate.
  const chance = isFlaky ? (1 - (red.length + 1) / (between + 2)) ** after.length : 0
  if (next !== undefined && chance < error) return { kind: 'recovered', since: next.startedAt }
  if (!isFlaky) return { kind: 'always', since: judged[first]?.startedAt ?? '' }
  return {
    kind: 'sometimes',
    red: red.length,
    judged: judged.length,
    interval: wilson(red.length, judged.length),
  }
}

/** Wilson's interval of a rate, which also holds for few tries and near 0 and 1. */
export function wilson(count: number, tries: number): Interval {
  const [rate, square] = [count / tries, quantile ** 2]
  const middle = (rate + square / (2 * tries)) / (1 + square / tries)
  const half =
    (quantile / (1 + square / tries)) * Math.sqrt((rate * (1 - rate)) / tries + square / (4 * tries ** 2))
  return [Math.max(0, middle - half), Math.min(1, middle + half)]
}
