import { beforeEach, describe, expect, it, vi } from 'vitest'
import { fakeTime, now, pause } from '../../../tests/support/virtual-time.ts'
import { exchange, refused, served } from '../../judge/testing/exchanges.ts'
import { dice } from '../../serve/reference/dice.ts'
import { anyRule, requestOf } from '../testing/layers.ts'
import { RateLimiter } from './pace.ts'
import { RunLifecycle } from './run-state.ts'

beforeEach(fakeTime)

const answers = [served, refused(400, '1001'), refused(401, '1006'), served, refused(400, '1003')]
const requests = 400
const bound = 8

/** How long the service takes for a request, in milliseconds; `kind` is its kind of answer, `nowMs` the time. */
type LatencyOf = (request: Readonly<Record<'index' | 'kind' | 'nowMs', number>>) => number

/** Requests in flight when each request of a run left: the first alone, as in every run, then as many as allowed. */
async function inFlightOf(latencyOf: LatencyOf, atOnce = false): Promise<readonly number[]> {
  const roll = dice()
  const began = now()
  const inFlight: number[] = []
  const limiter = new RateLimiter(
    { concurrency: bound, maxRps: null },
    new RunLifecycle(new AbortController().signal),
  )
  const limited = limiter.limit(async () => {
    inFlight.push(limiter.active)
    const kind = roll(answers.length)
    const durationMs = latencyOf({ index: inFlight.length, kind, nowMs: now() - began })
    await pause(durationMs)
    return { ...exchange(answers[kind] ?? served), durationMs }
  })
  const send = () => limited(requestOf(), { rule: anyRule, purpose: 'case', atOnce })
  void send().then(() => Promise.all(Array.from({ length: requests }, send)))
  await vi.advanceTimersByTimeAsync(600_000)
  expect(inFlight).toHaveLength(requests + 1)
  return inFlight
}

/** Mean number of requests in flight in the second half of a run. */
async function usualInFlight(latencyOf: LatencyOf, atOnce?: boolean): Promise<number> {
  const last = (await inFlightOf(latencyOf, atOnce)).slice(requests / 2)
  return last.reduce((sum, one) => sum + one, 0) / last.length
}

/** Workers that each take one request at a time. */
function workers(count: number, workMs: number): LatencyOf {
  const freeAt = Array.from({ length: count }, () => 0)
  return ({ nowMs }) => {
    const first = freeAt.indexOf(Math.min(...freeAt))
    const done = Math.max(freeAt[first] ?? 0, nowMs) + workMs
    freeAt[first] = done
    return done - nowMs
  }
}

const slowForASecond: LatencyOf = ({ nowMs }) => (nowMs > 500 && nowMs < 1_500 ? 1_600 - nowMs : 100)
const roll = dice()
const exponential = (meanMs: number): number => -meanMs * Math.log((1 + roll(1_000)) / 1_000)

describe('as many requests are in flight as the service answers without queueing them', () => {
  it.each<[string, LatencyOf, number]>([
    ['with a service that takes 100 ms', () => 100, bound],
    ['with one that takes 5 ms', () => 5, bound],
    ['if some answers take 2 ms and others 100 ms', ({ kind }) => (kind < 2 ? 2 : 100), bound],
    ['if some answers come from a cache', () => (roll(10) < 2 ? 2 : 100), bound],
    ['if answers take anything up to 200 ms', () => roll(200), bound],
    ['if latencies vary exponentially', () => exponential(100), bound],
    ['if the first answer is slow', ({ index }) => (index === 1 ? 500 : 100), bound],
    ['with four workers', workers(4, 50), bound],
    ['with one worker that is fast', workers(1, 5), bound],
    ['after a pause of a second', slowForASecond, bound],
    ['after three slow seconds', ({ nowMs }) => (nowMs > 500 && nowMs < 3_500 ? 1_000 : 100), bound],
    ['if the first answers are fast only by chance', ({ index }) => (index < 3 ? 5 : 100), bound],
    ['with one worker', workers(1, 20), 3],
    ['with one slow worker', workers(1, 500), 2],
    ['with two workers', workers(2, 50), 4],
  ])('%s', async (_, latencyOf, expected) => {
    expect(await usualInFlight(latencyOf)).toBeCloseTo(expected, 0)
  })

  it('during one slow second as well', async () => {
    const all = await inFlightOf(slowForASecond)

    expect(all.filter((inFlight) => inFlight < bound).length).toBeLessThan(2 * bound)
  })

  it('for a scenario, however slow the service becomes', async () => {
    expect(await usualInFlight(workers(1, 20), true)).toBeGreaterThan(bound - 0.5)
  })
})
