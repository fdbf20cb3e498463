import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inTurn } from '../measure/in-turn.ts'
import { inEmptyFolder, runNode, withInstalled, type Ended } from '../measure/program.ts'
import { exactly, grouped, ratioOf, shown, spreadOf } from '../measure/spread.ts'
import type { Measured, Section } from '../section.ts'
import { furtherEndpoints, startReferenceProcess, type Seen } from '../services/reference.ts'

const counts = { whole: [1, 10, 100], quick: [1, 10, 100], regression: [1, 10] }
type Runs = (name: string) => readonly (Ended & Seen)[]

/** A gate by the number of endpoints. */
export const endpoints: Section = {
  name: 'endpoints',
  title: 'A gate by the number of endpoints',
  measure: async ({ kind, rounds }) => {
    const reference = startReferenceProcess()
    try {
      return await withInstalled((installed) =>
        inEmptyFolder(async (folder) => {
          const works = counts[kind].map((count) => {
            const file = join(folder, `${count}.json`)
            const settings = { TARGET_ENDPOINTS: file, RUN_MAX_REQUESTS: '100000', RUN_MAX_MINUTES: '10' }
            const work = () =>
              reference.during(async (env) => {
                await writeFile(file, furtherEndpoints(count - 1))
                return runNode({ args: [installed], env: { ...env, ...settings } })
              })
            return [String(count), work] as const
          })
          return told(counts[kind], await inTurn(rounds, Object.fromEntries(works)))
        }),
      )
    } finally {
      reference.end()
    }
  },
}

function told(measured: readonly number[], runs: Runs): Measured {
  const of = (count: number, what: 'seconds' | 'peakMiB' | 'requests'): readonly number[] =>
    runs(String(count)).map((run) => run[what])
  const requests = (count: number): number => spreadOf(of(count, 'requests')).median
  const most = measured.at(-1) ?? 1
  /** What each endpoint beyond the first adds. */
  const each = (count: number, what: 'seconds' | 'requests'): readonly number[] =>
    of(count, what).map((value, round) => (value - (of(1, what)[round] ?? 0)) / (count - 1))
  return {
    parts: [
      about,
      {
        head: [
          'endpoints',
          'requests',
          'more an endpoint',
          'time, of one endpoint',
          'memory, of one endpoint',
        ],
        rows: measured.map((count) => [
          String(count),
          grouped(requests(count)),
          count === 1 ? '' : shown(spreadOf(each(count, 'requests'))),
          shown(ratioOf(of(count, 'seconds'), of(1, 'seconds'))),
          shown(ratioOf(of(count, 'peakMiB'), of(1, 'peakMiB'))),
        ]),
      },
    ],
    figures: {
      'requests an endpoint': exactly(spreadOf(each(most, 'requests')).median),
      ...(measured.includes(100)
        ? { 'time an endpoint, of 100 : of 10': ratioOf(each(100, 'seconds'), each(10, 'seconds')) }
        : {}),
    },
  }
}

const about = `A gate of the installed program, with an endpoints file that names further endpoints; in the service, another process, they behave as
the list does.`
