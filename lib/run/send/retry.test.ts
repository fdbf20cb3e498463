import { beforeEach, describe, expect, it, vi } from 'vitest'
import { fakeTime, later, now } from '../../../tests/support/virtual-time.ts'
import type { Exchange, Response } from '../../http/exchange.ts'
import { TransportError, type TransportErrorKind } from '../../http/transport-error.ts'
import { answer, exchange, refused, served } from '../../judge/testing/exchanges.ts'
import type { Purpose, RequestTraits, TestRequest } from '../plan/test-request.ts'
import { gatewayFailure, mayBeTheRequestsFault } from './trouble.ts'
import { isUnanswered, type SendOptions, type Unanswered } from './pace.ts'
import { FakeConnection, type Outcome } from '../testing/fake-connection.ts'
import { anyRule, inFlight, layers, requestOf, through, type Layers } from '../testing/layers.ts'

beforeEach(() => {
  const end = fakeTime()
  vi.setSystemTime(Date.UTC(2026, 10, 20))
  return end
})

const closed = new TransportError('connection-closed', 'the connection was closed')
const timeout = new TransportError('timeout', 'no answer came')
const unread = new TransportError('undecodable', 'its coding is not known')
const bare = answer(429, { message: 'too many requests' })
const noCode = answer(429, '')

interface Delivered extends Layers {
  readonly connection: FakeConnection
  /** The exchange, or what was thrown. */
  readonly outcome: Exchange | Unanswered | Error
}

interface DeliverOptions {
  readonly request?: TestRequest
  readonly purpose?: Purpose
  readonly limit?: number
  readonly allotted?: number
  readonly more?: Partial<SendOptions>
}

/** Sends one request to a service with these answers, in fake time. */
async function deliver(outcomes: readonly Outcome[], options: DeliverOptions = {}): Promise<Delivered> {
  const { request, purpose = 'case', more } = options
  const connection = new FakeConnection(outcomes)
  const made = layers(options)
  const outcome = await through(made.send(connection, request, { purpose, ...more }))
  return { ...made, connection, outcome }
}

/** The status of an answer, or the kind of what came instead. */
function cameOf({ outcome }: Delivered): number | string {
  if (outcome instanceof Error) return outcome.message
  return isUnanswered(outcome) ? outcome.error.kind : outcome.response.status
}

/** Answers, what comes of them, and the waits between the sendings. */
type Row = [string, readonly Outcome[], number | string, readonly number[], DeliverOptions?]

const all: readonly number[] = [250, 750, 1_500]
const noGaps: readonly number[] = []
const sentBy = (traits: Partial<RequestTraits>, method = 'GET') => ({
  request: requestOf(traits, { method }),
})
const asking = (method?: string) => sentBy({ client: 'exhausted', asksForQuota: true }, method)
const after = (status: number, field: string): Outcome =>
  answer(status, '', { fields: [['Retry-After', field]] })
const gatewayBodies = ['', '<html>', '{}', '{"error_code":1001,"error_message":"a"}']
const refusable = sentBy({ transportMayRefuse: true })
const tooFast = 'the service refused the rate of requests, 6 of 6 times (429)'
const everySecond = Array<number>(5).fill(1_000)

function closing(method: string, gaps: readonly number[]): Row {
  const title = `is sent ${gaps.length + 1} times with ${method}`
  return [title, [closed], 'connection-closed', gaps, sentBy({}, method)]
}
function has(status: number, response: Response, came: number | string = status, gaps = noGaps): Row {
  return [`has ${status} with "${response.text}", and gets ${came}`, [response], came, gaps]
}
function waits(field: string, gap: number): Row {
  return [`waits ${gap} ms after a 429 with "${field}"`, [after(429, field), served], 200, [gap]]
}

