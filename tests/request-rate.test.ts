import { beforeAll, describe, expect, test } from 'vitest'
import type { ReferenceOptions } from '../lib/serve/reference/service.ts'
import { reference, run } from './support/program-test.ts'
import { settingsFor } from './support/program.ts'
import { now, timeByTurns } from './support/virtual-time.ts'

interface Row {
  readonly what: string
  readonly args: readonly string[]
  readonly mostRps: number
  readonly service: ReferenceOptions
}

/** The maximum number of these times within a second, both ends included. */
function mostInASecond(times: readonly number[]): number {
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at <= from + 1_000).length))
}

// A property test of the rate limiter shows that the duration of transit changes nothing.
describe('the requests that reach a service in any second', () => {
  beforeAll(timeByTurns)

  test.for<Row>([
    {
      what: 'retries and confirmations',
      args: ['--fuzz-cases', '5'],
      mostRps: 100,
      service: { variant: 'connections-reset-now-and-then', faults: ['version-one-called-missing'] },
    },
    { what: 'doctor', args: ['doctor'], mostRps: 4, service: {} },
  ])('are at most RUN_MAX_RPS: $what', async ({ args, mostRps, service }) => {
    const arrivals: number[] = []
    const intervene = (): boolean => {
      arrivals.push(now())
      return false
    }
    const started = await reference({ ...service, intervene })
    const pace = { RUN_MAX_RPS: String(mostRps), RUN_CONCURRENCY: '16', RUN_TIMEOUT_MS: '600000' }

    const { verdict } = await run(args, { env: { ...settingsFor(started), ...pace } })

    expect(arrivals.length).toBe(verdict?.requests.sent ?? 7)
    // Delayed requests arrive together with later ones.
    expect(mostInASecond(arrivals)).toBeLessThanOrEqual(1.5 * mostRps)
    const { retried, confirming } = verdict?.requests ?? { retried: 1, confirming: 1 }
    expect([retried > 0, confirming > 0]).toEqual([true, true])
  })
})
