import { beforeEach, describe, expect, it } from 'vitest'
import { fakeTime } from '../../../tests/support/virtual-time.ts'
import type { Response } from '../../http/exchange.ts'
import { TransportError } from '../../http/transport-error.ts'
import { answeredBy } from '../../judge/answered.ts'
import { answer, credentials, exchange, refused, served } from '../../judge/testing/exchanges.ts'
import { BudgetSpent, ClientLockedOut, Inconclusive, RunEnded } from '../plan/errors.ts'
import type { TestRequest } from '../plan/test-request.ts'
import type { Occurrence } from '../record/finding-recorder.ts'
import type { SendOptions } from '../send/send.ts'
import { noModel, requestOf, through } from '../testing/layers.ts'
import { failure, meets, plain, quota, unanswered, type Met } from '../testing/meets.ts'
import { Availability } from '../send/availability.ts'
import { GatewayError } from '../send/failures.ts'
import type { Confirmation } from './accuser.ts'
import { served as servedBetween } from './confirm.ts'
import { Lockouts, looksLockedOut } from './lockouts.ts'
import { OtherLockouts } from './other-lockouts.ts'
import { measureSingleRefusal } from './single-refusal.ts'

beforeEach(fakeTime)

/** Plain valid requests with these outcomes in turn, the last one repeatedly. */
function lockoutsThatMeet(outcomes: readonly Met[], wereSentFor = true) {
  const { run, ask, sent, ended } = meets(outcomes)
  let [lockedOut, leftOut] = [0, false]
  /** The waits, and the rates that the run was slowed down to. */
  const [paused, slowed]: [number[], number[]] = [[], []]
  const availability = new Availability()
  const limiter = {
    pause: (ms: number) => void paused.push(ms),
    limitRate: (rps: number) => (slowed.push(rps), () => slowed.push(Infinity)),
  }
  const guesses = {
    lockedOut: () => void (lockedOut += 1),
    leaveOut: () => void (leftOut = true),
    wereSentFor: () => wereSentFor,
    maySuspend: true,
  }
  const parts = { run, ask, plain, limiter, availability, findings: { clientIs: () => {} }, guesses }
  const lockouts = new Lockouts({ ...parts, pausesMs: [15_000, 46_000] })
  const how = (): readonly SendOptions[] => sent.map(({ options }) => options)
  const told = { lockedOut: () => lockedOut, leftOut: () => leftOut }
  return { ...told, run, parts, lockouts, sent, how, ended, paused, slowed, availability }
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

describe('a single wrong secret', () => {
  const locked = refused(401, '1007')
  const wrong = requestOf({}, { fields: [{ name: 'x-secret-key', value: 'invented' }] })

  /** What comes of measuring it with these outcomes in turn, the last one repeatedly. */
  async function measured(outcomes: readonly Met[]) {
    const { parts, lockouts, sent, paused, leftOut } = lockoutsThatMeet(outcomes)
    const accused: unknown[] = []
    const accuse = (found: Occurrence, how: Confirmation) => {
      accused.push({ found, how })
      return Promise.resolve(servedBetween)
    }
    const outcome = await through(measureSingleRefusal({ ...parts, lockouts, accuser: { accuse }, wrong }))
    const names = sent.map(({ request }) => (request === wrong ? 'wrong' : 'plain'))
    return { outcome, accused, leftOut: leftOut(), sent: names, paused }
  }

  /** A wrong secret, a refused valid request, and so many more until the client is served. */
  const onceMore = (refusals: number): readonly Met[] => [locked, ...Array(refusals).fill(locked), served]

  it('three times followed by a refusal is a breach, and no further one is sent', async () => {
    const { outcome, accused, leftOut, sent, paused } = await measured([1, 2, 3].flatMap(onceMore))

    expect([outcome, leftOut, paused]).toEqual([undefined, true, [15_000, 15_000, 46_000]])
    expect(sent.filter((one) => one === 'wrong')).toHaveLength(3)
    expect(accused).toMatchObject([
      {
        found: {
          request: plain,
          context: { rule: 'endpoints/list-succeeds' },
          breach: {
            answered: { status: 401, errorCode: '1007' },
            difference: 'refused after a single wrong secret',
          },
        },
        how: { kind: 'known', reproduced: { seen: 3, of: 3 } },
      },
    ])
  })

  it.each<[string, readonly Met[], sent?: number]>([
    ['is served', [locked, served], 2],
    ['is served the third time', [locked, locked, served, locked, locked, served, locked, served]],
    ['gets the page of a firewall', [locked, answer(403, '<html>')]],
    ['gets no answer', [locked, failure]],
    ['gets a bare 429', [locked, answer(429, '')]],
    ['gets 1020', [locked, quota]],
    ['gets a code that blames no client', [locked, refused(400, '1010')]],
    ['could not be asked, since the wrong secret got no answer', [failure]],
    ['is not asked, since no request is left', [new BudgetSpent(1, 'health-check')]],
  ])('blames nobody where the client %s', async (_, outcomes, requests) => {
    const { outcome, accused, leftOut, sent } = await measured(outcomes)

    expect([outcome, accused, leftOut]).toEqual([undefined, [], false])
    if (requests !== undefined) expect(sent).toHaveLength(requests)
  })

  it('after which the client is not served in a minute ends the run, and blames nobody', async () => {
    const { outcome, accused, paused } = await measured([locked])

    expect(outcome).toBeInstanceOf(ClientLockedOut)
    expect([accused, paused]).toEqual([[], [15_000, 46_000]])
  })
})

describe('a valid pair of another client', () => {
  const second = requestOf({ client: 'second', plain: true })
  const clients = [{ name: 'second', credentials } as const]
  const wrong = refused(401, '1007')
  const open = expect.any(Inconclusive)
  const turns = Array.from({ length: 4 }, () => [wrong, served]).flat()
  const once = { outcomes: [false], pauses: [] }
  const ofTarget = requestOf({ client: 'target', plain: true })

  // The answers to it, those that it gets alone, and what comes of it: true where it is sent again.
  it.each<
    [
      says: string,
      answered: readonly Response[],
      alone: readonly Response[],
      came: { readonly outcomes: readonly unknown[]; readonly pauses?: readonly number[] },
      wereSentFor?: boolean,
      request?: TestRequest,
    ]
  >([
    [
      'is answered anew where it was wrong alone, and is right after a while',
      [wrong],
      [wrong, served],
      { outcomes: [true], pauses: [15_000] },
    ],
    ['is judged at once where it is served alone', [wrong], [served], once],
    [
      'is judged where no wrong secret was sent for its key',
      [served, wrong],
      [wrong],
      { outcomes: [false, false], pauses: [] },
      false,
    ],
    [
      'is left open where it stays locked and was known before',
      [served, wrong],
      [wrong],
      { outcomes: [false, open] },
    ],
    [
      'is judged where it was never known, after one wait',
      [wrong, wrong],
      [wrong],
      { outcomes: [false, false], pauses: [15_000, 46_000] },
    ],
    ['is judged where 1012 is answered', [refused(401, '1012')], [wrong], once],
    ['is judged where 1010 is answered', [refused(400, '1010')], [wrong], once],
    ['is judged where 1020 is answered', [refused(429, '1020')], [wrong], once],
    [
      'is waited for four times at most',
      [served, ...Array<Response>(5).fill(wrong)],
      [...turns, wrong],
      { outcomes: [false, true, true, true, true, open] },
    ],
    ['is nothing to the target', [wrong], [wrong], { outcomes: [false] }, true, ofTarget],
    [
      'is nothing to a wrong one',
      [wrong],
      [wrong],
      { outcomes: [false] },
      true,
      second.with('x-secret-key', 'another'),
    ],
  ])('%s', async (_, answered, alone, { outcomes, pauses }, wereSentFor, request = second) => {
    const { parts, lockouts, paused } = lockoutsThatMeet(alone, wereSentFor)
    const model = { ...noModel, clients }
    const others = new OtherLockouts({ ...parts, lockouts, model, plains: new Map([['second', second]]) })
    const came: unknown[] = []
    for (const one of answered)
      came.push(await through(Promise.resolve(others.recovers(request, exchange(one, request.request)))))

    expect(came).toEqual(outcomes)
    if (pauses !== undefined) expect(paused).toEqual(pauses)
  })
})