it.each<Row>([
  ['is retried three times, after longer and longer waits', [closed], 'connection-closed', all],
  ['is answered by the first retry', [closed, served], 200, [250]],
  ['is answered by the second retry', [closed, closed, served], 200, [250, 750]],
  ['is answered by the last retry', [closed, closed, closed, served], 200, all],
  ['is not sent again for an answer that cannot be decoded', [unread], 'undecodable', []],
  ['is retried once after a timeout, which has cost its patience', [timeout], 'timeout', [250]],
  ['is retried no more after a second failure by timeout', [closed, timeout], 'timeout', [250]],
  ['is retried three times after a first timeout', [timeout, closed], 'connection-closed', all],
  ...['GET', 'HEAD', 'OPTIONS'].map((name) => closing(name, all)),
  // These may have had an effect.
  ...['POST', 'PUT', 'PATCH', 'DELETE'].map((name) => closing(name, [])),
  ['may be refused by closing', [closed], 'connection-closed', [], refusable],
  ['may be refused by silence', [timeout], 'timeout', [], refusable],
  ['may be refused by a gateway', [answer(502, '')], 'gateway', [], refusable],
  ['may not be refused in a handshake', [new TransportError('tls', 'no')], 'tls', all, refusable],
  ...[502, 503, 504, 520, 527, 530].flatMap((status) =>
    gatewayBodies.map((body) => has(status, answer(status, body), 'gateway', all)),
  ),
  ...[502, 503, 504].map((status) => has(status, refused(status, '1006'))),
  ...[500, 501, 505, 408, 404].map((status) => has(status, answer(status, ''))),
  ...['1020', '1006', '1001'].map((code) => has(429, refused(429, code))),
  ['waits as long as a gateway asks', [after(503, '2'), served], 200, [2_000]],
  ['waits for a gateway no shorter than else', [after(503, '0'), served], 200, [250]],
  ['waits for a gateway ten seconds at most', [after(503, '86400'), served], 200, [10_000]],
  ['waits as ever for a gateway that names no time', [after(503, 'soon'), served], 200, [250]],
  ['is slowed down by a 429 without a code', [bare, bare, served], 200, [1_000, 1_000]],
  ['is slowed down by a 429 with an unknown code', [refused(429, 'RATE'), served], 200, [1_000]],
  ['was refused before any effect by a 429', [bare, served], 200, [1_000], sentBy({}, 'POST')],
  ['keeps its retries', [bare, closed, bare, closed, closed, served], 200, [1_000, 250, 1_000, 750, 1_500]],
  ['gets no more of them', [closed, closed, bare, closed], 'connection-closed', [250, 750, 1_000, 1_500]],
  ['is not judged by a 429 that stays', [bare], tooFast, everySecond],
  ...['7', 'Fri, 20 Nov 2026 00:00:07 GMT'].map((field) => waits(field, 7_000)),
  ...['0', '', '-5', 'tomorrow', 'Thu, 19 Nov 2026 23:59:00 GMT'].map((field) => waits(field, 1_000)),
  ...['60', '3600', 'Sat, 20 Nov 2027 00:00:00 GMT'].map((field) => waits(field, 60_000)),
  ['is answered by a 429 that stays, if it asks for a quota', [noCode], 429, [1_000, 1_000], asking()],
  ['is answered by the first one, if it asks by HEAD, which gets no code', [noCode], 429, [], asking('HEAD')],
  ['is too fast if it asks for no quota', [noCode], tooFast, everySecond, sentBy({ client: 'exhausted' })],
  ['is too fast if its client has some', [noCode], tooFast, everySecond, sentBy({ asksForQuota: true })],
])('a request %s', async (_, outcomes, came, gaps, options) => {
  const delivered = await deliver(outcomes, options)
  const { connection, budget, limiter, run } = delivered

  expect([cameOf(delivered), connection.gaps]).toEqual([came, gaps])
  expect(budget.spent()).toMatchObject({ sent: gaps.length + 1, retried: gaps.length, confirming: 0 })
  // Always the same bytes; and an outage is what ends all retries, no more.
  expect(new Set(connection.sent.map(({ request }) => request)).size).toBe(1)
  expect(run.state.kind).toBe(gaps === all && typeof came === 'string' ? 'probing' : 'running')
  expect(limiter.active).toBe(0)
})

describe('a failure', () => {
  it('is left to the caller after one attempt, who may go on later', async () => {
    const { outcome } = await deliver([closed], { more: { once: true } })
    expect(outcome).toEqual({ kind: 'no response', error: closed, attempts: [closed] })
    if (outcome instanceof Error || !isUnanswered(outcome)) throw new Error('it was answered')
    const resumed = await deliver([closed], { purpose: 'retry', more: { after: outcome } })

    expect(resumed.outcome).toMatchObject({ attempts: [closed, closed, closed, closed] })
    expect(resumed.connection.sent[0]?.at).toBeGreaterThanOrEqual(250)
    expect(resumed.connection.gaps).toEqual([750, 1_500])
    expect(resumed.budget.spent()).toMatchObject({ sent: 3, retried: 3 })
  })

  it('is nothing else that is thrown', async () => {
    const bug = new TypeError('a bug of ours')
    const { send, limiter } = layers()
    const connection = new FakeConnection(() => Promise.reject(bug))

    expect(await through(send(connection))).toBe(bug)
    expect([connection.sent.length, limiter.active]).toEqual([1, 0])
  })

  it.each<readonly [boolean, readonly TransportErrorKind[]]>([
    [true, ['timeout', 'connection-closed', 'not-http', 'answer-too-large', 'gateway']],
    [false, ['connection-refused', 'host-not-found', 'connect-timeout', 'unreachable']],
    [false, ['tls', 'proxy', 'undecodable']],
  ])('may be the fault of one request only where a connection stood: %s for %o', (expected, kinds) => {
    for (const kind of kinds) expect(mayBeTheRequestsFault(kind), kind).toBe(expected)
  })

  it('is a 408 on a used connection that has no documented code', () => {
    const failureOf = (response: Response, reused: boolean) =>
      gatewayFailure({ ...exchange(response), reused })
    for (const body of gatewayBodies) {
      expect(failureOf(answer(408, body), true)).toMatchObject({
        kind: 'connection-closed',
        message:
          'a connection that was used before was given up with 408 (Request Timeout) and without the documented error object',
      })
      expect(failureOf(answer(408, body), false)).toBeNull()
    }
    for (const other of [refused(408, '1001'), answer(400, ''), answer(404, ''), answer(500, '')])
      expect(failureOf(other, true)).toBeNull()
    expect(failureOf(answer(502, ''), true)?.message).toBe(
      'a gateway answered 502 in the place of the service',
    )
  })
})

