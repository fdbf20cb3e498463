import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { later, now } from '../../../tests/support/virtual-time.ts'
import type { Exchange } from '../../http/exchange.ts'
import { TransportError, type TransportErrorKind } from '../../http/transport-error.ts'
import { answer, exchange, refused, served } from '../../judge/testing/exchanges.ts'
import type { Purpose } from '../plan/test-request.ts'
import { Inconclusive } from '../plan/errors.ts'
import { gatewayFailure, mayBeTheRequestsFault } from './failures.ts'
import { isUnanswered, type SendOptions, type Unanswered } from './send.ts'
import type { TestRequest } from '../plan/test-request.ts'
import { FakeConnection, type Outcome } from '../testing/fake-connection.ts'
import { anyRule, inFlight, layers, requestOf, through, type Layers } from '../testing/layers.ts'

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'],
    now: Date.UTC(2026, 10, 20),
  })
})
afterEach(() => {
  vi.useRealTimers()
})

const closed = new TransportError('connection-closed', 'the connection was closed')
const timeout = new TransportError('timeout', 'no answer came')

interface Delivered extends Layers {
  readonly connection: FakeConnection
  /** The exchange, or what was thrown. */
  readonly outcome: Exchange | Unanswered | Error
}

/** Sends one request to a service with these answers, in fake time. */
async function deliver(
  outcomes: readonly Outcome[],
  options: {
    readonly request?: TestRequest
    readonly purpose?: Purpose
    readonly limit?: number
    readonly allotted?: number
    readonly more?: Partial<SendOptions>
  } = {},
): Promise<Delivered> {
  const { request, purpose = 'case', more } = options
  const connection = new FakeConnection(outcomes)
  const made = layers(options)
  const outcome = await through(made.send(connection, request, { purpose, ...more }))
  return { ...made, connection, outcome }
}

async function attempts(
  outcomes: readonly Outcome[],
  options: Parameters<typeof deliver>[1] = {},
): Promise<number> {
  return (await deliver(outcomes, options)).connection.sent.length
}

function statusOf({ outcome }: Delivered): number | string {
  if (outcome instanceof Error) return outcome.message
  return isUnanswered(outcome) ? outcome.error.message : outcome.response.status
}

describe('a failure', () => {
  it('is retried three times at most, each time after a longer wait', async () => {
    const { connection, outcome } = await deliver([closed])

    expect(connection.gaps).toEqual([250, 750, 1_500])
    expect(outcome).toEqual({
      kind: 'no response',
      error: closed,
      attempts: [closed, closed, closed, closed],
    })
  })

  it('is final where an answer came that cannot be decoded, and is no outage', async () => {
    const unread = new TransportError('undecodable', 'its coding is not known')
    const { connection, outcome, run } = await deliver([unread])

    expect(connection.sent).toHaveLength(1)
    expect(outcome).toEqual({ kind: 'no response', error: unread, attempts: [unread] })
    expect(run.state.kind).toBe('running')
  })

  it.each([1, 2, 3])('is forgotten when a response comes at the retry %i', async (retry) => {
    const delivered = await deliver([...Array.from({ length: retry }, () => closed), served])

    expect(statusOf(delivered)).toBe(200)
    expect(delivered.budget.spent()).toMatchObject({ sent: retry + 1, retried: retry, confirming: 0 })
  })

  it('makes the same bytes be sent again', async () => {
    const { connection } = await deliver([closed, served])

    expect(connection.sent[1]?.request).toBe(connection.sent[0]?.request)
  })

  it.each([
    ['a timeout, which has cost its patience already', [timeout], 2],
    ['a timeout at last', [closed, timeout], 2],
    ['a timeout at first', [timeout, closed], 4],
  ] as const)('is retried once only where it was %s', async (_, outcomes, sent) => {
    expect(await attempts(outcomes)).toBe(sent)
  })

  it.each([
    ['POST', 1],
    ['PUT', 1],
    ['PATCH', 1],
    ['DELETE', 1],
    ['GET', 4],
    ['HEAD', 4],
    ['OPTIONS', 4],
  ])('is retried unless it may have had an effect: %s is sent %i times', async (method, sent) => {
    expect(await attempts([closed], { request: requestOf({}, { method }) })).toBe(sent)
  })

  it('is left to the caller after one attempt, who may go on later', async () => {
    const { outcome } = await deliver([closed], { more: { once: true } })
    expect(outcome).toMatchObject({ attempts: [closed] })
    if (outcome instanceof Error || !isUnanswered(outcome)) throw new Error('it was answered')
    const after = await deliver([closed], { purpose: 'retry', more: { after: outcome } })

    expect(after.outcome).toMatchObject({ attempts: [closed, closed, closed, closed] })
    expect(after.connection.sent[0]?.at).toBeGreaterThanOrEqual(250)
    expect(after.connection.gaps).toEqual([750, 1_500])
    expect(after.budget.spent()).toMatchObject({ sent: 3, retried: 3 })
  })

  it('is nothing else that is thrown', async () => {
    const bug = new TypeError('a bug of ours')
    const { send, limiter } = layers()
    const connection = new FakeConnection(() => {
      throw bug
    })

    expect(await through(send(connection))).toBe(bug)
    expect([connection.sent.length, limiter.active]).toEqual([1, 0])
  })

  it.each<readonly [boolean, readonly TransportErrorKind[]]>([
    [true, ['timeout', 'connection-closed', 'not-http', 'answer-too-large', 'gateway']],
    [
      false,
      [
        'connection-refused',
        'host-not-found',
        'connect-timeout',
        'unreachable',
        'tls',
        'proxy',
        'undecodable',
      ],
    ],
  ])('may be the fault of one request only where a connection stood: %s for %o', (expected, kinds) => {
    for (const kind of kinds) expect(mayBeTheRequestsFault(kind), kind).toBe(expected)
  })
})

