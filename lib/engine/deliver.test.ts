import { setMaxListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Exchange } from '../http/exchange.ts'
import type { Connection } from '../http/transport.ts'
import { TransportError, type TransportErrorKind } from '../http/transport-error.ts'
import { answer, exchange, refused, requestWith, served } from '../judge/testing/exchanges.ts'
import { Budget, type Purpose } from './budget.ts'
import { Delivery, AttemptsFailed, type Sending } from './deliver.ts'
import { Pace } from './pace.ts'
import { mayBeTheRequestsFault } from './sent-again.ts'
import { TestRequest, type RequestTraits } from './test-request.ts'
import { FakeConnection, type Outcome } from './testing/fake-connection.ts'
import { RunEnded, Inconclusive } from './inconclusive.ts'

vi.mock('node:timers/promises', () => import('./testing/timers-promises.ts'))

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'],
    now: Date.UTC(2026, 10, 20),
  })
})
afterEach(() => {
  vi.useRealTimers()
})

const rule = 'authentication/api-key-missing'
const closed = new TransportError('connection-closed', 'the connection was closed')
const timeout = new TransportError('timeout', 'no answer came')

function stimulus(method = 'GET', traits: Partial<RequestTraits> = {}): TestRequest {
  return new TestRequest(requestWith({ method }), {
    client: 'target',
    endpoint: 'GET /api/customizations/list',
    plain: false,
    observed: false,
    transportMayRefuse: false,
    mayRedirect: false,
    asksForQuota: false,
    ...traits,
  })
}

interface Delivered {
  readonly connection: FakeConnection
  readonly budget: Budget
  readonly pace: Pace
  /** The answer, or what was thrown. */
  readonly outcome: Exchange | Error
}

interface Options {
  readonly one?: TestRequest
  readonly purpose?: Purpose
  readonly limit?: number
  readonly allotted?: number
  readonly more?: Partial<Sending>
}

/** Delivers one stimulus to a service that answers so, however long it takes. */
async function deliver(outcomes: readonly Outcome[], options: Options = {}): Promise<Delivered> {
  const { one = stimulus(), purpose = 'case', limit = 100, allotted = 0, more = {} } = options
  const connection = new FakeConnection(outcomes)
  const budget = new Budget(limit, { [rule]: allotted })
  const pace = new Pace({ concurrency: 8, maxRps: null })
  const delivery = new Delivery(budget, pace)
  const outcome = await through(
    delivery.deliver(one, { rule, purpose, connection, signal: new AbortController().signal, ...more }),
  )
  return { connection, budget, pace, outcome }
}

/** Lets the time pass until something has come of it. */
async function through<Value>(work: Promise<Value>): Promise<Value | Error> {
  const outcome = work.then(
    (value) => value,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  )
  await vi.advanceTimersByTimeAsync(3_600_000)
  return outcome
}

function statusOf({ outcome }: Delivered): number | string {
  return outcome instanceof Error ? outcome.message : outcome.response.status
}

const kindNames: readonly TransportErrorKind[] = [
  'connection-refused',
  'host-not-found',
  'connect-timeout',
  'unreachable',
  'tls',
  'proxy',
  'timeout',
  'connection-closed',
  'not-http',
  'answer-too-large',
  'undecodable',
  'gateway',
]

