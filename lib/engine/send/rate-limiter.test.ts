import fc from 'fast-check'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { fakeTime, later, now } from '../../../tests/support/virtual-time.ts'
import { exchange, served } from '../../judge/testing/exchanges.ts'
import { RunEnded } from '../plan/errors.ts'
import { RateLimiter, type RateLimits } from './rate-limiter.ts'
import type { SendOptions } from './send.ts'
import { RunLifecycle } from './run-state.ts'
import { anyRule, inFlight, requestOf } from '../testing/layers.ts'

beforeEach(fakeTime)

function limiterOf(limits: RateLimits, run = new RunLifecycle(new AbortController().signal)): RateLimiter {
  return new RateLimiter(limits, run)
}
const unlimited = { concurrency: 8, maxRps: null }

/** Acquires permits and records when each was given, in milliseconds since the start. */
class Asker {
  readonly limiter: RateLimiter
  readonly given: { readonly name: string; readonly at: number; readonly end: () => void }[] = []
  readonly #start = now()

  constructor(limiter: RateLimiter) {
    this.limiter = limiter
  }

  ask(name: string, options: Partial<SendOptions> = {}): Promise<void> {
    return inFlight(this.limiter, options).then((end) => {
      this.given.push({ name, at: now() - this.#start, end })
    })
  }

  end(name: string): void {
    this.given.find((one) => one.name === name)?.end()
  }

  get names(): readonly string[] {
    return this.given.map(({ name }) => name)
  }

  get times(): readonly number[] {
    return this.given.map(({ at }) => Math.round(at))
  }
}

/** Runs everything that needs no time. */
async function settled(): Promise<void> {
  await vi.advanceTimersByTimeAsync(0)
}

describe('requests in flight', () => {
  it('is never more than allowed, over any order of beginnings and ends', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.record({ exclusive: fc.boolean(), ends: fc.nat({ max: 9 }) }), { maxLength: 30 }),
        async (concurrency, asked) => {
          const limiter = limiterOf({ concurrency, maxRps: null })
          const flying: { readonly exclusive: boolean; readonly end: () => void }[] = []
          const check = (): void => {
            expect(flying.length).toBeLessThanOrEqual(concurrency)
            expect(flying.some(({ exclusive }) => exclusive) && flying.length > 1).toBe(false)
          }
          for (const { exclusive, ends } of asked) {
            void inFlight(limiter, { exclusive }).then((end) => {
              flying.push({ exclusive, end })
              check()
            })
            await settled()
            for (const { end } of flying.splice(0, ends % 3)) end()
            await settled()
          }
          for (let left = flying.shift(); left !== undefined; left = flying.shift()) {
            left.end()
            await settled()
          }
          expect(limiter.active).toBe(0)
        },
      ),
    )
  })

  it('is given to the most urgent first, and else in turn', async () => {
    const limiter = limiterOf({ concurrency: 1, maxRps: null })
    const given: string[] = []
    const ask = (name: string, priority: number): Promise<void> =>
      inFlight(limiter, { priority }).then((end) => {
        given.push(name)
        end()
      })
    const end = await inFlight(limiter)
    const asked = [
      ask('first', 0),
      ask('urgent', 2),
      ask('second', 0),
      ask('less urgent', 1),
      ask('as urgent', 2),
    ]

    end()
    await Promise.all(asked)

    expect(given).toEqual(['urgent', 'as urgent', 'less urgent', 'first', 'second'])
  })

  it('is told, with those about to go out', async () => {
    const asker = new Asker(limiterOf({ concurrency: 2, maxRps: null }))
    for (const name of ['a', 'b', 'c']) void asker.ask(name)
    await settled()

    expect(asker.limiter.active).toBe(2)
    asker.end('a')
    asker.end('b')
    await settled()
    expect(asker.limiter.active).toBe(1)
  })
})

