/** Damerau–Levenshtein distance: letters to change, add, remove or swap with their neighbour, none touched twice. */
export function distance(from: string, to: string): number {
  let older: readonly number[] = []
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column)

  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1]
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      current.push(
        Math.min(
          (previous[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (previous[column - 1] ?? 0) + (same ? 0 : 1),
          swapped ? (older[column - 2] ?? Infinity) + 1 : Infinity,
        ),
      )
    }
    older = previous
    previous = current
  }

  return previous[to.length] ?? 0
}

/** Candidate that `text` probably means: at most two letters away, or with the same beginning; null if none. */
export function meant(text: string, candidates: readonly string[]): string | null {
  const lower = text.toLowerCase()
  const [best] = candidates
    .map((candidate) => ({ candidate, away: distance(lower, candidate.toLowerCase()) }))
    .toSorted((one, other) => one.away - other.away)
  if (best !== undefined && best.away <= Math.min(2, best.candidate.length - 2)) return best.candidate

  return lower.length < 3 ? null : (candidates.find((one) => one.toLowerCase().startsWith(lower)) ?? null)
}

/** At most `count` candidates, nearest first. */
export function nearestOf(text: string, candidates: readonly string[], count: number): readonly string[] {
  return candidates
    .map((candidate) => ({ candidate, away: distance(text, candidate) }))
    .toSorted((one, other) => one.away - other.away)
    .slice(0, count)
    .map(({ candidate }) => candidate)
}
