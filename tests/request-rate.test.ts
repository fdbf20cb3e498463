import type { OutgoingHttpHeaders } from 'node:http'
import { beforeAll, describe } from 'vitest'
import { dice } from '../lib/serve/reference/variants/dice.ts'
import type { ReferenceOptions } from '../lib/serve/reference/service.ts'
import { countingLink, mostInASecond } from './support/counting-link.ts'
import { expectConformant, run, test } from './support/program-test.ts'
import { settingsFor } from './support/program.ts'
import { now, timeByTurns } from './support/virtual-time.ts'

type Intervene = NonNullable<ReferenceOptions['intervene']>

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

/** Refuses by this status what comes beyond so many requests in a second. */
function limited(perSecond: number, status: number, headers: OutgoingHttpHeaders): Intervene {
  let [second, taken] = [0, 0]
  return (_, response) => {
    const at = Math.floor(now() / 1_000)
    taken = at === second ? taken + 1 : 1
    second = at
    if (taken > perSecond) response.writeHead(status, headers).end()
    return taken > perSecond
  }
}

/** Refuses by 503 what a bucket has no token for: so many at first, and so many more each second. */
function bucket(perSecond: number, holds: number): Intervene {
  let [tokens, last] = [holds, 0]
  return (_, response) => {
    tokens = Math.min(holds, tokens + ((now() - last) * perSecond) / 1_000)
    last = now()
    if (tokens < 1) response.writeHead(503).end()
    else tokens -= 1
    return response.writableEnded
  }
}

describe.concurrent('nobody is blamed for not being hurried:', () => {
  beforeAll(timeByTurns)

  test.for([
    ['ten requests a second, with Retry-After', limited(10, 429, { 'retry-after': '1' })],
    ['fifteen requests a second, without Retry-After', limited(15, 429, {})],
    ['ten requests a second, refused by 503 as nginx does', limited(10, 503, {})],
    ['four requests a second, refused by 503', limited(4, 503, {})],
    ['seven requests a second after twenty at once', bucket(7, 20)],
  ] as const)('%s', async ([, intervene], { reference, expect }) => {
    const service = await reference({ intervene })

    const result = await run(['--strict'], { env: settingsFor(service) })

    expectConformant(expect, result)
    expect(result.stdout).toMatch(/--max-rps\)/)
  })
})

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