describe('a request', () => {
  it('goes out at once where nothing has to wait, without a timer and with no promise in between', () => {
    const limiter = limiterOf({ concurrency: 1, maxRps: 10 })
    const answered = Promise.resolve(exchange(served))

    expect(limiter.limit(() => answered)(requestOf(), { rule: anyRule, purpose: 'case' })).toBe(answered)
    expect([vi.getTimerCount(), limiter.active]).toEqual([0, 1])
  })

  it.each<[string, Partial<SendOptions>, (limiter: RateLimiter) => unknown]>([
    ['all permits are given', {}, (limiter) => Promise.all([inFlight(limiter), inFlight(limiter)])],
    ['it must be alone', { exclusive: true }, (limiter) => inFlight(limiter)],
    ['another is alone', {}, (limiter) => inFlight(limiter, { exclusive: true })],
    ['one goes at a time', {}, (limiter) => [limiter.oneAtATime(true), inFlight(limiter)]],
    ['the last one was just sent', {}, (limiter) => [limiter.slowDown(0, 0), inFlight(limiter)]],
    ['everybody pauses', {}, (limiter) => limiter.pause(1)],
    ['others wait', {}, (limiter) => [inFlight(limiter), inFlight(limiter, { exclusive: true })]],
  ])('waits where %s', async (_, options, before) => {
    const limiter = limiterOf({ concurrency: 2, maxRps: null })
    before(limiter)
    const asker = new Asker(limiter)
    void asker.ask('it', options)
    await settled()

    expect(asker.given).toEqual([])
  })
})

describe('the order of permits', () => {
  it('is that in which they were asked for', async () => {
    const asker = new Asker(limiterOf({ concurrency: 1, maxRps: null }))
    for (const name of ['a', 'b', 'c', 'd']) void asker.ask(name)
    await settled()
    for (const name of ['a', 'b', 'c']) {
      asker.end(name)
      await settled()
    }

    expect(asker.names).toEqual(['a', 'b', 'c', 'd'])
  })

  it('lets an exclusive one wait until nothing is in flight, and everybody behind it wait for it', async () => {
    const asker = new Asker(limiterOf(unlimited))
    void asker.ask('a')
    void asker.ask('b')
    void asker.ask('alone', { exclusive: true })
    void asker.ask('c')
    void asker.ask('d')
    await settled()
    expect(asker.names).toEqual(['a', 'b'])

    asker.end('a')
    await settled()
    expect(asker.names).toEqual(['a', 'b'])

    asker.end('b')
    await settled()
    expect(asker.names).toEqual(['a', 'b', 'alone'])

    asker.end('alone')
    await settled()
    expect(asker.names).toEqual(['a', 'b', 'alone', 'c', 'd'])
  })
})

describe('a request that is not to be sent any more', () => {
  it('leaves the queue with the reason, those behind it go on, and one in flight ends as it would', async () => {
    const asker = new Asker(limiterOf({ concurrency: 1, maxRps: null }))
    const turn = new AbortController()
    const over = new Error('over')
    const asked = ['a', 'b', 'c'].map((name) =>
      asker.ask(name, name === 'c' ? {} : { until: turn.signal }).catch((error: unknown) => error),
    )
    await settled()
    turn.abort(over)
    asker.end('a')

    expect(await asked[1]).toBe(over)
    await settled()
    expect(asker.names).toEqual(['a', 'c'])
    await expect(asker.ask('d', { until: turn.signal })).rejects.toBe(over)
  })
})

describe('a permit when the run ends', () => {
  const reason = new RunEnded('the service stopped answering')

  it('is refused with the reason, to those that wait and to those that ask later', async () => {
    const run = new RunLifecycle(new AbortController().signal)
    const asker = new Asker(limiterOf({ concurrency: 1, maxRps: null }, run))
    await asker.ask('a')
    const waiting = [asker.ask('alone', { exclusive: true }), asker.ask('b')]
    run.end(reason)

    for (const one of waiting) await expect(one).rejects.toBe(reason)
    await expect(asker.ask('c')).rejects.toBe(reason)
    expect(asker.limiter.active).toBe(1)
    asker.end('a')
    await settled()
    expect([asker.names, asker.limiter.active]).toEqual([['a'], 0])
  })

  it.each([
    ['its turn in the rate', (): void => {}],
    ['the end of a pause', (limiter: RateLimiter): void => limiter.pause(60_000)],
  ])('is refused, too, while it waits for %s', async (_, before) => {
    const run = new RunLifecycle(new AbortController().signal)
    const asker = new Asker(limiterOf({ concurrency: 8, maxRps: 1 }, run))
    await asker.ask('a')
    before(asker.limiter)
    const waiting = asker.ask('b')
    await settled()
    run.end(reason)

    await expect(waiting).rejects.toBe(reason)
    expect(asker.limiter.active).toBe(1)
  })
})

