import { beforeAll, describe } from 'vitest'
import { dice } from '../lib/serve/reference/dice.ts'
import type { ReferenceOptions } from '../lib/serve/reference/service.ts'
import { countingLink, mostInASecond } from './support/counting-link.ts'
import { run, test } from './support/program-test.ts'
import { settingsFor } from './support/program.ts'
import { now, timeByTurns } from './support/virtual-time.ts'

const roll = dice()
const jitter = (mostMs: number) => (): number => roll(1_000 * mostMs + 1) / 1_000
/** Holds everything for 400 ms every 1.5 seconds, which then arrives together. */
const stalling = (): number => Math.max(0, 400 - (now() % 1_500))
const faulty = {
  variant: 'connections-reset-now-and-then',
  faults: ['version-one-called-missing'],
} as const

interface Row {
  readonly what: string
  readonly transitMs: () => number
  readonly service?: ReferenceOptions
}

describe.concurrent('the requests that reach a service in any second', () => {
  beforeAll(timeByTurns)

  test.for<Row>([
    { what: 'a service that answers at once', transitMs: jitter(0) },
    { what: 'jitter in transit', transitMs: jitter(60) },
    { what: 'a transit that stalls', transitMs: stalling },
    { what: 'jitter in the service', transitMs: jitter(0), service: { variant: 'slow-answers' } },
    { what: 'retries and confirmations', transitMs: jitter(20), service: faulty },
  ])('are at most RUN_MAX_RPS: $what', async (row, { reference, expect, onTestFinished }) => {
    const service = await reference(row.service)
    const { baseUrl, arrivals } = await countingLink(service.baseUrl, row.transitMs, onTestFinished)
    const pace = { RUN_MAX_RPS: '100', RUN_CONCURRENCY: '16', RUN_FUZZ_CASES: '5' }

    const { verdict } = await run([], { env: { ...settingsFor(service), TARGET_BASE_URL: baseUrl, ...pace } })

    expect(arrivals.length).toBe(verdict?.requests.sent)
    expect(mostInASecond(arrivals)).toBeLessThanOrEqual(100)
    const sentAgain = (verdict?.requests.retried ?? 0) > 0 && (verdict?.requests.confirming ?? 0) > 0
    expect(sentAgain).toBe(row.service === faulty)
  })

  test('are at most RUN_MAX_RPS: doctor', async ({ reference, expect, onTestFinished }) => {
    const service = await reference()
    const { baseUrl, arrivals } = await countingLink(service.baseUrl, jitter(0), onTestFinished)

    await run(['doctor'], { env: { ...settingsFor(service), TARGET_BASE_URL: baseUrl, RUN_MAX_RPS: '4' } })

    expect(arrivals.length).toBeGreaterThan(5)
    expect(mostInASecond(arrivals)).toBeLessThanOrEqual(4)
  })
})
