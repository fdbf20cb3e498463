import { beforeEach, describe, expect, it, vi } from 'vitest'
import { fakeTime, now, pause } from '../../../tests/support/virtual-time.ts'
import type { Connection } from '../../http/transport.ts'
import { TransportError } from '../../http/transport-error.ts'
import { answer, exchange, served } from '../../judge/testing/exchanges.ts'
import type { SendOptions } from './pace.ts'
import { FakeConnection, type Outcome } from '../testing/fake-connection.ts'
import { layers, requestOf, through } from '../testing/layers.ts'

beforeEach(fakeTime)

const closed = new TransportError('connection-closed', 'the connection was closed')
const timeout = new TransportError('timeout', 'no answer came')
const gateway = new TransportError('gateway', 'a gateway answered 502')

it.each([
  ['a gateway that fails four times', gateway, 4, 0],
  ['a gateway that fails five times', gateway, 5, 1],
  ['a gateway that fails ten times', gateway, 10, 2],
  ['ten timeouts', timeout, 10, 0],
])(
  '%s, while others are answered, slows everybody down: %o %i times, %i',
  async (_, failure, times, slowed) => {
    const { send, limiter } = layers()
    const slowDown = vi.spyOn(limiter, 'slowDown')
    const connection = new FakeConnection(Array.from({ length: times }, () => [failure, served]).flat())
    for (let time = 0; time < times; time += 1) await through(send(connection))

    expect(slowDown).toHaveBeenCalledTimes(slowed)
  },
)

describe('an outage', () => {
  it('lets one give up soon, and then rejects all that wait, unsent, where the run ends for that', async () => {
    const says = 'the service stopped answering'
    const connection = new FakeConnection([gateway])
    const { send, run } = layers()
    const began = now()
    const gaveUp: { readonly at: number; readonly sent: number }[] = []
    const all = Array.from({ length: 40 }, () =>
      send(connection).finally(() => {
        gaveUp.push({ at: now() - began, sent: connection.sent.length })
        run.end(says)
      }),
    )
    const outcomes = await Promise.all(all.map((one) => through(one)))
    const [first, last] = [gaveUp[0], gaveUp.at(-1)]

    expect(first?.at).toBeLessThanOrEqual(8_000)
    expect(last?.at).toBeLessThanOrEqual((first?.at ?? 0) + 2_000)
    expect(connection.sent).toHaveLength(first?.sent ?? 0)
    expect(outcomes.filter((outcome) => outcome instanceof Error && outcome.message === says)).toHaveLength(
      39,
    )
  })

  it('lets a health check go first', async () => {
    const connection = new FakeConnection([gateway])
    const { send } = layers()
    const others = Array.from({ length: 40 }, () => through(send(connection)))
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

  const refusedConnection = new TransportError('connection-refused', 'x')
  const expected: Partial<SendOptions> = { expectsFailure: true }

  it.each([
    ['closed connections', closed, {}, true],
    ['closed connections that were expected', closed, expected, false],
    ['timeouts that were expected', timeout, expected, false],
    ['refused connections, expected or not', refusedConnection, expected, true],
  ])('makes others wait after six at once: %s', async (_, failure, more, waits) => {
    const { send } = layers()
    const connection = new FakeConnection([failure])
    const options = { once: true, ...more }
    void Promise.allSettled(Array.from({ length: 6 }, () => send(connection, requestOf(), options)))
    await vi.advanceTimersByTimeAsync(0)
    const began = now()
    const other = new FakeConnection([served])
    await through(send(other))

    expect((other.sent[0]?.at ?? Infinity) > began).toBe(waits)
  })
})

// Which bounds on connections are asked for.
describe('connections that are closed', () => {
  const several = [closed, served, closed, served, closed, served, closed, served]
  const inARow = [closed, closed, closed, served, closed, closed, served]
  const answered = (times: number): readonly Outcome[] => Array.from({ length: times }, () => served)
  const failing = (status: number) => [...Array<Outcome>(3).fill(answer(status, '')), served]
  const again = [...several.slice(0, 7), ...answered(120), closed, served, ...answered(202)]
  const nowAndThen = Array.from({ length: 20 }, () => [closed, ...answered(25)]).flat()

  it.each<[string, readonly Outcome[], boolean, readonly number[]]>([
    ['two of them', several.slice(0, 4), false, []],
    ['several among few responses', several, false, [2]],
    ['none for a while after that', [...several.slice(0, 7), ...answered(201)], false, [2, 3, 4]],
    ['another one after that', again, false, [2, 3, 2, 3]],
    ['several in a row', inARow, false, [2]],
    ['503 on new ones', failing(503), false, [2]],
    ['503 on used ones', failing(503), true, []],
    ['other gateway failures', failing(502), false, []],
    ['now and then in a long run', nowAndThen, false, []],
  ])('%s: fewer are used, and more again later', async (_, outcomes, reused, bounds) => {
    const connection = new FakeConnection(outcomes, reused)
    const { send, fewer, limiter } = layers()
    while (connection.sent.length < outcomes.length)
      await through(send(connection, requestOf(), { purpose: 'health-check' }))

    expect([fewer, limiter.concurrency]).toEqual([bounds, bounds[0] ?? 8])
  })
})