describe('the rate', () => {
  it('is not limited where nothing was said', async () => {
    const asker = new Asker(limiterOf({ concurrency: 100, maxRps: null }))
    await Promise.all(Array.from({ length: 100 }, (_, index) => asker.ask(String(index))))

    expect(new Set(asker.times)).toEqual(new Set([0]))
  })

  it('spaces requests evenly, and lets nobody save up more than a timer is late', async () => {
    const asker = new Asker(limiterOf({ concurrency: 100, maxRps: 4 }))
    for (const name of ['a', 'b', 'c']) void asker.ask(name).then(() => asker.end(name))
    await vi.advanceTimersByTimeAsync(5_000)
    for (const name of ['d', 'e']) void asker.ask(name)
    await vi.advanceTimersByTimeAsync(5_000)

    expect(asker.times).toEqual([0, 250, 500, 5_000, 5_248])
  })

  const request = fc.record({
    askedAt: fc.oneof(fc.constant(0), fc.nat({ max: 5_000 })),
    takes: fc.oneof(fc.nat({ max: 30 }), fc.nat({ max: 3_000 })),
    /** When it arrives, as a share of the time that it takes. */
    arrives: fc.constantFrom(0, 0.5, 1),
    exclusive: fc.boolean(),
    priority: fc.nat({ max: 2 }),
  })

  it('is never exceeded in any second, whenever requests arrive between start and end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(0.5, 1, 2, 3.5, 10),
        fc.integer({ min: 1, max: 8 }),
        fc.array(request, { maxLength: 40 }),
        async (maxRps, concurrency, requests) => {
          const limiter = limiterOf({ concurrency, maxRps })
          const arrivals: number[] = []
          for (const { askedAt, takes, arrives, ...options } of requests) {
            later(() => {
              void inFlight(limiter, options).then((end) => {
                arrivals.push(now() + takes * arrives)
                later(end, takes)
              })
            }, askedAt)
          }
          await vi.advanceTimersByTimeAsync(300_000)

          expect(arrivals).toHaveLength(requests.length)
          expect(mostWithin(arrivals, maxRps < 1 ? 1_000 / maxRps : 1_000)).toBeLessThanOrEqual(
            Math.max(1, maxRps),
          )
        },
      ),
    )
  })

  it.each([
    [0, 4],
    [100, 4.4],
    [1_000, 8],
  ])('is used up to the last request that is safe at a latency of %i ms', async (latencyMs, seconds) => {
    const limiter = limiterOf({ concurrency: 100, maxRps: 25 })
    const asker = new Asker(limiter)
    for (let index = 0; index <= 100; index += 1)
      void asker.ask(String(index)).then(() => later(() => asker.end(String(index)), latencyMs))
    await vi.advanceTimersByTimeAsync(20_000)

    const lastMs = asker.times.at(-1) ?? Infinity
    expect(lastMs).toBeGreaterThanOrEqual(seconds * 1_000)
    expect(lastMs).toBeLessThanOrEqual(seconds * 1_010)
  })
})

/** The most arrivals in a window of this length, in milliseconds, both ends included. */
function mostWithin(arrivals: readonly number[], spanMs: number): number {
  const within = arrivals.map((from) => arrivals.filter((at) => at >= from && at <= from + spanMs).length)
  return Math.max(0, ...within)
}

