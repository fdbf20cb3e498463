/** What was measured, the measurement of each round, and its bound. */
export type Figure = readonly [says: string, rounds: readonly number[], atMost: number | null]

/** The results of a work by its name, in the order of the rounds. */
type Results<Name extends string, Result> = (name: Name) => readonly Result[]

/**
 * Measures each work once per round, never concurrently, so that a machine that slows down affects all of
 * them. Every other round runs backwards. Ends early after a round in which the results are enough.
 */
export async function inTurn<Name extends string, Result>(
  rounds: number,
  works: Readonly<Record<Name, () => Promise<Result>>>,
  isEnough: (results: Results<Name, Result>) => boolean = () => false,
): Promise<Results<Name, Result>> {
  const forward = Object.entries<() => Promise<Result>>(works)
  const made = new Map<string, Result[]>(forward.map(([name]) => [name, []]))
  const results: Results<Name, Result> = (name) => made.get(name) ?? []
  for (let round = 0; round < rounds && (round === 0 || !isEnough(results)); round += 1) {
    for (const [name, work] of round % 2 === 0 ? forward : forward.toReversed())
      made.get(name)?.push(await work())
  }
  return results
}

/** The measurement of each round, divided by the other one of the same round. */
export const ratios = (ours: readonly number[], theirs: readonly number[]): readonly number[] =>
  ours.map((value, round) => value / (theirs[round] ?? Number.NaN))

/**
 * Whether every round exceeded the bound. One round within it is enough: a busy machine spoils some rounds, a
 * regression all.
 */
export const breaks = ([, rounds, atMost]: Figure): boolean =>
  atMost !== null && !rounds.some((value) => value <= atMost)

/** `0.65 (0.61–0.70)`: the median, the minimum and the maximum. A single figure if all rounds agree. */
export function shown(rounds: readonly number[]): string {
  const sorted = rounds.toSorted((a, b) => a - b)
  const text = (value = Number.NaN): string => (Number.isInteger(value) ? String(value) : value.toFixed(2))
  const [least, middle, most] = [0, Math.floor(sorted.length / 2), -1].map((at) => text(sorted.at(at)))
  return least === most ? `${middle}` : `${middle} (${least}–${most})`
}
