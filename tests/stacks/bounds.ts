/** The exact (Clopper-Pearson) bounds of a share at 95 %, of which `seen` of `tried` were seen; both sides, 2.5 % each. */
export function boundsOf(seen: number, tried: number): { readonly from: number; readonly to: number } {
  return {
    from: seen === 0 ? 0 : whereZero((share) => atLeast(seen, tried, share) - 0.025),
    to: seen === tried ? 1 : whereZero((share) => 0.025 - atLeast(tried - seen, tried, 1 - share)),
  }
}

/** The largest share that none of `tried` supports at 95 %. */
export function mostAfterNone(tried: number): number {
  return 1 - 0.05 ** (1 / tried)
}

/** Where a function that grows from 0 to 1 passes zero. */
function whereZero(grows: (share: number) => number): number {
  let [low, high] = [0, 1]
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2
    if (grows(middle) < 0) low = middle
    else high = middle
  }
  return low
}

/** Probability of at least `seen` of `tried`, each with this share. */
function atLeast(seen: number, tried: number, share: number): number {
  let sum = 0
  for (let count = seen; count <= tried; count += 1)
    sum += choose(tried, count) * share ** count * (1 - share) ** (tried - count)
  return sum
}

function choose(all: number, some: number): number {
  let ways = 1
  for (let one = 1; one <= some; one += 1) ways *= (all - some + one) / one
  return ways
}
