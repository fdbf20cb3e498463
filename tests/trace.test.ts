import { expect, onTestFinished, test } from 'vitest'
import { traceIdOf } from '../lib/http/exchange.ts'
import { against } from './support/program-test.ts'
import { ruleIn, rulesThat } from './support/program.ts'
import { now, timeByTurns } from './support/virtual-time.ts'

const ofOurs = /^00-([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-01$/

/** A service that gives each answer an id. Collects the id in the traceparent of each request, or null. */
async function recorded(faults: readonly string[] = []) {
  const ids: (string | null)[] = []
  const given = await against({
    faults,
    intervene: ({ headers }, response) => {
      ids.push(ofOurs.exec(String(headers['traceparent']))?.[1] ?? null)
      response.setHeader('x-request-id', `req-${ids.length}`)
      return false
    },
  })
  return { ...given, ids }
}

test('--trace sends an id with each case, derived from seed, rule and case, and changes no status', async () => {
  const few = '--only authentication/no-bypass,authentication/not-cached,versioning/*,fuzz/headers'
  const [plain, one, other] = [await recorded(), await recorded(), await recorded()]
  const untraced = await plain.run(few)
  const traced = await one.run(`${few} --trace`)
  await other.run(`${few} --trace`)

  expect(traced).toMatchObject({ code: 0, verdict: { verdict: 'conformant' } })
  expect(rulesThat(traced.verdict, 'passed')).toEqual(rulesThat(untraced.verdict, 'passed'))
  expect(one.ids.length).toBe(plain.ids.length)
  expect(plain.ids.filter((id) => id !== null).length).toBeLessThan(10)
  // Health checks belong to no case. Requests that are sent byte for byte or have their own trace stay unchanged.
  expect(one.ids.filter((id) => id !== null).length).toBeGreaterThan(0.8 * one.ids.length)
  expect(one.ids.map(String).toSorted()).toEqual(other.ids.map(String).toSorted())
  expect(new Set(one.ids).size).toBeGreaterThan(50)
})

test('--trace uses one id for a finding everywhere, and reports also show the service’s id', async () => {
  const only = 'authentication/api-key-missing'
  const { run, read, ids } = await recorded(['missing-api-key-called-invalid'])
  const { verdict } = await run(`--only ${only} --trace`)
  const [finding] = ruleIn(verdict, only).findings
  const id = traceIdOf(finding?.case ?? '')

  expect(finding?.trace).toEqual({ id })
  expect(ids.filter((one) => one === id).length).toBeGreaterThanOrEqual(3)
  expect(finding?.curl).toContain(`-H 'traceparent: 00-${id}-`)
  for (const name of ['index.html', 'junit.xml']) {
    const report = await read(`reports/${name}`)
    expect(report, name).toContain(id)
    expect(report, name).toMatch(/x-request-id: req-\d+/)
  }

  const before = ids.length
  expect(finding?.replay).toContain('--trace')
  await run(`replay ${finding?.case ?? ''} --trace`)
  expect(ids.slice(before)).toContain(id)
})

/** The maximum number of these times within a second, both ends included. */
const mostInASecond = (times: readonly number[]): number =>
  Math.max(...times.map((from) => times.filter((at) => at >= from && at <= from + 1_000).length))

// A property test of the rate limiter shows that the duration of transit changes nothing.
const resets = { variant: 'connections-reset-now-and-then', faults: ['version-one-called-missing'] }
test.for([
  ['retries and confirmations', '--fuzz-cases 5', 100, resets],
  ['doctor', 'doctor', 4, {}],
] as const)('at most RUN_MAX_RPS requests reach the service in any second: %s', async (row) => {
  const [, words, mostRps, options] = row
  onTestFinished(timeByTurns())
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
