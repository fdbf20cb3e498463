import { beforeEach, describe, expect, it, vi } from 'vitest'
import { fakeTime, now, pause } from '../../../tests/support/virtual-time.ts'
import type { Exchange } from '../../http/exchange.ts'
import type { Connection } from '../../http/transport.ts'
import { TransportError } from '../../http/transport-error.ts'
import { answer, exchange, served } from '../../judge/testing/exchanges.ts'
import { RunEnded } from '../plan/errors.ts'
import type { SendOptions, Unanswered } from './send.ts'
import { FakeConnection, type Outcome } from '../testing/fake-connection.ts'
import { layers, requestOf, through, type Layers } from '../testing/layers.ts'

beforeEach(fakeTime)

const closed = new TransportError('connection-closed', 'the connection was closed')
const timeout = new TransportError('timeout', 'no answer came')
const gateway = new TransportError('gateway', 'a gateway answered 502')

describe('a gateway', () => {
  it('that fails now and then, while others are answered, slows everybody down at the fifth time', async () => {
    const { send, limiter } = layers()
    const slowDown = vi.spyOn(limiter, 'slowDown')
    const connection = new FakeConnection(Array.from({ length: 10 }, () => [gateway, served]).flat())
    for (let times = 0; times < 4; times += 1) await through(send(connection))
    expect(slowDown).not.toHaveBeenCalled()

    await through(send(connection))
    expect(slowDown).toHaveBeenCalledTimes(1)
    for (let times = 0; times < 5; times += 1) await through(send(connection))
    expect(slowDown).toHaveBeenCalledTimes(2)
  })

  it('is not slowed down for by other failures', async () => {
    const { send, limiter } = layers()
    const slowDown = vi.spyOn(limiter, 'slowDown')
    const connection = new FakeConnection(Array.from({ length: 6 }, () => [timeout, served]).flat())
    for (let times = 0; times < 6; times += 1) await through(send(connection))

    expect(slowDown).not.toHaveBeenCalled()
  })
})

