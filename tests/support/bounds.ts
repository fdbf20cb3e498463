/** Maximum probability that the share lies below the interval, and likewise above it. */
const tail = 0.025

/** The Clopper-Pearson interval: it contains the true share in at least 95 of 100 samples of this size. */
export function clopperPearson(hits: number, all: number) {
  const low = hits === 0 ? 0 : solve((share) => tail - atLeast(hits, all, share))
  return { low, high: hits === all ? 1 : solve((share) => 1 - atLeast(hits + 1, all, share) - tail) }
}

/** Probability of at least this many hits, if each draw hits with probability `share`. */
function atLeast(hits: number, all: number, share: number): number {
  let term = all * Math.log1p(-share)
  let sum = hits === 0 ? Math.exp(term) : 0
  for (let count = 1; count <= all; count += 1) {
    term += Math.log((all - count + 1) / count) + Math.log(share) - Math.log1p(-share)
    if (count >= hits) sum += Math.exp(term)
  }
  return Math.min(1, sum)
}

/** The zero of a function that decreases from 0 to 1. */
function solve(falling: (share: number) => number): number {
  let [low, high] = [0, 1]
  for (let step = 0; step < 50; step += 1) {
    const middle = (low + high) / 2
    if (falling(middle) > 0) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/** The interval of a share, in the format of the pages. */
export function intervalOf(hits: number, all: number): string {
  const { low, high } = clopperPearson(hits, all)
  return `${percent(low)} to ${percent(high)}`
}

/** A share, in the format of the pages. */
export const percent = (share: number): string => `${(share * 100).toFixed(1)} %`