describe('a 429 without a documented code', () => {
  it('slows the others down, too, once for all in flight, and is forgotten little by little', async () => {
    const { send, limiter } = layers()
    const [onSuccess, slowDown] = [vi.spyOn(limiter, 'onSuccess'), vi.spyOn(limiter, 'slowDown')]
    const [first, other] = [new FakeConnection([after(429, '5'), served]), new FakeConnection([served])]
    await vi.advanceTimersByTimeAsync(1_000)
    const began = now()
    const one = send(first)
    await vi.advanceTimersByTimeAsync(100)
    await through(Promise.all([one, send(other)]))

    expect(slowDown.mock.calls).toEqual([[5_000, began - 1]])
    expect(other.sent[0]?.at).toBeGreaterThanOrEqual(began + 5_000)
    expect(onSuccess).toHaveBeenCalledTimes(2)
  })

  it('that answers a question about the quota is asked for alone, after a pause of everybody', async () => {
    const { send, limiter } = layers()
    const pause = vi.spyOn(limiter, 'pause')
    const connection = new FakeConnection([noCode, refused(429, '1020')])
    const endOther = await inFlight(limiter)
    const sending = send(connection, asking().request)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(connection.sent).toHaveLength(1)

    endOther()
    expect(await through(sending)).toMatchObject({ response: { body: { value: { error_code: '1020' } } } })
    expect(pause).toHaveBeenCalledWith(1_000)
  })

  it('that stays such an answer slows nobody down, and is believed at once for that client only', async () => {
    const { send, limiter } = layers()
    const connection = new FakeConnection([noCode])
    const sentFor = async (one: TestRequest): Promise<number> => {
      const before = connection.sent.length
      await through(send(connection, one))
      return connection.sent.length - before
    }

    expect([await sentFor(asking().request), await sentFor(asking().request)]).toEqual([3, 1])
    expect(await sentFor(requestOf({ client: 'disposable', asksForQuota: true }))).toBe(3)
    for (const _ of [1, 2, 3]) void inFlight(limiter)
    expect(limiter.active).toBe(3)
  })
})

describe('what is sent', () => {
  it.each<[DeliverOptions, object, number]>([
    [{ allotted: 5 }, { retried: 1, confirming: 0, byRule: { [anyRule]: 2 } }, 4],
    [{ allotted: 5, purpose: 'confirming' }, { retried: 1, confirming: 1 }, 5],
  ])('with %o is booked for what it was once, and then as a retry', async (options, spent, left) => {
    const { budget } = await deliver([closed, served], options)

    expect(budget.spent()).toMatchObject({ sent: 2, ...spent })
    expect(budget.allottedTo(anyRule)).toBe(left)
  })

  it.each([0, 2])('ends with a budget of %i, in the middle of retries as well', async (limit) => {
    const { connection, outcome, limiter } = await deliver([closed], { limit })

    expect(outcome).toMatchObject({ none: 'budget', purpose: limit === 0 ? 'case' : 'retry' })
    expect([connection.sent.length, limiter.active]).toEqual([limit, 0])
  })

  it('goes out alone when asked', async () => {
    const { send, limiter } = layers()
    const connection = new FakeConnection([served])
    const release = await inFlight(limiter)
    const sending = send(connection, requestOf(), { exclusive: true })
    await vi.advanceTimersByTimeAsync(1_000)
    expect(connection.sent).toHaveLength(0)

    release()
    await through(sending)
    expect(connection.sent).toHaveLength(1)
  })

  it.each([
    ['before anything was sent', served, 0],
    ['while it waits to try again', closed, 100],
    ['while it waits for the rate', noCode, 500],
  ] as const)('is nothing once the run is cancelled %s', async (_, outcome, afterMs) => {
    const reason = new Error('interrupted')
    const cancelled = new AbortController()
    const connection = new FakeConnection([outcome])
    const { send, limiter } = layers({ signal: cancelled.signal })
    if (afterMs === 0) cancelled.abort(reason)
    const rejected = through(send(connection))
    later(() => cancelled.abort(reason), afterMs)

    expect(await rejected).toBe(reason)
    expect([connection.sent.length, limiter.active]).toEqual([afterMs === 0 ? 0 : 1, 0])
  })
})
