import { setMaxListeners } from 'node:events'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Pace } from './pace.ts'

vi.mock('node:timers/promises', () => import('./testing/timers-promises.ts'))

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const never = new AbortController().signal
setMaxListeners(0, never)
const unlimited = { concurrency: 8, maxRps: null }

/** Asks for slots, and writes down when each was given, in milliseconds since the start. */
class Asker {
  readonly pace: Pace
  readonly given: { readonly name: string; readonly at: number; readonly end: () => void }[] = []
  readonly #start = performance.now()

  constructor(pace: Pace) {
    this.pace = pace
  }

  ask(name: string, { exclusive = false, signal = never } = {}): Promise<void> {
    return this.pace.slot(signal, exclusive).then((end) => {
      this.given.push({ name, at: performance.now() - this.#start, end })
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

/** Lets everything happen that needs no time. */
async function settled(): Promise<void> {
  await vi.advanceTimersByTimeAsync(0)
}

describe('how many requests are in flight', () => {
  it('is never more than allowed, over any order of beginnings and ends', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.record({ exclusive: fc.boolean(), ends: fc.nat({ max: 9 }) }), { maxLength: 30 }),
        async (concurrency, asked) => {
          const pace = new Pace({ concurrency, maxRps: null })
          const flying: { readonly exclusive: boolean; readonly end: () => void }[] = []
          const check = (): void => {
            expect(flying.length).toBeLessThanOrEqual(concurrency)
            expect(flying.some(({ exclusive }) => exclusive) && flying.length > 1).toBe(false)
          }
          for (const { exclusive, ends } of asked) {
            void pace.slot(never, exclusive).then((end) => {
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
          expect(pace.active).toBe(0)
        },
      ),
      { numRuns: 100 },
    )
  })

  it('is given to the most urgent first, and else in turn', async () => {
    const pace = new Pace({ concurrency: 1, maxRps: null })
    const given: string[] = []
    const ask = (name: string, urgency: number): Promise<void> =>
      pace.slot(never, false, urgency).then((end) => {
        given.push(name)
        end()
      })
    const end = await pace.slot(never)
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
    const asker = new Asker(new Pace({ concurrency: 2, maxRps: null }))
    for (const name of ['a', 'b', 'c']) void asker.ask(name)
    await settled()

    expect(asker.pace.active).toBe(2)
    asker.end('a')
    asker.end('b')
    await settled()
    expect(asker.pace.active).toBe(1)
  })
})

describe('the order of slots', () => {
  it('is that in which they were asked for', async () => {
    const asker = new Asker(new Pace({ concurrency: 1, maxRps: null }))
    for (const name of ['a', 'b', 'c', 'd']) void asker.ask(name)
    await settled()
    for (const name of ['a', 'b', 'c']) {
      asker.end(name)
      await settled()
    }

    expect(asker.names).toEqual(['a', 'b', 'c', 'd'])
  })

  it('lets an exclusive one wait until nothing is in flight, and everybody behind it wait for it', async () => {
    const asker = new Asker(new Pace(unlimited))
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

describe('a slot that is abandoned', () => {
  it('is refused with the reason, at once where nothing is waited for', async () => {
    const reason = new Error('the run was cancelled')
    const pace = new Pace(unlimited)

    await expect(pace.slot(AbortSignal.abort(reason))).rejects.toBe(reason)
    expect(pace.active).toBe(0)
  })

  it('leaves the queue to the others', async () => {
    const cancelled = new AbortController()
    const reason = new Error('the run was cancelled')
    const asker = new Asker(new Pace({ concurrency: 1, maxRps: null }))
    void asker.ask('a')
    const abandoned = asker.ask('alone', { exclusive: true, signal: cancelled.signal })
    void asker.ask('b')
    await settled()

    cancelled.abort(reason)
    await expect(abandoned).rejects.toBe(reason)
    asker.end('a')
    await settled()
    expect(asker.names).toEqual(['a', 'b'])
  })

  it('lets those behind an exclusive one go at once', async () => {
    const cancelled = new AbortController()
    const asker = new Asker(new Pace({ concurrency: 2, maxRps: null }))
    void asker.ask('a')
    const abandoned = asker.ask('alone', { exclusive: true, signal: cancelled.signal })
    void asker.ask('b')
    await settled()

    cancelled.abort(new Error('cancelled'))
    await expect(abandoned).rejects.toThrow('cancelled')
    await settled()
    expect(asker.names).toEqual(['a', 'b'])
  })

  it('while it waits for its turn in the rate is refused with the reason, too, and ends', async () => {
    const cancelled = new AbortController()
    const reason = new Error('the run was cancelled')
    const asker = new Asker(new Pace({ concurrency: 8, maxRps: 1 }))
    void asker.ask('a')
    const abandoned = asker.ask('b', { signal: cancelled.signal })
    await settled()
    expect(asker.pace.active).toBe(2)

    cancelled.abort(reason)
    await expect(abandoned).rejects.toBe(reason)
    expect(asker.pace.active).toBe(1)
  })

  it('once given is not taken back', async () => {
    const cancelled = new AbortController()
    const asker = new Asker(new Pace({ concurrency: 1, maxRps: null }))
    await asker.ask('a', { signal: cancelled.signal })
    cancelled.abort(new Error('cancelled'))
    void asker.ask('b')
    await settled()

    expect(asker.names).toEqual(['a'])
    asker.end('a')
    await settled()
    expect(asker.names).toEqual(['a', 'b'])
  })
})

describe('the rate', () => {
  it('is not limited where nothing was said', async () => {
    const asker = new Asker(new Pace({ concurrency: 100, maxRps: null }))
    await Promise.all(Array.from({ length: 100 }, (_, index) => asker.ask(String(index))))

    expect(new Set(asker.times)).toEqual(new Set([0]))
  })

  it('spaces requests evenly, and lets nobody save up', async () => {
    const asker = new Asker(new Pace({ concurrency: 100, maxRps: 4 }))
    for (const name of ['a', 'b', 'c']) void asker.ask(name)
    await vi.advanceTimersByTimeAsync(5_000)
    for (const name of ['d', 'e']) void asker.ask(name)
    await vi.advanceTimersByTimeAsync(5_000)

    expect(asker.times).toEqual([0, 250, 500, 5_000, 5_250])
  })

  it('stays below the limit in every second, whatever the requests do', async () => {
    const asker = new Asker(new Pace({ concurrency: 3, maxRps: 10 }))
    for (let index = 0; index < 40; index += 1) {
      void asker.ask(String(index)).then(() => {
        setTimeout(() => asker.end(String(index)), (index * 37) % 200)
      })
    }
    await vi.advanceTimersByTimeAsync(20_000)

    expect(asker.times).toHaveLength(40)
    for (const [index, at] of asker.times.entries()) {
      const within = asker.times.slice(index).filter((other) => other < at + 1_000)
      expect(within.length).toBeLessThanOrEqual(10)
    }
  })
})

describe('slowing down', () => {
  /** How far apart requests go out now. */
  async function gapOf(pace: Pace): Promise<number> {
    const asker = new Asker(pace)
    for (const name of ['first', 'second', 'third']) void asker.ask(name)
    await vi.advanceTimersByTimeAsync(60_000)
    for (const { end } of asker.given) end()
    const [, second = 0, third = 0] = asker.times
    return third - second
  }

  it('sends nothing for as long as asked, also what was waiting for its turn', async () => {
    const asker = new Asker(new Pace({ concurrency: 8, maxRps: 1_000 }))
    await asker.ask('a')
    asker.pace.slowDown(3_000, performance.now())
    void asker.ask('b')
    await vi.advanceTimersByTimeAsync(2_999)
    expect(asker.names).toEqual(['a'])

    await vi.advanceTimersByTimeAsync(100)
    expect(asker.names).toEqual(['a', 'b'])
  })

  it('holds back those that had their place in the rate already', async () => {
    const asker = new Asker(new Pace({ concurrency: 8, maxRps: 1 }))
    void asker.ask('a')
    void asker.ask('b')
    await settled()
    asker.pace.slowDown(5_000, performance.now())
    await vi.advanceTimersByTimeAsync(4_999)
    expect(asker.names).toEqual(['a'])

    await vi.advanceTimersByTimeAsync(3_000)
    expect(asker.names).toEqual(['a', 'b'])
  })

  it('does not shorten a pause', async () => {
    const asker = new Asker(new Pace(unlimited))
    asker.pace.slowDown(5_000, performance.now())
    asker.pace.slowDown(1_000, performance.now())
    void asker.ask('a')
    await vi.advanceTimersByTimeAsync(4_999)
    expect(asker.names).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(asker.names).toEqual(['a'])
  })

  it('halves the rate; a run without one starts from ten a second', async () => {
    const limited = new Pace({ concurrency: 8, maxRps: 20 })
    const free = new Pace(unlimited)
    limited.slowDown(0, performance.now())
    free.slowDown(0, performance.now())

    expect([await gapOf(limited), await gapOf(free)]).toEqual([100, 100])
  })

  it('counts once what many requests that were in flight are told', async () => {
    const pace = new Pace({ concurrency: 8, maxRps: 40 })
    const sentAt = performance.now()
    await vi.advanceTimersByTimeAsync(100)
    for (let times = 0; times < 5; times += 1) pace.slowDown(0, sentAt)
    expect(await gapOf(pace)).toBe(50)

    pace.slowDown(0, performance.now())
    expect(await gapOf(pace)).toBe(100)
  })

  it('goes down to one a second and not below', async () => {
    const pace = new Pace(unlimited)
    for (let times = 0; times < 20; times += 1) {
      await vi.advanceTimersByTimeAsync(1)
      pace.slowDown(0, performance.now())
    }

    expect(await gapOf(pace)).toBe(1_000)
  })

  // RUN_MAX_RPS may be 0.5.
  it('never makes a run faster than it was allowed to be', async () => {
    const pace = new Pace({ concurrency: 8, maxRps: 0.5 })
    expect(await gapOf(pace)).toBe(2_000)

    pace.slowDown(0, performance.now())
    expect(await gapOf(pace)).toBeGreaterThanOrEqual(2_000)
  })

  it('is forgotten little by little with answers that came without complaint, up to the rate at first', async () => {
    const pace = new Pace({ concurrency: 8, maxRps: 20 })
    pace.slowDown(0, performance.now())
    for (let times = 0; times < 50; times += 1) pace.wasFine()
    expect(await gapOf(pace)).toBeCloseTo(1_000 / 15, 0)

    for (let times = 0; times < 1_000; times += 1) pace.wasFine()
    expect(await gapOf(pace)).toBe(50)
  })

  it('is forgotten altogether by a run that had no limit', async () => {
    const pace = new Pace(unlimited)
    pace.slowDown(0, performance.now())
    for (let times = 0; times < 2_000; times += 1) pace.wasFine()

    expect(await gapOf(pace)).toBe(0)
  })

  it('changes nothing for a run that nobody complained about', async () => {
    const pace = new Pace({ concurrency: 8, maxRps: 10 })
    for (let times = 0; times < 100; times += 1) pace.wasFine()

    expect(await gapOf(pace)).toBe(100)
  })
})

describe('while everybody waits', () => {
  it('no slot is given, and those who asked go on afterwards, in order', async () => {
    const asker = new Asker(new Pace(unlimited))
    asker.pace.hold(1_000)
    for (const name of ['a', 'b', 'c']) void asker.ask(name)
    await vi.advanceTimersByTimeAsync(990)
    expect([asker.names, asker.pace.active]).toEqual([[], 0])

    await vi.advanceTimersByTimeAsync(20)
    expect(asker.names).toEqual(['a', 'b', 'c'])
    expect(asker.times.every((time) => time >= 1_000)).toBe(true)
  })
})

describe('one at a time', () => {
  it('is how slots are given until it is over', async () => {
    const asker = new Asker(new Pace(unlimited))
    asker.pace.narrow(true)
    for (const name of ['a', 'b', 'c', 'd']) void asker.ask(name)
    await settled()
    expect(asker.names).toEqual(['a'])

    asker.end('a')
    await settled()
    expect(asker.names).toEqual(['a', 'b'])

    asker.pace.narrow(false)
    await settled()
    expect(asker.names).toEqual(['a', 'b', 'c', 'd'])
  })
})