describe('trouble', () => {
  it('is retried three times at most, each time after a longer wait', async () => {
    const { connection, outcome } = await deliver([closed])

    expect(connection.sent).toHaveLength(4)
    expect(connection.gaps.toSorted((a, b) => a - b)).toEqual(connection.gaps)
    expect(new Set(connection.gaps).size).toBe(3)
    expect(connection.gaps.every((gap) => gap >= 100)).toBe(true)
    expect(outcome).toBeInstanceOf(AttemptsFailed)
    expect(outcome).toMatchObject({
      trouble: closed,
      tries: 4,
      message: 'no answer came, 4 of 4 times: the connection was closed',
    })
  })

  it.each([1, 2, 3])('is forgotten when an answer comes at the retry %i', async (retry) => {
    const delivered = await deliver([...Array.from({ length: retry }, () => closed), served])

    expect(statusOf(delivered)).toBe(200)
    expect(delivered.connection.sent).toHaveLength(retry + 1)
    expect(delivered.budget.spent()).toMatchObject({ sent: retry + 1, retried: retry, confirming: 0 })
  })

  it('sends the same bytes again', async () => {
    const { connection } = await deliver([closed, served])

    expect(connection.sent[1]?.request).toBe(connection.sent[0]?.request)
  })

  it('is retried once only where it was a timeout, which has cost its patience already', async () => {
    expect((await deliver([timeout])).connection.sent).toHaveLength(2)
    expect((await deliver([closed, timeout])).connection.sent).toHaveLength(2)
    expect((await deliver([timeout, closed])).connection.sent).toHaveLength(4)
  })

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'is not retried for %s, which may have had an effect',
    async (method) => {
      const { connection, outcome } = await deliver([closed], { one: stimulus(method) })

      expect(connection.sent).toHaveLength(1)
      expect(outcome).toMatchObject({ name: 'AttemptsFailed', tries: 1 })
    },
  )

  it.each(['GET', 'HEAD', 'OPTIONS'])('is retried for %s', async (method) => {
    expect((await deliver([closed], { one: stimulus(method) })).connection.sent).toHaveLength(4)
  })

  it('is retried no more often than asked', async () => {
    expect((await deliver([closed], { more: { retries: 0 } })).connection.sent).toHaveLength(1)
    expect((await deliver([timeout], { more: { retries: 0 } })).connection.sent).toHaveLength(1)
    expect((await deliver([closed], { more: { retries: 2 } })).connection.sent).toHaveLength(3)
  })

  it('may be the fault of one request only where a connection stood', () => {
    const kinds: Readonly<Record<TransportErrorKind, boolean>> = {
      'connection-refused': false,
      'host-not-found': false,
      'connect-timeout': false,
      unreachable: false,
      tls: false,
      proxy: false,
      timeout: true,
      'connection-closed': true,
      'not-http': true,
      'answer-too-large': true,
      undecodable: false,
      gateway: true,
    }
    for (const kind of kindNames) expect(mayBeTheRequestsFault(kind), kind).toBe(kinds[kind])
  })

  it('is nothing else that is thrown', async () => {
    const bug = new TypeError('a bug of ours')
    const connection = new FakeConnection(() => {
      throw bug
    })
    const pace = new Pace({ concurrency: 1, maxRps: null })
    const delivery = new Delivery(new Budget(10, {}), pace)
    const outcome = await through(
      delivery.deliver(stimulus(), {
        rule,
        purpose: 'case',
        connection,
        signal: new AbortController().signal,
      }),
    )

    expect(outcome).toBe(bug)
    expect(connection.sent).toHaveLength(1)
    expect(pace.active).toBe(0)
  })
})

describe('trouble that is nothing new', () => {
  /** How long another request waits after six requests met trouble at the same time. */
  async function heldFor(met: TransportError, more: Partial<Sending>): Promise<number> {
    const pace = new Pace({ concurrency: 8, maxRps: null })
    const delivery = new Delivery(new Budget(100, {}), pace)
    const { signal } = new AbortController()
    const sending = { rule, purpose: 'case', connection: new FakeConnection([met]), signal } as const
    const six = Array.from({ length: 6 }, () =>
      delivery.deliver(stimulus(), { ...sending, retries: 0, ...more }),
    )
    void Promise.allSettled(six)
    await vi.advanceTimersByTimeAsync(0)
    const began = performance.now()
    const other = new FakeConnection([served])
    await through(delivery.deliver(stimulus(), { ...sending, connection: other }))
    return (other.sent[0]?.at ?? Infinity) - began
  }

  it('holds nobody up, unlike an outage', async () => {
    expect(await heldFor(closed, {})).toBeGreaterThan(0)
    expect(await heldFor(closed, { expectsTrouble: true })).toBe(0)
    expect(await heldFor(timeout, { expectsTrouble: true })).toBe(0)
  })

  it('is an outage all the same where no connection comes about', async () => {
    const refusedThere = new TransportError('connection-refused', 'nobody listens')

    expect(await heldFor(refusedThere, { expectsTrouble: true })).toBeGreaterThan(0)
  })
})

describe('whether it is sent again', () => {
  it('is asked before each retry, and believed', async () => {
    const asked: number[] = []
    const more = {
      retryWhen: async () => {
        asked.push(performance.now())
        return asked.length < 3
      },
    }
    const { connection, outcome } = await deliver([closed], { more })

    expect([connection.sent.length, asked.length]).toEqual([3, 3])
    expect(outcome).toMatchObject({ tries: 3, trouble: closed })
  })

  it('is not asked where an answer came', async () => {
    const more = { retryWhen: () => Promise.reject(new Error('asked')) }

    expect(statusOf(await deliver([served], { more }))).toBe(200)
  })
})

