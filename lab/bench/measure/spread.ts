/** The median of repeated measurements, with the least and the most of them. */
export interface Spread {
  readonly median: number
  readonly least: number
  readonly most: number
}

/** Throws where nothing was measured. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const [least, most] = [sorted[0], sorted.at(-1)]
  const upper = sorted[Math.floor(sorted.length / 2)]
  const lower = sorted[Math.floor((sorted.length - 1) / 2)]
  if (least === undefined || most === undefined || upper === undefined || lower === undefined)
    throw new Error('a spread of no measurement')
  return { median: (lower + upper) / 2, least, most }
}

/** What was measured in each round, divided by what something else took in the same round. Throws where the rounds differ in number. */
export function ratioOf(ours: readonly number[], theirs: readonly number[]): Spread {
  if (ours.length !== theirs.length)
    throw new Error(`${ours.length} rounds cannot be set beside ${theirs.length}`)
  return spreadOf(ours.map((value, round) => value / (theirs[round] ?? Number.NaN)))
}

/** A spread of a figure that is the same in every round, as a number of requests. */
export function exactly(value: number): Spread {
  return { median: value, least: value, most: value }
}

/** `0.65 (0.61–0.70)`, with three or more digits of the median; the figure alone where all rounds came to the same. */
export function shown({ median, least, most }: Spread): string {
  const digits = median < 10 ? 2 : median < 100 ? 1 : 0
  const [middle, from, to] = [median, least, most].map((value) => grouped(value, digits))
  return from === to ? `${middle}` : `${middle} (${from}–${to})`
}

/** A number with so many digits behind the point, and a comma between thousands. */
export function grouped(value: number, digits = 0): string {
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}
