/** Damerau–Levenshtein distance, in letters changed, added, removed or swapped with their neighbour, each at most once. */
export function distance(from: string, to: string) {
  const rowOf = (length: number): number[] => Array.from({ length }, (_, column) => column)
  let [older, previous] = [rowOf(0), rowOf(to.length + 1)]
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= to.length; column += 1) {
      const changed = from[row - 1] === to[column - 1] ? 0 : 1
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      current[column] = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + changed,
        isSwapped ? (older[column - 2] ?? Infinity) + 1 : Infinity,
      )
    }
    older = previous
    previous = current
  }
  return previous[to.length] ?? 0
}

/** Maximum number of equally likely candidates; more would not help. */
const mostMeant = 3

/** Candidates that a text probably means, as a phrase: those that begin with it or are nearest to it, at most two letters away. Ignores letter case. Null if there are none. */
export function meant(text: string, candidates: readonly string[]) {
  const lower = text.toLowerCase()
  const begun =
    lower.length < 2 ? [] : candidates.filter((candidate) => candidate.toLowerCase().startsWith(lower))
  if (begun.length > 0 && begun.length <= mostMeant) return begun.join(' or ')

  const near = candidates
    .map((candidate) => ({ candidate, away: distance(lower, candidate.toLowerCase()) }))
    .filter(({ candidate, away }) => away <= Math.min(2, candidate.length - 2))
  const least = Math.min(...near.map(({ away }) => away))
  const nearest = near.filter(({ away }) => away === least).map(({ candidate }) => candidate)
  return nearest.length > mostMeant ? null : nearest.join(' or ') || null
}