describe('an outage', () => {
  const waiting = 40

  /** Forty unanswered requests; `first` sees the first one that gives up. */
  async function inOutage(first: (made: Layers, sent: number) => void): Promise<{
    readonly connection: FakeConnection
    readonly outcomes: readonly (Exchange | Unanswered | Error)[]
    readonly gaveUpAt: number
    readonly endedAt: number
  }> {
    const connection = new FakeConnection([gateway])
    const made = layers()
    const began = now()
    let [gaveUpAt, endedAt] = [Number.POSITIVE_INFINITY, 0]
    const all = Array.from({ length: waiting }, () =>
      made.send(connection).finally(() => {
        endedAt = now() - began
        if (gaveUpAt !== Number.POSITIVE_INFINITY) return
        gaveUpAt = endedAt
        first(made, connection.sent.length)
      }),
    )
    const outcomes = await Promise.all(all.map((one) => through(one)))
    return { connection, outcomes, gaveUpAt, endedAt }
  }

  it('lets one come to an end of its attempts soon, whoever else waits', async () => {
    expect((await inOutage(() => {})).gaveUpAt).toBeLessThanOrEqual(8_000)
  })

  it('rejects all that wait, unsent, once the run ends', async () => {
    const reason = new RunEnded('the service stopped answering')
    let sentBefore = 0
    const { connection, outcomes, gaveUpAt, endedAt } = await inOutage(({ run }, sent) => {
      run.end(reason)
      sentBefore = sent
    })

    expect(connection.sent).toHaveLength(sentBefore)
    expect(outcomes.filter((outcome) => outcome === reason)).toHaveLength(waiting - 1)
    expect(endedAt - gaveUpAt).toBeLessThanOrEqual(2_000)
  })

  it('lets a health check go first', async () => {
    const connection = new FakeConnection([gateway])
    const { send } = layers()
    const others = Array.from({ length: waiting }, () => through(send(connection)))
    await vi.advanceTimersByTimeAsync(300)
    const before = connection.sent.length
    const check = through(send(connection, requestOf({}, { method: 'HEAD' }), { purpose: 'health-check' }))
    await Promise.all([check, ...others])

    const next = connection.sent.slice(before, before + 5).map(({ request }) => request.method)
    expect(next.filter((method) => method === 'HEAD').length).toBeGreaterThanOrEqual(4)
  })

  it('costs a handful of requests, however many cases wait', async () => {
    const { send } = layers()
    let met = 0
    const began = now()
    const connection: Connection = {
      send: async (request) => {
        await pause(5)
        if (now() - began < 2_000) {
          met += 1
          throw closed
        }
        return { ...exchange(served), request }
      },
      close: () => Promise.resolve(),
    }
    const all = await through(Promise.all(Array.from({ length: 200 }, () => send(connection))))

    expect(all).toHaveLength(200)
    expect(met).toBeLessThan(30)
    expect(met).toBeGreaterThan(8)
  })

  /** How long another request waits after six concurrent failures. */
  async function pausedFor(failure: TransportError, more: Partial<SendOptions>): Promise<number> {
    const { send } = layers()
    const connection = new FakeConnection([failure])
    void Promise.allSettled(
      Array.from({ length: 6 }, () => send(connection, requestOf(), { once: true, ...more })),
    )
    await vi.advanceTimersByTimeAsync(0)
    const began = now()
    const other = new FakeConnection([served])
    await through(send(other))
    return (other.sent[0]?.at ?? Infinity) - began
  }

  it.each([
    ['closed connections', closed, {}, true],
    ['closed connections that were expected', closed, { expectsFailure: true }, false],
    ['timeouts that were expected', timeout, { expectsFailure: true }, false],
    [
      'refused connections, always',
      new TransportError('connection-refused', 'x'),
      { expectsFailure: true },
      true,
    ],
  ])('makes others wait: %s', async (_, error, more, waits) => {
    expect((await pausedFor(error, more)) > 0).toBe(waits)
  })
})

describe('connections that are closed', () => {
  async function boundsAfter(
    outcomes: readonly Outcome[],
    { reused = false } = {},
  ): Promise<readonly number[]> {
    const connection = new FakeConnection(outcomes, reused)
    const { send, fewer, limiter } = layers()
    while (connection.sent.length < outcomes.length)
      await through(send(connection, requestOf(), { purpose: 'health-check' }))
    expect(limiter.concurrency).toBe(fewer[0] ?? 8)
    return fewer
  }
  const answered = (times: number): readonly Outcome[] => Array.from({ length: times }, () => served)
  const several = [closed, served, closed, served, closed, served, closed, served]
  const unavailable = [answer(503, ''), answer(503, ''), answer(503, ''), served]
  const badGateways = [answer(502, ''), answer(502, ''), answer(502, ''), served]
  const nowAndThen = Array.from({ length: 20 }, () => [closed, ...Array.from({ length: 25 }, () => served)])

  it.each([
    ['two of them', several.slice(0, 4), false, []],
    ['several among few responses', several, false, [2]],
    ['none for a while after that', [...several.slice(0, 7), ...answered(201)], false, [2, 3, 4]],
    [
      'another one after that',
      [...several.slice(0, 7), ...answered(120), closed, served, ...answered(202)],
      false,
      [2, 3, 2, 3],
    ],
    ['several in a row', [closed, closed, closed, served, closed, closed, served], false, [2]],
    ['503 on new ones', unavailable, false, [2]],
    ['503 on used ones', unavailable, true, []],
    ['other gateway failures', badGateways, false, []],
    ['now and then in a long run', nowAndThen.flat(), false, []],
  ] as const)('%s: fewer are used, and more again later', async (_, outcomes, reused, bounds) => {
    expect(await boundsAfter(outcomes, { reused })).toEqual(bounds)
  })
})