describe('a request that the transport may refuse', () => {
  it.each([
    ['connection-closed', 1],
    ['gateway', 1],
    ['timeout', 1],
    ['tls', 4],
  ] as const)('after %s is sent %i times', async (kind, sent) => {
    const request = requestOf({ transportMayRefuse: true })
    const { connection, outcome, run } = await deliver([new TransportError(kind, 'no answer')], { request })

    expect(connection.sent).toHaveLength(sent)
    expect(outcome).toMatchObject({ kind: 'no response' })
    // A refusal does not indicate an outage.
    expect(run.state.kind).toBe(sent === 1 ? 'running' : 'probing')
  })
})

describe('a gateway', () => {
  const bodies = ['', '<html>', '{}', '{"error_code":1001,"error_message":"a"}']

  it.each([502, 503, 504, 520, 527, 530])(
    'that answers %i without the error object fails',
    async (status) => {
      for (const body of bodies) {
        const { connection, outcome } = await deliver([answer(status, body)])
        expect(connection.sent).toHaveLength(4)
        expect(outcome).toMatchObject({
          error: { kind: 'gateway', message: `a gateway answered ${status} in the place of the service` },
        })
      }
    },
  )

  it.each([
    [502, refused(502, '1006')],
    [503, refused(503, '1006')],
    [504, refused(504, '1006')],
    [500, answer(500, '')],
    [501, answer(501, '')],
    [505, answer(505, '')],
    [408, answer(408, '')],
    [404, answer(404, '')],
  ])('is not what answers %i with the error object, or without a gateway', async (status, response) => {
    const delivered = await deliver([response])

    expect([statusOf(delivered), delivered.connection.sent.length]).toEqual([status, 1])
  })

  it.each([
    ['2', 2_000],
    ['0', 250],
    ['86400', 10_000],
    ['soon', 250],
  ])('is waited for as long as it asks, within ten seconds: %s', async (after, gap) => {
    const busy = answer(503, '', { fields: [['Retry-After', after]] })

    expect((await deliver([busy, served])).connection.gaps).toEqual([gap])
  })

  it.each(bodies)('or server that gives up a used connection by 408 has closed it: %j', (body) => {
    const idle = { ...exchange(answer(408, body)), reused: true }

    expect(gatewayFailure(idle)).toMatchObject({
      kind: 'connection-closed',
      message:
        'a connection that was used before was given up with 408 (Request Timeout) and without the documented error object',
    })
    expect(gatewayFailure({ ...idle, reused: false })).toBeNull()
  })

  it.each([refused(408, '1001'), answer(400, ''), answer(404, ''), answer(500, '')])(
    'is not what answers otherwise on a used connection',
    (response) => {
      expect(gatewayFailure({ ...exchange(response), reused: true })).toBeNull()
    },
  )
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

  it('slows the others down, too, and is forgotten little by little', async () => {
    const { send, limiter } = layers()
    const onSuccess = vi.spyOn(limiter, 'onSuccess')
    const first = new FakeConnection([bareWith('5'), served])
    const other = new FakeConnection([served])
    const one = send(first)
    await vi.advanceTimersByTimeAsync(100)
    const another = send(other)
    await through(Promise.all([one, another]))

    expect(other.sent[0]?.at).toBeGreaterThanOrEqual((first.sent[0]?.at ?? 0) + 5_000)
    expect(onSuccess).toHaveBeenCalledTimes(2)
  })

  it('counts once for all that were in flight', async () => {
    const { send, limiter } = layers()
    const slowDown = vi.spyOn(limiter, 'slowDown')
    await vi.advanceTimersByTimeAsync(1_000)
    const began = now()
    await through(send(new FakeConnection([bare, served])))

    expect(slowDown).toHaveBeenCalledWith(1_000, began - 1)
  })

  it.each([
    ['7', 7_000],
    ['0', 1_000],
    ['', 1_000],
    ['-5', 1_000],
    ['tomorrow', 1_000],
    ['60', 60_000],
    ['3600', 60_000],
    ['Fri, 20 Nov 2026 00:00:07 GMT', 7_000],
    ['Thu, 19 Nov 2026 23:59:00 GMT', 1_000],
    ['Sat, 20 Nov 2027 00:00:00 GMT', 60_000],
  ])('is waited for as long as it asks, from a second to a minute: %s', async (after, gap) => {
    expect((await deliver([bareWith(after), served])).connection.gaps).toEqual([gap])
  })

  it('that stays is no answer to judge, and no failure either', async () => {
    const { outcome, connection, budget } = await deliver([bare])

    expect(outcome).toBeInstanceOf(Inconclusive)
    expect(outcome).toBeInstanceOf(Inconclusive)
    expect(outcome).toMatchObject({
      message: 'the service refused the rate of requests, 6 of 6 times (429)',
    })
    expect([connection.sent.length, budget.spent().sent]).toEqual([6, 6])
  })

  it.each(['1020', '1006', '1001'])('is not one with the code %s, an answer at once', async (code) => {
    const delivered = await deliver([refused(429, code)])

    expect([statusOf(delivered), delivered.connection.sent.length]).toEqual([429, 1])
  })

  it.each([
    ['is one with a code that is not documented', [refused(429, 'RATE'), served], 'GET'],
    ['does not use up the retries after failures', [bare, closed, bare, closed, closed, served], 'GET'],
    ['is sent again with any method: it was refused before it had effects', [bare, served], 'POST'],
  ] as const)('%s', async (_, outcomes, method) => {
    expect(statusOf(await deliver(outcomes, { request: requestOf({}, { method }) }))).toBe(200)
  })

  it('does not give back the retries after failures', async () => {
    expect(await attempts([closed, closed, bare, closed, closed, served])).toBe(5)
  })
})

