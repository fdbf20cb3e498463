import { beforeEach, describe, expect, it } from 'vitest'
import { fakeTime } from '../../../tests/support/virtual-time.ts'
import { TransportError } from '../../http/transport-error.ts'
import { answeredBy } from '../../judge/answered.ts'
import { answer, exchange, refused, served } from '../../judge/testing/exchanges.ts'
import { ClientLockedOut, RunEnded } from '../plan/errors.ts'
import type { RunLifecycle } from '../send/run-state.ts'
import type { SendOptions } from '../send/send.ts'
import { through } from '../testing/layers.ts'
import { failure, meets, plain, unanswered, type Met } from '../testing/meets.ts'
import { Availability } from '../send/availability.ts'
import { GatewayError } from '../send/failures.ts'
import { Lockouts, looksLockedOut } from './lockouts.ts'

beforeEach(fakeTime)

interface Watched {
  readonly run: RunLifecycle
  readonly lockouts: Lockouts
  readonly how: () => readonly SendOptions[]
  readonly ended: () => string | null
  readonly paused: readonly number[]
  /** The rates that the run was slowed down to. */
  readonly slowed: readonly number[]
  readonly availability: Availability
  /** How many lockouts slowed down wrong credentials. */
  readonly lockedOut: () => number
}

/** Plain valid requests with these outcomes in turn, the last one repeatedly. */
function lockoutsThatMeet(outcomes: readonly Met[]): Watched {
  const { run, ask, sent, ended } = meets(outcomes)
  let lockedOut = 0
  const [paused, slowed]: [number[], number[]] = [[], []]
  const availability = new Availability()
  const limiter = {
    pause: (ms: number) => void paused.push(ms),
    limitRate: (rps: number) => (slowed.push(rps), () => slowed.push(Infinity)),
  }
  const guesses = { lockedOut: () => void (lockedOut += 1), maySuspend: true }
  const parts = { run, ask, plain, limiter, availability, findings: { clientIs: () => {} }, guesses }
  const lockouts = new Lockouts({ ...parts, pausesMs: [15_000, 46_000] })
  const how = (): readonly SendOptions[] => sent.map(({ options }) => options)
  return { run, lockouts, how, ended, paused, slowed, availability, lockedOut: () => lockedOut }
}

describe('a trial', () => {
  /** Failures at these places, counted from 0, and successes everywhere else. */
  const failingAt = (...places: readonly number[]): readonly Met[] =>
    Array.from({ length: 31 }, (_, place) =>
      places.includes(place)
        ? unanswered(new TransportError('connection-closed', `closed at ${place}`))
        : served,
    )

  it.each([
    ['without a failure', [], 10, false],
    ['with 4 failures of 10, and none more', [0, 3, 6, 9], 30, false],
    ['with 5 of 10', [0, 2, 4, 6, 8], 10, true],
    ['with 6 of 20', [0, 3, 6, 9, 12, 15], 20, true],
    ['with 7 of 30', [0, 5, 10, 15, 20, 25, 29], 30, false],
    ['with 8 of 30', [0, 4, 8, 12, 16, 20, 24, 29], 30, true],
  ] as const)('%s sends %3$i requests', async (_, places, sends, ends) => {
    const { lockouts, how, ended } = lockoutsThatMeet(failingAt(...places))
    const outcome = await through(lockouts.trial())

    expect(how()).toHaveLength(sends)
    expect(outcome).toEqual(ends ? expect.any(RunEnded) : undefined)
    expect(ended()).toBe(
      ends
        ? `the service is in trouble: ${places.length} of ${sends} plain valid requests got no answer, each sent once: closed at ${places.at(-1)}`
        : null,
    )
  })

  const busy = unanswered(new GatewayError(exchange(answer(503, 'busy'))))
  const lifted = Infinity
  const allTried = [10, lifted, 5, lifted, 2, lifted, 1, lifted]
  /** Every nth request is answered 503. */
  const each = (nth: number): readonly Met[] =>
    Array.from({ length: 200 }, (_, place) => (place % nth === nth - 1 ? busy : served))
  /** Half of the first ten are answered 503, and then these. */
  const refusingRates = (...then: readonly Met[]): readonly Met[] => [...each(2).slice(0, 10), ...then]

  it.each([
    ['all is served at 10 a second', refusingRates(served), [10], 10 + 11],
    ['all is served at 5 a second', refusingRates(served, busy, served), [10, lifted, 5], 10 + 2 + 11],
    ['one in ten is refused at each rate', refusingRates(...each(10)), allTried, 10 + 4 * 10],
    ['nothing is served any more', refusingRates(busy), allTried, 10 + 4],
    ['one in six fails at any rate, which may be chance', each(6), [], 30],
  ] as const)('of 503s slows the run down: %s', async (_, met, rates, sends) => {
    const { lockouts, how, slowed, availability } = lockoutsThatMeet(met)
    availability.failed([busy.error, busy.error])
    await through(lockouts.trial())

    expect([slowed, how().length]).toEqual([rates, sends])
    const isRate = rates.length > 0 && rates.at(-1) !== lifted
    expect(availability.summary.byKind).toEqual({ [isRate ? '503 (rate limit)' : '503']: 2 })
    expect(availability.attemptsOfProof).not.toBe(0)
  })

  it('that finds another rate goes on with the slower ones', async () => {
    const { lockouts, slowed } = lockoutsThatMeet([
      ...refusingRates(...each(200).slice(0, 11)),
      ...refusingRates(served),
    ])
    await through(lockouts.trial())
    await through(lockouts.trial())

    expect(slowed).toEqual([10, 5])
  })

  it('sends each request once, and takes no failure for an outage', async () => {
    const { lockouts, how } = lockoutsThatMeet([served])
    await through(lockouts.trial())

    const options = { rule: 'endpoints/list-succeeds', purpose: 'health-check' }
    expect(how()).toEqual(
      Array.from({ length: 10 }, () => ({ ...options, once: true, expectsFailure: true })),
    )
  })

  it('leaves an outage to the next health check', async () => {
    const { lockouts, how, ended } = lockoutsThatMeet([failure])

    expect(await through(lockouts.trial())).toBeUndefined()
    expect([how().length, ended()]).toEqual([10, null])
  })

  it('is shared by all that ask for it while it lasts', async () => {
    const { lockouts, how } = lockoutsThatMeet([served])
    const both = [lockouts.trial(), lockouts.trial()]

    expect(lockouts.trialUnderWay).not.toBeNull()
    await through(Promise.all(both))
    expect([how().length, lockouts.trialUnderWay]).toEqual([10, null])
  })
})