describe('a request that the transport may refuse', () => {
  it.each(['connection-closed', 'gateway', 'timeout'] as const)(
    'is not sent again after: %s',
    async (kind) => {
      const one = stimulus('GET', { transportMayRefuse: true })
      const { connection, outcome } = await deliver([new TransportError(kind, 'no answer')], { one })

      expect(connection.sent).toHaveLength(1)
      expect(outcome).toBeInstanceOf(AttemptsFailed)
    },
  )

  it('is sent again after other trouble', async () => {
    const one = stimulus('GET', { transportMayRefuse: true })

    expect((await deliver([new TransportError('tls', 'no answer')], { one })).connection.sent).toHaveLength(4)
  })
})

describe('a gateway', () => {
  it.each([502, 503, 504])('that answers %i without the error object is trouble', async (status) => {
    for (const body of ['', '<html>', '{}', '{"error_code":1001,"error_message":"a"}']) {
      const { connection, outcome } = await deliver([answer(status, body)])
      expect(connection.sent).toHaveLength(4)
      expect(outcome).toMatchObject({ trouble: { kind: 'gateway' } })
    }
  })

  it.each([502, 503, 504])('is not what answers %i with the documented error object', async (status) => {
    const delivered = await deliver([refused(status, '1006')])

    expect(statusOf(delivered)).toBe(status)
    expect(delivered.connection.sent).toHaveLength(1)
  })

  it.each([500, 501, 505, 408, 404])('is not what answers %i', async (status) => {
    const delivered = await deliver([answer(status, '')])

    expect(statusOf(delivered)).toBe(status)
    expect(delivered.connection.sent).toHaveLength(1)
  })

  it('is waited for as long as it asks, within ten seconds', async () => {
    const busy = (after: string): Outcome => answer(503, '', { fields: [['Retry-After', after]] })

    expect((await deliver([busy('2'), served])).connection.gaps).toEqual([2_000])
    expect((await deliver([busy('0'), served])).connection.gaps).toEqual([250])
    expect((await deliver([busy('86400'), served])).connection.gaps).toEqual([10_000])
    expect((await deliver([busy('soon'), served])).connection.gaps).toEqual([250])
  })
})

describe('a 429 without a documented code', () => {
  const bare = answer(429, { message: 'too many requests' })
  const bareWith = (after: string): Outcome => answer(429, '', { fields: [['retry-after', after]] })

  it('slows down and is sent again', async () => {
    const delivered = await deliver([bare, bare, served])

    expect(statusOf(delivered)).toBe(200)
    expect(delivered.budget.spent()).toMatchObject({ sent: 3, retried: 2 })
    expect(delivered.connection.gaps.every((gap) => gap >= 1_000)).toBe(true)
  })

  it('slows the others down, too', async () => {
    const pace = new Pace({ concurrency: 8, maxRps: null })
    const delivery = new Delivery(new Budget(10, {}), pace)
    const signal = new AbortController().signal
    const first = new FakeConnection([bareWith('5'), served])
    const other = new FakeConnection([served])

    const one = delivery.deliver(stimulus(), { rule, purpose: 'case', connection: first, signal })
    await vi.advanceTimersByTimeAsync(100)
    const another = delivery.deliver(stimulus(), { rule, purpose: 'case', connection: other, signal })
    await through(Promise.all([one, another]))
    expect(other.sent[0]?.at).toBeGreaterThanOrEqual((first.sent[0]?.at ?? 0) + 5_000)
  })

  it('is waited for as long as it asks, in seconds or until a date', async () => {
    const inSeven = new Date(Date.now() + 7_000).toUTCString()

    expect((await deliver([bareWith('7'), served])).connection.gaps).toEqual([7_000])
    vi.setSystemTime(Date.UTC(2026, 10, 20))
    expect((await deliver([bareWith(inSeven), served])).connection.gaps).toEqual([7_000])
  })

  it('is waited for a second at least, and a minute at most', async () => {
    const past = new Date(Date.now() - 60_000).toUTCString()
    const gapAfter = async (after: string): Promise<number | undefined> =>
      (await deliver([bareWith(after), served])).connection.gaps[0]

    expect(await gapAfter('0')).toBe(1_000)
    expect(await gapAfter(past)).toBe(1_000)
    expect(await gapAfter('')).toBe(1_000)
    expect(await gapAfter('-5')).toBe(1_000)
    expect(await gapAfter('tomorrow')).toBe(1_000)
    expect(await gapAfter('60')).toBe(60_000)
    expect(await gapAfter('3600')).toBe(60_000)
    expect(await gapAfter(new Date(Date.now() + 36_000_000_000).toUTCString())).toBe(60_000)
  })

  it('that stays is no answer to judge, and not trouble either', async () => {
    const { outcome, connection, budget } = await deliver([bare])

    expect(outcome).toBeInstanceOf(Inconclusive)
    expect(outcome).not.toBeInstanceOf(AttemptsFailed)
    expect(outcome).toMatchObject({
      message: `the service refused the rate of requests, ${connection.sent.length} of ${connection.sent.length} times (429)`,
    })
    expect(connection.sent.length).toBeGreaterThan(2)
    expect(connection.sent.length).toBeLessThanOrEqual(10)
    expect(budget.spent().sent).toBe(connection.sent.length)
  })

  it.each(['1020', '1006', '1001'])(
    'is not one with the code %s, which is an answer at once',
    async (code) => {
      const delivered = await deliver([refused(429, code)])

      expect(statusOf(delivered)).toBe(429)
      expect(delivered.connection.sent).toHaveLength(1)
    },
  )

  it('is one with a code that is not documented', async () => {
    expect(statusOf(await deliver([refused(429, 'RATE'), served]))).toBe(200)
  })

  it('does not use up the retries after trouble, nor the other way round', async () => {
    const delivered = await deliver([bare, closed, bare, closed, closed, served])

    expect(statusOf(delivered)).toBe(200)
  })

  it('is sent again also with a method that has effects: it was refused before it had any', async () => {
    expect(statusOf(await deliver([bare, served], { one: stimulus('POST') }))).toBe(200)
  })
})

