import fc from 'fast-check'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { fakeTime, later, now, pause as elapse } from '../../../tests/support/virtual-time.ts'
import { exchange, refused, served } from '../../judge/testing/exchanges.ts'
import { dice } from '../../serve/reference/dice.ts'
import { requestOf } from '../testing/contexts.ts'
import { openLifecycle, openRateLimiter, type Attempt, type RateLimiter, type SendOptions } from './pace.ts'

beforeEach(fakeTime)

const context = { rule: 'authentication/api-key-missing', purpose: 'case' } as const

/** Sends a request that stays in flight and returns the function that ends it. */
function inFlight(limiter: RateLimiter, options: Partial<SendOptions> = {}): Promise<() => void> {
  return new Promise((began, reject) => {
    const next: Attempt = () => new Promise((resolve) => began(() => resolve(exchange(served))))
    limiter
      .limit(next)(requestOf(), { ...context, ...options })
      .catch(reject)
  })
}

/** Asks for permits and records who got one and when, in milliseconds since the start. */
class Asker {
  readonly run = openLifecycle(new AbortController().signal)
  readonly limiter: RateLimiter
  names = ''
  readonly times: number[] = []
  readonly #ends = new Map<string, () => void>()
  readonly #start = now()

  constructor(concurrency: number, maxRps: number | null = null) {
    this.limiter = openRateLimiter({ concurrency, maxRps }, this.run)
  }

