import { isObject } from '../drift/shape.ts'
import { quotaOverrun } from '../judge/judge.ts'
import { isSameTarget, type HistoryLine, type JudgedTarget } from './history-line.ts'

/** A daily quota may be reset at the same time on two days, but not at two times. */
const sameTimeMs = 5 * 60_000
const dayMs = 86_400_000

/**
 * Whether an earlier run saw more answers than the same declared quota allows, too, at a time of day that no reset in the middle of
 * both runs explains. Source: Limits (the reset time is not shown).
 */
export function wasOverrunBefore(
  earlier: readonly HistoryLine[],
  {
    target,
    quota,
    startedAt,
  }: { readonly target: JudgedTarget; readonly quota: number | null; readonly startedAt: Date },
): boolean {
  if (quota === null) return false
  return earlier.some(
    (line) =>
      isSameTarget(line, { target }) &&
      line.observations.some(({ id, value }) => id === quotaOverrun && isOf(quota, value)) &&
      !isAtTheSameTime(startedAt.getTime() - Date.parse(line.startedAt)),
  )
}

function isOf(quota: number, value: unknown): boolean {
  return isObject(value) && value['quota'] === quota
}

/** Whether two runs began on different days at the same time of day. */
function isAtTheSameTime(apartMs: number): boolean {
  const beyondDays = apartMs % dayMs
  return apartMs > dayMs - sameTimeMs && Math.min(beyondDays, dayMs - beyondDays) <= sameTimeMs
}