describe('an outage of many requests', () => {
  const gateway = new TransportError('gateway', 'a gateway answered 502')
  const over = new RunEnded('the service stopped answering')
  const waiting = 40

  /** Forty requests of which none is answered; `first` sees the first one that gives up. */
  async function inOutage(first: (delivery: Delivery, sent: number) => void): Promise<{
    readonly connection: FakeConnection
    readonly outcomes: readonly (Exchange | Error)[]
    /** When the first one gave up, in milliseconds. */
    readonly gaveUpAt: number
    readonly endedAt: number
  }> {
    const connection = new FakeConnection([gateway])
    const delivery = new Delivery(new Budget(1_000, {}), new Pace({ concurrency: 8, maxRps: null }))
    const { signal } = new AbortController()
    setMaxListeners(0, signal)
    const began = performance.now()
    let [gaveUpAt, endedAt] = [Number.POSITIVE_INFINITY, 0]
    const all = Array.from({ length: waiting }, async () => {
      try {
        return await delivery.deliver(stimulus(), { rule, purpose: 'case', connection, signal })
      } catch (error) {
        endedAt = performance.now() - began
        if (gaveUpAt === Number.POSITIVE_INFINITY) {
          gaveUpAt = endedAt
          first(delivery, connection.sent.length)
        }
        throw error
      }
    })
    const outcomes = await Promise.all(all.map((one) => through(one)))
    return { connection, outcomes, gaveUpAt, endedAt }
  }

  it('lets one come to an end of its tries soon, whoever else waits', async () => {
    const { gaveUpAt } = await inOutage(() => {})

    expect(gaveUpAt).toBeLessThanOrEqual(8_000)
  })

  it('rejects all that wait, unsent, once nothing more is sent', async () => {
    let sentBefore = 0
    const { connection, outcomes, gaveUpAt, endedAt } = await inOutage((delivery, sent) => {
      delivery.end(over)
      sentBefore = sent
    })

    expect(connection.sent).toHaveLength(sentBefore)
    expect(outcomes.filter((outcome) => outcome === over)).toHaveLength(waiting - 1)
    expect(endedAt - gaveUpAt).toBeLessThanOrEqual(2_000)
  })

  it('lets a plain valid request go first', async () => {
    const connection = new FakeConnection([gateway])
    const delivery = new Delivery(new Budget(1_000, {}), new Pace({ concurrency: 8, maxRps: null }))
    const { signal } = new AbortController()
    setMaxListeners(0, signal)
    const sending = { rule, connection, signal } as const
    const others = Array.from({ length: waiting }, () =>
      through(delivery.deliver(stimulus(), { ...sending, purpose: 'case' })),
    )
    await vi.advanceTimersByTimeAsync(300)
    const control = stimulus('HEAD')
    const before = connection.sent.length

    const asked = through(delivery.deliver(control, { ...sending, purpose: 'health-check' }))
    await Promise.all([asked, ...others])

    const next = connection.sent.slice(before, before + 5).map(({ request }) => request.method)
    expect(next.filter((method) => method === 'HEAD').length).toBeGreaterThanOrEqual(4)
  })
})

