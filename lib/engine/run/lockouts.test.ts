import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { TransportError } from '../../http/transport-error.ts'
import { answeredBy } from '../../judge/answered.ts'
import { answer, refused, served } from '../../judge/testing/exchanges.ts'
import { ClientLockedOut, Inconclusive, RunEnded } from '../plan/errors.ts'
import type { RunLifecycle } from '../send/run-state.ts'
import type { SendOptions } from '../send/send.ts'
import { noModel, requestOf, through } from '../testing/layers.ts'
import { failure, fakeTime, meets, plain, unanswered, type Met } from '../testing/meets.ts'
import { Lockouts, looksLockedOut } from './lockouts.ts'

beforeEach(fakeTime)
afterEach(() => {
  vi.useRealTimers()
})

interface Watched {
  readonly run: RunLifecycle
  readonly lockouts: Lockouts
  readonly how: () => readonly SendOptions[]
  readonly ended: () => string | null
}

/** Plain valid requests with these outcomes in turn, the last one repeatedly. */
function lockoutsThatMeet(outcomes: readonly Met[]): Watched {
  const { run, ask, sent, ended } = meets(outcomes)
  const parts = { run, ask, plain, limiter: { pause: () => {} }, findings: { clientIs: () => {} } }
  const lockouts = new Lockouts({ ...parts, model: noModel, leaveAloneMs: 15_000 })
  return { run, lockouts, how: () => sent.map(({ options }) => options), ended }
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

describe('a client that is locked out again and again', () => {
  const locked = refused(401, '1007')
  const guess = requestOf({}, { fields: [{ name: 'x-api-key', value: 'invented' }] })

  it('is left alone twice, then gets no wrong credentials, and the third time ends the run', async () => {
    const { lockouts, ended, run } = lockoutsThatMeet([locked, served, locked, served, locked])
    run.changeClient('target', 'served')

    expect(await through(lockouts.check())).toBe(true)
    expect(() => lockouts.refuseGuess(guess)).not.toThrow()
    expect(await through(lockouts.check())).toBe(true)
    expect(() => lockouts.refuseGuess(guess)).toThrow(Inconclusive)
    expect(() => lockouts.refuseGuess(plain)).not.toThrow()
    expect(ended()).toBeNull()
    expect(await through(lockouts.check())).toBeInstanceOf(ClientLockedOut)
    expect(ended()).toContain('the client may have been locked out')
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
