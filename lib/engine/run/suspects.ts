/** A row that was judged: its flaw, the conditions that it was sent under, and whether it shows the breach in question. */
export interface JudgedRow {
  readonly flaw: string
  readonly conditions: readonly string[]
  readonly isWrong: boolean
}

/** Maximum conditions that are tried alone. */
const mostAlone = 4

/**
 * Which conditions may be the one that makes a row wrong, the likeliest first, without a request: none at all where every row of its
 * flaw is wrong, then those that stand in the fewest right rows, and of these in the most wrong ones. Pure.
 */
export function suspects(row: JudgedRow, rows: readonly JudgedRow[]): readonly (readonly string[])[] {
  const flaws = new Set(rows.flatMap(({ flaw, isWrong }) => (isWrong ? [flaw] : [])))
  const rowsWith = (one: string, wrong: boolean): number =>
    rows.filter(
      ({ flaw, conditions, isWrong }) => isWrong === wrong && flaws.has(flaw) && conditions.includes(one),
    ).length
  const alone = row.conditions.toSorted(
    (a, b) => rowsWith(a, false) - rowsWith(b, false) || rowsWith(b, true) - rowsWith(a, true),
  )
  return [...(explains([], row.flaw, rows) ? [[]] : []), ...alone.slice(0, mostAlone).map((one) => [one])]
}

/** Whether each row of a flaw under these conditions is wrong. Pure. */
export function explains(conditions: readonly string[], flaw: string, rows: readonly JudgedRow[]): boolean {
  return rows
    .filter((row) => row.flaw === flaw && conditions.every((one) => row.conditions.includes(one)))
    .every(({ isWrong }) => isWrong)
}
