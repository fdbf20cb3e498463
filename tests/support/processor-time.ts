/**
 * How many times the processor's time of `small` the work of `large` takes. The time counts what the whole process does beside it, and a
 * busy machine inflates it: only the least of several measurements says something, and more are made until the ratio is below `most`.
 */
export async function timesAsLong(
  large: () => unknown,
  small: () => unknown,
  most: number,
  tries = 12,
): Promise<number> {
  let [least, leastOfSmall] = [Infinity, Infinity]
  await small()
  for (let tried = 0; tried < tries && !(least < most * leastOfSmall); tried += 1) {
    leastOfSmall = Math.min(leastOfSmall, await processorTime(small))
    least = Math.min(least, await processorTime(large))
  }
  return least / leastOfSmall
}

/** Eight times the work: eight times the time where it is linear, 64 times where it is quadratic. */
export const linear = 24

/** How many times as long the work takes with eight times the size: below {@link linear} where the time is linear. */
export function growth(work: (size: number) => unknown, size: number): Promise<number> {
  return timesAsLong(
    () => work(size),
    () => work(size / 8),
    linear,
  )
}

async function processorTime(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  return Math.max(1, process.cpuUsage(before).user)
}
