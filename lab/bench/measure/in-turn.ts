/**
 * Measures each work once in every round, one after the other, so that a machine that slows down slows all of them; every other round
 * runs backwards. Gives the results of a work by its name, in the order of the rounds.
 */
export async function inTurn<Name extends string, Result>(
  rounds: number,
  works: Readonly<Record<Name, (round: number) => Promise<Result>>>,
): Promise<(name: Name) => readonly Result[]> {
  const forward = Object.entries<(round: number) => Promise<Result>>(works)
  const made = new Map<string, Result[]>(forward.map(([name]) => [name, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, work] of round % 2 === 0 ? forward : forward.toReversed())
      made.get(name)?.push(await work(round))
  }
  return (name) => made.get(name) ?? []
}
