import { inOwnProcess } from '../measure/child.ts'
import { ratioOf, shown, spreadOf, type Spread } from '../measure/spread.ts'
import type { Measured, Section } from '../section.ts'
import type { Offline } from '../workers/offline.ts'

/** Powers of ten. */
const powers = { whole: [3, 4, 5, 6], quick: [3, 4, 5], regression: [4, 5] }
const superscripts = '⁰¹²³⁴⁵⁶'

/** Memory by the number of cases. */
export const memory: Section = {
  name: 'memory',
  title: 'Memory by the number of cases',
  measure: async ({ kind, rounds }) => told(await peaks(powers[kind], rounds)),
}

/** The largest resident memory of each round, by the power of ten; two processes side by side, since nothing here is timed. */
async function peaks(asked: readonly number[], rounds: number): Promise<ReadonlyMap<number, number[]>> {
  const found = new Map<number, number[]>(asked.map((power) => [power, []]))
  const jobs = asked.toReversed().flatMap((power) => Array.from({ length: rounds }, () => power))
  const waiting = jobs.values()
  const work = async (): Promise<void> => {
    for (const power of waiting) {
      const question: Offline = { cases: 10 ** power }
      found.get(power)?.push(await inOwnProcess<number>('workers/offline', question))
    }
  }
  await Promise.all([work(), work()])
  return found
}

function told(found: ReadonlyMap<number, readonly number[]>): Measured {
  const of = (power: number): readonly number[] => found.get(power) ?? []
  const toTenThousand = (power: number): Spread => ratioOf(of(power), of(4))
  return {
    parts: [
      about,
      {
        head: ['cases', 'largest resident memory, MiB', 'of that of 10⁴'],
        rows: [...found.keys()].map((power) => [
          `10${superscripts[power]}`,
          shown(spreadOf(of(power))),
          shown(toTenThousand(power)),
        ]),
      },
    ],
    figures: {
      ...(found.has(5) ? { 'memory of 10⁵ : 10⁴ cases': toTenThousand(5) } : {}),
      ...(found.has(6) ? { 'memory of 10⁶ : 10⁴ cases': toTenThousand(6) } : {}),
    },
  }
}

const about = `Cases of \`fuzz/api-key\` on the whole way of a run, answered from memory, so that a million of them end soon; each measurement is a
process of its own.`