describe('a 429 without a code, where 1020 is asked for', () => {
  const bare = answer(429, '')
  const asking = stimulus('GET', { client: 'exhausted', asksForQuota: true })

  it('is sent again in case it was only the rate', async () => {
    const delivered = await deliver([bare, refused(429, '1020')], { one: asking })

    expect(delivered.outcome).toMatchObject({ response: { body: { value: { error_code: '1020' } } } })
    expect(delivered.connection.gaps.every((gap) => gap >= 1_000)).toBe(true)
  })

  it('is an answer to be judged when it stays', async () => {
    const delivered = await deliver([bare], { one: asking })

    expect(statusOf(delivered)).toBe(429)
    expect(delivered.connection.sent.length).toBeGreaterThan(1)
    expect(delivered.connection.sent.length).toBeLessThanOrEqual(4)
  })

  it('is believed at once from then on, for that client only', async () => {
    const connection = new FakeConnection([bare])
    const delivery = new Delivery(new Budget(100, {}), new Pace({ concurrency: 8, maxRps: null }))
    const { signal } = new AbortController()
    setMaxListeners(0, signal)
    const sending = { rule, purpose: 'case', connection, signal } as const
    const sentFor = async (one: TestRequest): Promise<number> => {
      const before = connection.sent.length
      await through(delivery.deliver(one, sending))
      return connection.sent.length - before
    }

    const first = await sentFor(asking)
    expect(first).toBeGreaterThan(1)
    expect(await sentFor(asking)).toBe(1)
    expect(await sentFor(stimulus('GET', { client: 'disposable', asksForQuota: true }))).toBe(first)
  })

  it('does not slow the others down', async () => {
    const { pace } = await deliver([bare], { one: asking })
    // Everybody paused while it was tried; nobody is slower for it afterwards.
    await vi.advanceTimersByTimeAsync(2_000)
    const free: number[] = []
    for (const one of [1, 2, 3]) void pace.slot(new AbortController().signal).then(() => free.push(one))
    await vi.advanceTimersByTimeAsync(0)

    expect(free).toEqual([1, 2, 3])
  })
})

describe('what is sent', () => {
  it('is booked for what it was once, and as a retry from then on', async () => {
    const asCase = await deliver([closed, closed, served], { allotted: 1 })
    const toConfirm = await deliver([closed, served], { purpose: 'confirming' })
    const control = await deliver([served], { purpose: 'health-check' })

    expect(asCase.budget.spent()).toEqual({ sent: 3, retried: 2, confirming: 0, byRule: { [rule]: 3 } })
    expect(asCase.budget.allottedTo(rule)).toBe(0)
    expect(toConfirm.budget.spent()).toMatchObject({ sent: 2, retried: 1, confirming: 1 })
    expect(control.budget.spent()).toMatchObject({ sent: 1, retried: 0, confirming: 0 })
  })

  it('never takes the cases of its rule for retries', async () => {
    const { budget } = await deliver([closed, served], { allotted: 5 })

    expect(budget.allottedTo(rule)).toBe(4)
  })

  it('ends with the budget, in the middle of retries as well', async () => {
    const { connection, outcome, pace } = await deliver([closed], { limit: 2 })

    expect(connection.sent).toHaveLength(2)
    expect(outcome).toBeInstanceOf(Inconclusive)
    expect(outcome).not.toBeInstanceOf(AttemptsFailed)
    expect(outcome).toMatchObject({
      message: expect.stringContaining('the budget of 2 requests was used up'),
    })
    expect(pace.active).toBe(0)
  })

  it('is nothing at all without a budget', async () => {
    expect((await deliver([served], { limit: 0 })).connection.sent).toHaveLength(0)
  })

  it('frees its slot whatever comes of it', async () => {
    for (const outcomes of [[served], [closed], [answer(429, '')], [answer(503, '')]]) {
      expect((await deliver(outcomes)).pace.active).toBe(0)
    }
  })

  it('goes out alone when asked', async () => {
    const pace = new Pace({ concurrency: 8, maxRps: null })
    const delivery = new Delivery(new Budget(10, {}), pace)
    const signal = new AbortController().signal
    const end = await pace.slot(signal)
    const connection = new FakeConnection([served])
    const sending = delivery.deliver(stimulus(), {
      rule,
      purpose: 'case',
      connection,
      signal,
      exclusive: true,
    })
    await vi.advanceTimersByTimeAsync(1_000)
    expect(connection.sent).toHaveLength(0)

    end()
    await through(sending)
    expect(connection.sent).toHaveLength(1)
  })
})

