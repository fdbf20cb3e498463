/** The system adds up the processor's time now and then: what took less says nothing, in microseconds. */
const leastTold = 40_000

/**
 * How many times the processor's time of `small` the work of `large` takes. A busy machine, and what else the process does, adds to both:
 * they are measured in turn, and again until the ratio of the sums is below `most`.
 */
export async function timesAsLong(large: () => unknown, small: () => unknown, most: number): Promise<number> {
  let [sum, sumOfSmall] = [0, 0]
  for (let tried = 0; sumOfSmall <= leastTold || (tried < 400 && sum >= most * sumOfSmall); tried += 1) {
    sumOfSmall += await processorTime(small)
    sum += await processorTime(large)
  }
  return sum / sumOfSmall
}

/** Work as a whole takes as long as its parts where the time is linear, and sixteen times as long where it is quadratic. */
export const linear = 4

/** How many times as long the work takes as sixteen of a sixteenth of its size: below {@link linear} where the time is linear. */
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