  async ask(name: string, options: Partial<SendOptions> = {}): Promise<void> {
    this.#ends.set(name, await inFlight(this.limiter, options))
    this.names += name
    this.times.push(Math.round(now() - this.#start))
  }

  end(name: string): void {
    this.#ends.get(name)?.()
    this.#ends.delete(name)
  }

  /** Asks for these permits, each of which ends after `takesMs`. */
  async pass(names: Iterable<string>, takesMs = 0): Promise<void> {
    for (const name of names)
      void this.ask(name).then(() => (takesMs === 0 ? this.end(name) : later(() => this.end(name), takesMs)))
    await vi.advanceTimersByTimeAsync(60_000)
  }

  get open(): number {
    return this.#ends.size
  }
}

type Act = (asker: Asker) => unknown
const ask = (names: string, options?: Partial<SendOptions>) => (of: Asker) =>
  void [...names].map((name) => of.ask(name, options))
const end = (name: string) => (of: Asker) => of.end(name)
const passes = (ms: number) => () => vi.advanceTimersByTimeAsync(ms)
const pause = (ms: number) => (of: Asker) => of.limiter.pause(ms)
const slowDown = (ms?: number, ago?: number) => (of: Asker) =>
  of.limiter.slowDown(ms ?? 0, now() - (ago || 0))
const oneByOne = (isOn: boolean) => (of: Asker) => of.limiter.oneAtATime(isOn)
const succeed = (times: number) => (of: Asker) => {
  for (let time = 0; time < times; time += 1) of.limiter.onSuccess()
}
const [a, b, slowed] = [ask('a'), ask('b'), slowDown(5_000)]
const urgent = ask('c', { priority: 1 })
const [urgently, asUrgently] = [ask('b', { priority: 2 }), ask('d', { priority: 2 })]
const alone = ask('c', { exclusive: true })
const turnComes = [a, end('a'), b, slowed, passes(4_999), passes(3_000)]
const shorter = [slowed, slowDown(1_000), a, passes(4_999), passes(1)]

// The permits granted after each act.
it.each<[string, readonly [number, number?], readonly Act[], string]>([
  ['go in the order of requests', [1], [ask('abcd'), end('a'), end('b'), end('c')], 'a ab abc abcd'],
  ['go to the most urgent first', [1], [ask('ad'), urgent, urgently, end('a'), end('b')], 'a a a ab abc'],
  ['go in order in a kind', [1], [ask('ae'), urgently, asUrgently, end('a'), end('b')], 'a a a ab abd'],
  ['make an exclusive request wait', [8], [ask('ab'), alone, end('a'), end('b')], 'ab ab ab abc'],
  ['wait for an exclusive request', [8], [a, alone, ask('de'), end('a'), end('c')], 'a a a ac acde'],
  ['go one by one on demand', [8], [oneByOne(true), ask('abcd'), end('a'), oneByOne(false)], '- a ab abcd'],
  ['are not granted in a pause', [8], [pause(1_000), ask('abc'), passes(999), passes(1)], '- - - abc'],
  ['are not granted in a slowdown', [8, 1_000], [a, slowed, b, passes(4_999), passes(100)], 'a a a a ab'],
  ['are not granted in a slowdown, even when their turn comes', [8, 1], turnComes, 'a a a a a ab'],
  ['are not granted earlier after a shorter slowdown', [8], shorter, '- - - - a'],
])('permits %s', async (_, limits, acts, expected) => {
  const asker = new Asker(...limits)
  const names: string[] = []
  for (const act of acts) {
    await act(asker)
    await vi.advanceTimersByTimeAsync(0)
    names.push(asker.names || '-')
    expect(asker.limiter.active).toBe(asker.open)
  }
  expect(names.join(' ')).toBe(expected)
})

describe('a request', () => {
  it('goes out at once if nothing has to wait, without a timer', async () => {
    const asker = new Asker(1, 10)
    await asker.ask('a')

    expect([vi.getTimerCount(), asker.limiter.active]).toEqual([0, 1])
  })

  it.each<[string, readonly [number, number?], Act]>([
    ['room', [1], () => {}],
    ['its turn in the rate', [8, 1], () => {}],
    ['the end of a pause', [8, 1], pause(60_000)],
  ])('is refused with the reason if the run ends, also while it waits for %s', async (_, limits, act) => {
    const asker = new Asker(...limits)
    await asker.ask('a')
    act(asker)
    const waiting = [asker.ask('b'), asker.ask('c', { exclusive: true })]
    await vi.advanceTimersByTimeAsync(0)
    const reason = asker.run.end('the service stopped answering')

    for (const one of waiting) await expect(one).rejects.toBe(reason)
    await expect(asker.ask('d')).rejects.toBe(reason)
    expect(asker.limiter.active).toBe(1)
    asker.end('a')
    await vi.advanceTimersByTimeAsync(0)
    expect([asker.names, asker.limiter.active]).toEqual(['a', 0])
  })
})

const hundred = Array.from({ length: 101 }, (_, index) => String(index))

it('the rate spaces requests evenly, and makes up only for a late timer', async () => {
  const asker = new Asker(100, 4)
  await asker.pass('abc')
  ask('de')(asker)
  await vi.advanceTimersByTimeAsync(5_000)

  expect(asker.times).toEqual([0, 250, 500, 60_000, 60_248])
})

it.each([
  ['unlimited by default', null, 0, 0],
  ['as high as is safe without latency', 25, 0, 4_000],
  ['as high as is safe at a latency of 100 ms', 25, 100, 4_400],
  ['as high as is safe at a latency of 1 s', 25, 1_000, 8_000],
])('the rate is %s', async (_, maxRps, latencyMs, expectedMs) => {
  const asker = new Asker(101, maxRps)
  await asker.pass(hundred, latencyMs)

  const lastMs = asker.times.at(-1) ?? Infinity
  expect(lastMs).toBeGreaterThanOrEqual(expectedMs)
  expect(lastMs).toBeLessThanOrEqual(expectedMs * 1.01)
})

const request = fc.record({
  askedAt: fc.oneof(fc.constant(0), fc.nat({ max: 5_000 })),
  takes: fc.oneof(fc.nat({ max: 30 }), fc.nat({ max: 3_000 })),
  /** When it arrives, as a share of the time that it takes. */
  arrives: fc.constantFrom(0, 0.5, 1),
  exclusive: fc.boolean(),
  priority: fc.nat({ max: 2 }),
})

it('the rate is never exceeded in any second, nor the concurrency, whenever requests arrive between start and end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(0.5, 1, 2, 3.5, 10, null),
      fc.integer({ min: 1, max: 8 }),
      fc.array(request, { maxLength: 40 }),
      async (maxRps, concurrency, requests) => {
        const { limiter } = new Asker(concurrency, maxRps)
        const arrivals: number[] = []
        const flying = new Set<Partial<SendOptions>>()
        for (const { askedAt, takes, arrives, ...options } of requests) {
          later(() => {
            void inFlight(limiter, options).then((endIt) => {
              arrivals.push(now() + takes * arrives)
              flying.add(options)
              expect(flying.size).toBeLessThanOrEqual(concurrency)
              expect([...flying].some(({ exclusive }) => exclusive) && flying.size > 1).toBe(false)
              later(() => {
                flying.delete(options)
                endIt()
              }, takes)
            })
          }, askedAt)
        }
        await vi.advanceTimersByTimeAsync(300_000)

        expect([arrivals.length, limiter.active]).toEqual([requests.length, 0])
        const spanMs = 1_000 / Math.min(1, maxRps ?? 1)
        for (const from of arrivals) {
          const within = arrivals.filter((at) => at >= from && at <= from + spanMs)
          expect(within.length).toBeLessThanOrEqual(Math.max(1, maxRps ?? Infinity))
        }
      },
    ),
  )
})