describe('a run that is cancelled', () => {
  it.each([
    ['before anything was sent', served, 0],
    ['while it waits to try again after trouble', closed, 100],
    ['while it waits for the rate', answer(429, ''), 500],
  ] as const)('%s rejects with the reason and sends nothing more', async (_, outcome, afterMs) => {
    const reason = new Error('interrupted')
    const cancelled = new AbortController()
    const connection = new FakeConnection([outcome])
    const pace = new Pace({ concurrency: 8, maxRps: null })
    const delivery = new Delivery(new Budget(10, {}), pace)
    if (afterMs === 0) cancelled.abort(reason)
    const rejected = through(
      delivery.deliver(stimulus(), { rule, purpose: 'case', connection, signal: cancelled.signal }),
    )
    setTimeout(() => cancelled.abort(reason), afterMs)

    expect(await rejected).toBe(reason)
    expect(connection.sent).toHaveLength(afterMs === 0 ? 0 : 1)
    expect(pace.active).toBe(0)
  })
})

describe('an outage', () => {
  it('costs a handful of requests, however many cases wait', async () => {
    const budget = new Budget(1_000, { [rule]: 200 })
    const pace = new Pace({ concurrency: 8, maxRps: null })
    const delivery = new Delivery(budget, pace)
    let met = 0
    const began = performance.now()
    const connection: Connection = {
      send: async (request) => {
        await new Promise((resolve) => setTimeout(resolve, 5))
        if (performance.now() - began < 2_000) {
          met += 1
          throw closed
        }
        return { ...exchange(served), request }
      },
      close: () => Promise.resolve(),
    }
    const { signal } = new AbortController()
    setMaxListeners(0, signal)
    const sending = { rule, purpose: 'case', connection, signal } as const
    const outcomes = await through(
      Promise.all(Array.from({ length: 200 }, () => delivery.deliver(stimulus(), sending))),
    )

    expect(outcomes).toHaveLength(200)
    expect(met).toBeLessThan(30)
    expect(met).toBeGreaterThan(8)
  })
})

describe('connections that are closed', () => {
  async function fewerAfter(
    outcomes: readonly Outcome[],
    { reused = false } = {},
  ): Promise<readonly number[]> {
    const connection = new FakeConnection(outcomes, reused)
    const fewer: number[] = []
    const delivery = new Delivery(
      new Budget(1_000, {}),
      new Pace({ concurrency: 8, maxRps: null }),
      (connections) => fewer.push(connections),
    )
    while (connection.sent.length < outcomes.length) {
      const { signal } = new AbortController()
      await through(delivery.deliver(stimulus(), { rule, purpose: 'health-check', connection, signal }))
    }
    return fewer
  }
  const servedTimes = (times: number): readonly Outcome[] => Array.from({ length: times }, () => served)

  it('are fewer from then on, once, where several are closed among few answers', async () => {
    expect(await fewerAfter([closed, served, closed, served])).toEqual([])
    expect(await fewerAfter([closed, served, closed, served, closed, served, closed, served])).toEqual([2])
    expect(await fewerAfter([closed, closed, closed, served, closed, closed, served])).toEqual([2])
  })

  it('count where a new one is answered with 503, and no used one nor any other gateway trouble', async () => {
    const refusals = [answer(503, ''), answer(503, ''), answer(503, ''), served]
    expect(await fewerAfter(refusals)).toEqual([2])
    expect(await fewerAfter(refusals, { reused: true })).toEqual([])
    expect(await fewerAfter([answer(502, ''), answer(502, ''), answer(502, ''), served])).toEqual([])
  })

  it('now and then in a long run are as many as before', async () => {
    const nowAndThen = Array.from({ length: 20 }, () => [closed, ...servedTimes(25)]).flat()

    expect(await fewerAfter(nowAndThen)).toEqual([])
  })
})
