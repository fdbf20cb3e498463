import { beforeAll, expect, test } from 'vitest'
import { against } from './support/program-test.ts'
import { now, timeByTurns } from './support/virtual-time.ts'

/** The maximum number of these times within a second, both ends included. */
const mostInASecond = (times: readonly number[]): number =>
  Math.max(...times.map((from) => times.filter((at) => at >= from && at <= from + 1_000).length))

beforeAll(timeByTurns)

// A property test of the rate limiter shows that the duration of transit changes nothing.
test.for([
  [
    'retries and confirmations',
    '--fuzz-cases 5',
    100,
    { variant: 'connections-reset-now-and-then', faults: ['version-one-called-missing'] },
  ],
  ['doctor', 'doctor', 4, {}],
] as const)('at most RUN_MAX_RPS requests reach the service in any second: %s', async (row) => {
  const [, words, mostRps, options] = row
  const arrivals: number[] = []
  const intervene = (): boolean => arrivals.push(now()) < 0
  const { run } = await against({ ...options, intervene })
  const pace = { RUN_MAX_RPS: String(mostRps), RUN_CONCURRENCY: '16', RUN_TIMEOUT_MS: '600000' }

  const { verdict } = await run(words, { env: pace })

  expect(arrivals.length).toBe(verdict?.requests.sent ?? 7)
  // Delayed requests arrive together with later ones.
  expect(mostInASecond(arrivals)).toBeLessThanOrEqual(1.5 * mostRps)
  const { retried, confirming } = verdict?.requests ?? { retried: 1, confirming: 1 }
  expect([retried > 0, confirming > 0]).toEqual([true, true])
})
