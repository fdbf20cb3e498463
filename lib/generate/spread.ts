/**
 * A case for each pair of an item and a subject: in the order of the items, each next one for the next subject, until all pairs
 * were made. `made` gives no case where there is none for a pair.
 */
export function spread<I, S, C>(
  items: readonly I[],
  subjects: readonly S[],
  made: (item: I, subject: S) => readonly C[],
): readonly C[] {
  // Each round moves on by one subject, so that no pair comes twice, whatever the two lengths have in common.
  return subjects.flatMap((_, round) =>
    items.flatMap((item, index) => {
      const subject = subjects[(index + round) % subjects.length]
      return subject === undefined ? [] : made(item, subject)
    }),
  )
}