describe('a 429 without a code, where 1020 is asked for', () => {
  const bare = answer(429, '')
  const asking = requestOf({ client: 'exhausted', asksForQuota: true })

  it('is sent again, alone and after a pause of everybody, in case it was only the rate', async () => {
    const { send, limiter } = layers()
    const pause = vi.spyOn(limiter, 'pause')
    const connection = new FakeConnection([bare, refused(429, '1020')])
    const endOther = await inFlight(limiter)
    const sending = send(connection, asking)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(connection.sent).toHaveLength(1)

    endOther()
    expect(await through(sending)).toMatchObject({ response: { body: { value: { error_code: '1020' } } } })
    expect(pause).toHaveBeenCalledWith(1_000)
  })

  it('is an answer to be judged when it stays, and slows nobody down', async () => {
    const { outcome, connection, limiter } = await deliver([bare], { request: asking })
    const free: number[] = []
    for (const one of [1, 2, 3]) void inFlight(limiter).then(() => free.push(one))
    await vi.advanceTimersByTimeAsync(0)

    expect(outcome).toMatchObject({ response: { status: 429 } })
    expect(connection.sent).toHaveLength(3)
    expect(free).toEqual([1, 2, 3])
  })

  it('is believed at once from then on, for that client only', async () => {
    const { send } = layers()
    const connection = new FakeConnection([bare])
    const sentFor = async (one: TestRequest): Promise<number> => {
      const before = connection.sent.length
      await through(send(connection, one))
      return connection.sent.length - before
    }

    expect([await sentFor(asking), await sentFor(asking)]).toEqual([3, 1])
    expect(await sentFor(requestOf({ client: 'disposable', asksForQuota: true }))).toBe(3)
  })

  it('is the answer to HEAD, behind which no code can stand', async () => {
    const { send } = layers()
    const connection = new FakeConnection([bare])
    await through(send(connection, asking.method('HEAD')))

    expect(connection.sent).toHaveLength(1)
  })

  it.each([requestOf({ client: 'exhausted' }), requestOf({ client: 'target', asksForQuota: true })])(
    'is the rate for any other request',
    async (request) => {
      expect(await attempts([bare], { request })).toBe(6)
    },
  )
})

describe('what is sent', () => {
  it('is booked for what it was once, and as a retry from then on', async () => {
    const asCase = await deliver([closed, closed, served], { allotted: 5 })
    const toConfirm = await deliver([closed, served], { purpose: 'confirming' })

    expect(asCase.budget.spent()).toMatchObject({
      sent: 3,
      retried: 2,
      confirming: 0,
      byRule: { [anyRule]: 3 },
    })
    expect(asCase.budget.allottedTo(anyRule)).toBe(4)
    expect(toConfirm.budget.spent()).toMatchObject({ sent: 2, retried: 1, confirming: 1 })
  })

  it.each([0, 2])('ends with a budget of %i, in the middle of retries as well', async (limit) => {
    const { connection, outcome, limiter } = await deliver([closed], { limit })

    expect(connection.sent).toHaveLength(limit)
    expect(outcome).toBeInstanceOf(Inconclusive)
    expect(outcome).toMatchObject({
      message: expect.stringContaining(`the budget of ${limit} requests was used up`),
    })
    expect(limiter.active).toBe(0)
  })

  it('gives its permit back whatever comes of it', async () => {
    for (const outcome of [served, closed, answer(429, ''), answer(503, '')]) {
      expect((await deliver([outcome])).limiter.active).toBe(0)
    }
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
    ['while it waits for the rate', answer(429, ''), 500],
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
