/** Minimum meaningful processor time, in microseconds. The system updates the sum only now and then. */
const leastTold = 40_000

/**
 * The ratio of the processor time of `large` to that of `small`. A busy machine and other work of the process add to both. Both are
 * therefore measured in turn, repeatedly, until the ratio of the sums is below `most`.
 */
export async function timesAsLong(large: () => unknown, small: () => unknown, most: number): Promise<number> {
  let [sum, sumOfSmall] = [0, 0]
  for (let tried = 0; sumOfSmall <= leastTold || (tried < 400 && sum >= most * sumOfSmall); tried += 1) {
    sumOfSmall += await processorTime(small)
    sum += await processorTime(large)
  }
  return sum / sumOfSmall
}

/** Maximum {@link growth} of linear work. Linear work has a growth of about 1, quadratic work of 16. */
export const linear = 4

/** The ratio of the time of the work to sixteen times the work at a sixteenth of its size. Below {@link linear} for linear time. */
export function growth(work: (size: number) => unknown, size: number): Promise<number> {
  const parts = async (): Promise<void> => {
    for (let part = 0; part < 16; part += 1) await work(size / 16)
  }
  return timesAsLong(() => work(size), parts, linear)
}

async function processorTime(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}