const complainedOften = Array.from({ length: 20 }, () => [passes(1), slowDown()]).flat()
const toldOfFive = [passes(100), ...Array.from({ length: 5 }, () => slowDown(0, 100))]

it.each<[string, number | null, readonly Act[], number]>([
  ['halves with a slowdown', 20, [slowDown()], 100],
  ['starts from ten a second if it was unlimited', null, [slowDown()], 100],
  ['is halved once for all requests in flight', 40, toldOfFive, 50],
  ['is halved again for a request that was sent later', 40, [...toldOfFive, slowDown()], 100],
  ['goes down to one a second and not below', null, complainedOften, 1_000],
  // RUN_MAX_RPS may be 0.5.
  ['may be below one a second', 0.5, [], 2_005],
  ['never increases with a slowdown', 0.5, [slowDown()], 2_005],
  ['recovers gradually with successes', 20, [slowDown(), succeed(50)], 67],
  ['recovers up to its initial value', 20, [slowDown(), succeed(1_050)], 50],
  ['becomes unlimited again if it was unlimited', null, [slowDown(), succeed(2_000)], 0],
  ['does not change without a slowdown', 10, [succeed(100)], 100],
])('the rate %s', async (_, maxRps, acts, gap) => {
  const asker = new Asker(8, maxRps)
  for (const act of acts) await act(asker)
  await asker.pass('abc')

  const [, second = 0, third = 0] = asker.times
  expect(third - second).toBe(gap)
})

const answers = [served, refused(400, '1001'), refused(401, '1006'), served, refused(400, '1003')]
const requests = 400
const bound = 8

/** How long the service takes for a request, in milliseconds; `kind` is its kind of answer, `nowMs` the time. */
type LatencyOf = (request: Readonly<Record<'index' | 'kind' | 'nowMs', number>>) => number

/** Requests in flight when each request of a run left: the first alone, as in every run, then as many as allowed. */
async function inFlightOf(latencyOf: LatencyOf, atOnce = false): Promise<readonly number[]> {
  const roll = dice()
  const began = now()
  const flying: number[] = []
  const { limiter } = new Asker(bound)
  const limited = limiter.limit(async () => {
    flying.push(limiter.active)
    const kind = roll(answers.length)
    const durationMs = latencyOf({ index: flying.length, kind, nowMs: now() - began })
    await elapse(durationMs)
    return { ...exchange(answers[kind] ?? served), durationMs }
  })
  const send = () => limited(requestOf(), { ...context, atOnce })
  void send().then(() => Promise.all(Array.from({ length: requests }, send)))
  await vi.advanceTimersByTimeAsync(600_000)
  expect(flying).toHaveLength(requests + 1)
  return flying
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

describe('requests in flight', () => {
  it.each<[string, LatencyOf, number]>([
    ['with a service that takes 100 ms', () => 100, bound],
    ['with a service that takes 5 ms', () => 5, bound],
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
  ])('are as many as the service answers without queueing them, %s', async (_, latencyOf, expected) => {
    expect(await usualInFlight(latencyOf)).toBeCloseTo(expected, 0)
  })

  it('stay as many during one slow second', async () => {
    const all = await inFlightOf(slowForASecond)

    expect(all.filter((flying) => flying < bound).length).toBeLessThan(2 * bound)
  })

  it('of a scenario are as many as allowed, however slow the service becomes', async () => {
    expect(await usualInFlight(workers(1, 20), true)).toBeGreaterThan(bound - 0.5)
  })
})

it('a run ends once, for the first reason', () => {
  const cancelling = new AbortController()
  const run = openLifecycle(cancelling.signal)
  const reason = run.end('the service stopped answering')
  cancelling.abort(new Error('later'))

  expect([run.end('later'), run.signal.reason]).toEqual([reason, reason])
  expect(reason.message).toBe('the service stopped answering')
})