describe('slowing down', () => {
  /** The current interval between requests. */
  async function gapOf(limiter: RateLimiter): Promise<number> {
    const asker = new Asker(limiter)
    for (const name of ['first', 'second', 'third']) void asker.ask(name).then(() => asker.end(name))
    await vi.advanceTimersByTimeAsync(60_000)
    const [, second = 0, third = 0] = asker.times
    return third - second
  }

  it('sends nothing for as long as asked, also what was waiting for its turn', async () => {
    const asker = new Asker(limiterOf({ concurrency: 8, maxRps: 1_000 }))
    await asker.ask('a')
    asker.limiter.slowDown(3_000, now())
    void asker.ask('b')
    await vi.advanceTimersByTimeAsync(2_999)
    expect(asker.names).toEqual(['a'])

    await vi.advanceTimersByTimeAsync(100)
    expect(asker.names).toEqual(['a', 'b'])
  })

  it('holds back those that had their place in the rate already', async () => {
    const asker = new Asker(limiterOf({ concurrency: 8, maxRps: 1 }))
    void asker.ask('a').then(() => asker.end('a'))
    void asker.ask('b')
    await settled()
    asker.limiter.slowDown(5_000, now())
    await vi.advanceTimersByTimeAsync(4_999)
    expect(asker.names).toEqual(['a'])

    await vi.advanceTimersByTimeAsync(3_000)
    expect(asker.names).toEqual(['a', 'b'])
  })

  it('does not shorten a pause', async () => {
    const asker = new Asker(limiterOf(unlimited))
    asker.limiter.slowDown(5_000, now())
    asker.limiter.slowDown(1_000, now())
    void asker.ask('a')
    await vi.advanceTimersByTimeAsync(4_999)
    expect(asker.names).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(asker.names).toEqual(['a'])
  })

  it('halves the rate; a run without one starts from ten a second', async () => {
    const limited = limiterOf({ concurrency: 8, maxRps: 20 })
    const free = limiterOf(unlimited)
    limited.slowDown(0, now())
    free.slowDown(0, now())

    expect([await gapOf(limited), await gapOf(free)]).toEqual([100, 100])
  })

  it('counts once what many requests that were in flight are told', async () => {
    const limiter = limiterOf({ concurrency: 8, maxRps: 40 })
    const sentAt = now()
    await vi.advanceTimersByTimeAsync(100)
    for (let times = 0; times < 5; times += 1) limiter.slowDown(0, sentAt)
    expect(await gapOf(limiter)).toBe(50)

    limiter.slowDown(0, now())
    expect(await gapOf(limiter)).toBe(100)
  })

  it('goes down to one a second and not below', async () => {
    const limiter = limiterOf(unlimited)
    for (let times = 0; times < 20; times += 1) {
      await vi.advanceTimersByTimeAsync(1)
      limiter.slowDown(0, now())
    }

    expect(await gapOf(limiter)).toBe(1_000)
  })

  // RUN_MAX_RPS may be 0.5.
  it('never makes a run faster than it was allowed to be', async () => {
    const limiter = limiterOf({ concurrency: 8, maxRps: 0.5 })
    expect(await gapOf(limiter)).toBe(2_005)

    limiter.slowDown(0, now())
    expect(await gapOf(limiter)).toBeGreaterThanOrEqual(2_000)
  })

  it('is forgotten little by little with answers that came without complaint, up to the rate at first', async () => {
    const limiter = limiterOf({ concurrency: 8, maxRps: 20 })
    limiter.slowDown(0, now())
    for (let times = 0; times < 50; times += 1) limiter.onSuccess()
    expect(await gapOf(limiter)).toBeCloseTo(1_000 / 15, 0)

    for (let times = 0; times < 1_000; times += 1) limiter.onSuccess()
    expect(await gapOf(limiter)).toBe(50)
  })

  it('is forgotten altogether by a run that had no limit', async () => {
    const limiter = limiterOf(unlimited)
    limiter.slowDown(0, now())
    for (let times = 0; times < 2_000; times += 1) limiter.onSuccess()

    expect(await gapOf(limiter)).toBe(0)
  })

  it('changes nothing for a run that nobody complained about', async () => {
    const limiter = limiterOf({ concurrency: 8, maxRps: 10 })
    for (let times = 0; times < 100; times += 1) limiter.onSuccess()

    expect(await gapOf(limiter)).toBe(100)
  })
})

describe('while everybody waits', () => {
  it('no permit is given, and those who asked go on afterwards, in order', async () => {
    const asker = new Asker(limiterOf(unlimited))
    asker.limiter.pause(1_000)
    for (const name of ['a', 'b', 'c']) void asker.ask(name)
    await vi.advanceTimersByTimeAsync(990)
    expect([asker.names, asker.limiter.active]).toEqual([[], 0])

    await vi.advanceTimersByTimeAsync(20)
    expect(asker.names).toEqual(['a', 'b', 'c'])
    expect(asker.times.every((time) => time >= 1_000)).toBe(true)
  })
})

describe('one at a time', () => {
  it('is how permits are given until it is over', async () => {
    const asker = new Asker(limiterOf(unlimited))
    asker.limiter.oneAtATime(true)
    for (const name of ['a', 'b', 'c', 'd']) void asker.ask(name)
    await settled()
    expect(asker.names).toEqual(['a'])

    asker.end('a')
    await settled()
    expect(asker.names).toEqual(['a', 'b'])

    asker.limiter.oneAtATime(false)
    await settled()
    expect(asker.names).toEqual(['a', 'b', 'c', 'd'])
  })
})
