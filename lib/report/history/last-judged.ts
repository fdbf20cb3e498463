import { isSameTarget, type HistoryLine } from '../../verdict/history-line.ts'
import { isUnjudged } from './changes.ts'

/** The run used for comparison. */
export type LastJudged = NonNullable<ReturnType<typeof lastJudged>>

/**
 * Builds the run to compare with from runs, oldest first; null if none of them is comparable. Runs with an error are omitted,
 * because they judged nothing.
 */
export function lastJudged(lines: readonly HistoryLine[], current: HistoryLine) {
  const earlier = lines.filter((line) => line.verdict !== 'error' && isOfSeries(line, current)).toReversed()
  const place = Math.max(0, earlier.findIndex(hasVerdict))
  const base = earlier[place]
  if (base === undefined) return null
  const sourceOf = (id: string): HistoryLine =>
    (isJudgedIn(current, id) ? earlier.find((line) => isJudgedIn(line, id)) : undefined) ?? base
  const recent = [base, ...earlier.slice(0, place)]
  const ids = [...new Set(recent.flatMap(({ rules }) => rules.map(({ id }) => id)))]
  const sources = new Map(ids.map((id) => [id, sourceOf(id)] as const))
  const run: HistoryLine = {
    ...base,
    rules: ids.flatMap((id) => sources.get(id)?.rules.find((rule) => rule.id === id) ?? []),
    causes: [base, ...earlier.filter((line) => line !== base)].flatMap((line) =>
      line.causes.filter(({ rule }) => sources.get(rule) === line),
    ),
  }
  return {
    /** The last run with a verdict. For each rule that the current run judged, the result and causes come from the last run that judged the rule. */
    run,
    /** Later runs without a verdict, newest first. */
    without: earlier.slice(0, place),
  }
}

/** Whether no run before an earlier one matters for {@link lastJudged}, because it judged every rule that the current run judged. */
export function judgedAsMuch(earlier: HistoryLine, current: HistoryLine): boolean {
  const isKnown = ({ id }: { readonly id: string }): boolean =>
    isJudgedIn(earlier, id) || !isJudgedIn(current, id)
  return isOfSeries(earlier, current) && hasVerdict(earlier) && current.rules.every(isKnown)
}

/** Whether an earlier run judged the same target, version and part of the rules with the same profile. */
export function isOfSeries(line: HistoryLine, current: HistoryLine): boolean {
  return (
    Date.parse(line.startedAt) < Date.parse(current.startedAt) &&
    line.profile === current.profile &&
    isSameTarget(line, current) &&
    line.target.version === current.target.version &&
    (line.selection.essential ?? false) === (current.selection.essential ?? false) &&
    JSON.stringify(line.selection.only) === JSON.stringify(current.selection.only)
  )
}

function hasVerdict({ verdict }: HistoryLine): boolean {
  return verdict === 'conformant' || verdict === 'nonconformant'
}

/** Whether a run judged a rule. */
export function isJudgedIn({ rules }: HistoryLine, id: string): boolean {
  return rules.some((rule) => rule.id === id && !isUnjudged(rule.status))
}