it('a check alone is served or not', async () => {
  const { lockouts, ended } = lockoutsThatMeet([served, answer(500, ''), failure])
  const outcomes = [1, 2, 3].map(() => lockouts.isServedAlone())

  expect(await through(Promise.all(outcomes))).toEqual([true, false, false])
  expect(ended()).toBeNull()
})

describe('a client that is locked out', () => {
  const locked = refused(401, '1007')

  it('is left alone for a while, and longer if it is refused then', async () => {
    const { lockouts, run, paused } = lockoutsThatMeet([locked, locked, served])
    run.changeClient('target', 'served')

    expect(await through(lockouts.check())).toBe(true)
    expect([paused, lockouts.recoveries]).toEqual([[15_000, 46_000], 1])
  })

  it('for longer than that ends the run', async () => {
    const { lockouts, run, ended } = lockoutsThatMeet([locked])
    run.changeClient('target', 'served')

    expect(await through(lockouts.check())).toBeInstanceOf(ClientLockedOut)
    expect(ended()).toContain('the client may have been locked out')
  })

  it('is left alone four times, and slows down wrong credentials each time', async () => {
    const again = [locked, served]
    const { lockouts, run, ended, lockedOut } = lockoutsThatMeet([
      ...again,
      ...again,
      ...again,
      ...again,
      locked,
    ])
    run.changeClient('target', 'served')

    for (let time = 1; time <= 4; time += 1) expect(await through(lockouts.check())).toBe(true)
    expect([ended(), lockedOut()]).toEqual([null, 4])
    expect(await through(lockouts.check())).toBeInstanceOf(ClientLockedOut)
  })

  it('by its quota is waited for by all that ask, once', async () => {
    const { lockouts, run, paused } = lockoutsThatMeet([served])
    run.changeClient('target', 'served')
    const both = [lockouts.isQuotaBack(), lockouts.isQuotaBack()]

    expect(await through(Promise.all(both))).toEqual([true, true])
    expect(paused).toEqual([15_000])
  })
})

describe('an answer to a plain valid request', () => {
  it.each([
    [401, answer(401, ''), true],
    [403, answer(403, ''), true],
    [423, answer(423, ''), true],
    ['400 / 1007', refused(400, '1007'), true],
    ['400 / 1010', refused(400, '1010'), false],
    [500, answer(500, ''), false],
    ['a success', served, false],
    ['a success with a code', refused(200, '1006'), false],
  ])('of %s looks like a lockout: %3$s', (_, response, expected) => {
    expect(looksLockedOut(answeredBy(response))).toBe(expected)
  })
})
