/** What was measured of a figure in each round, and what it must not pass. */
export interface Figure {
  readonly says: string
  readonly rounds: readonly number[]
  readonly atMost: number | null
}

/**
 * Measures each work once in every round, one after the other, so that a machine that slows down slows all of them; every other round
 * runs backwards. Gives the results of a work by its name, in the order of the rounds.
 */
export async function inTurn<Name extends string, Result>(
  rounds: number,
  works: Readonly<Record<Name, () => Promise<Result>>>,
): Promise<(name: Name) => readonly Result[]> {
  const forward = Object.entries<() => Promise<Result>>(works)
  const made = new Map<string, Result[]>(forward.map(([name]) => [name, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, work] of round % 2 === 0 ? forward : forward.toReversed())
      made.get(name)?.push(await work())
  }
  return (name) => made.get(name) ?? []
}

/** What was measured in each round, divided by what something else took in the same round. */
export function ratios(ours: readonly number[], theirs: readonly number[]): readonly number[] {
  return ours.map((value, round) => value / (theirs[round] ?? Number.NaN))
}

/** Whether no round came within the bound. One round that did is enough: a busy machine spoils some, a regression all. */
export function breaks({ rounds, atMost }: Figure): boolean {
  return atMost !== null && !rounds.some((value) => value <= atMost)
}

/** `0.65 (0.61–0.70)`: the median, the least and the most; one figure where all rounds came to the same. */
export function shown(rounds: readonly number[]): string {
  const sorted = rounds.toSorted((a, b) => a - b)
  const text = (value = Number.NaN): string => (Number.isInteger(value) ? String(value) : value.toFixed(2))
  const [least, middle, most] = [0, Math.floor(sorted.length / 2), sorted.length - 1].map((at) =>
    text(sorted[at]),
  )
  return least === most ? `${middle}` : `${middle} (${least}–${most})`
}
