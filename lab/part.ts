/** One of several shares of runs: the Kth of N, from 1. */
export interface Part {
  readonly place: number
  readonly of: number
}

/** What `--part` says, as `1/3`; null where it is absent, and an error where it is none. */
export function partOf(given: string | undefined): Part | null {
  if (given === undefined) return null
  const [place = 0, of = 0] = (/^(\d+)\/(\d+)$/.exec(given) ?? []).slice(1).map(Number)
  if (place < 1 || place > of)
    throw new Error(`--part: given ${given}, expected K/N with K from 1 to N, as 1/2`)
  return { place, of }
}

/** Every Nth of these, from the Kth on, so that each share has some of every area; all of them without a part. */
export function inPart<Run>(part: Part | null, runs: readonly Run[]): readonly Run[] {
  return part === null ? runs : runs.filter((_, at) => at % part.of === part.place - 1)
}
