import { beforeEach, describe, expect, it, vi } from 'vitest'
import { fakeTime, now } from '../../../tests/support/virtual-time.ts'
import { isServed } from '../../judge/answered.ts'
import { answer, exchange, refused, served } from '../../judge/testing/exchanges.ts'
import { ClientLockedOut, RunEnded } from '../plan/errors.ts'
import type { Send } from '../send/send.ts'
import { through } from '../testing/layers.ts'
import { failure, meets, plain, quota, type Meeting, type Met } from '../testing/meets.ts'
import { Health } from './health.ts'
import { Availability } from '../send/availability.ts'
import { Lockouts } from './lockouts.ts'

beforeEach(fakeTime)

const locked = refused(401, '1006')

interface Watched extends Omit<Meeting, 'sent'> {
  readonly health: Health
  readonly lockouts: Lockouts
  /** Plain valid requests sent. */
  readonly sent: () => number
  /** The pauses of all requests. */
  readonly paused: readonly number[]
  /** What findings were told of the client. */
  readonly told: readonly string[]
}

interface Options {
  readonly signal?: AbortSignal
  /** Whether the client was served before. */
  readonly wasServed?: boolean
  readonly inFlight?: number
  /** Whether wrong credentials may have suspended the quota. */
  readonly maySuspend?: boolean
  readonly whileJudging?: (lockouts: Lockouts) => Promise<unknown>
}

/** Health checks with these outcomes in turn, the last one repeatedly. */
function healthThatMeets(outcomes: readonly Met[], options: Options = {}): Watched {
  const { wasServed = false, inFlight = 0, maySuspend = false, whileJudging, signal } = options
  const paused: number[] = []
  const told: string[] = []
  const met = meets(outcomes, signal)
  const { run, accuser } = met
  if (wasServed) run.changeClient('target', 'served')
  const send: Send = async (request, how) => {
    const sent = await met.ask.send(request, how)
    if (!('kind' in sent) && isServed(sent)) run.changeClient('target', 'served')
    return sent
  }
  const limiter = { pause: (waitMs: number) => paused.push(waitMs), active: inFlight }
  const findings = { clientIs: (state: string) => told.push(state) }
  const parts = { ask: { send, alone: send }, run, limiter: { ...limiter, limitRate: () => () => {} }, plain }
  const guesses = { lockedOut: () => {}, maySuspend }
  const lockouts = new Lockouts({
    ...parts,
    availability: new Availability(),
    findings,
    guesses,
    pausesMs: [15_000],
  })
  const health = new Health({
    ...parts,
    lockouts,
    accuser: {
      judge: async (given) => {
        await accuser.judge(given)
        await whileJudging?.(lockouts)
      },
    },
  })
  return { ...met, health, lockouts, sent: () => met.sent.length, paused, told }
}

describe('a health check', () => {
  it('is shared by all that ask for one before it is sent, and not by those that ask later', async () => {
    const { health, sent } = healthThatMeets([served, answer(500, {}), served])
    const first = [health.check(), health.check(), health.check()]
    await vi.advanceTimersByTimeAsync(1)
    const following = [health.check(), health.check(), health.check()]

    expect(await through(Promise.all(first))).toEqual([true, true, true])
    expect(await through(Promise.all(following))).toEqual([false, false, false])
    expect(sent()).toBe(2)
    expect(await through(health.check())).toBe(true)
    expect(sent()).toBe(3)
  })

  it('is sent also where the one in flight ended the run', async () => {
    const { health } = healthThatMeets([quota])
    const first = health.check()
    await vi.advanceTimersByTimeAsync(1)
    const outcomes = await through(Promise.allSettled([first, health.check()]))

    expect(outcomes).toMatchObject([
      { status: 'rejected', reason: expect.any(RunEnded) },
      { status: 'rejected', reason: expect.any(RunEnded) },
    ])
  })
})

describe('a health check that fails', () => {
  it.each([
    [
      'trouble',
      failure,
      'the service stopped answering plain valid requests: nothing is listening on 127.0.0.1:1',
    ],
    ['a used-up quota', quota, /^the daily quota of the client of TARGET_API_KEY is used up/],
  ] as const)('with %s three times in a row ends the run', async (_, outcome, sentence) => {
    const { health, sent, ended, judged } = healthThatMeets([outcome])

    expect(await through(health.check())).toBeInstanceOf(RunEnded)
    expect([sent(), judged]).toEqual([3, []])
    expect(ended()).toMatch(sentence)
  })

  it('is repeated after a while, and forgotten when the service serves again', async () => {
    const { health, sent, ended } = healthThatMeets([failure, quota, served, failure, failure, served])
    const started = now()
    let took = 0
    await through(health.check().finally(() => (took = now() - started)))

    expect(sent()).toBe(3)
    expect(took).toBe(3_030)
    expect(await through(health.check())).toBe(true)
    expect([sent(), ended()]).toEqual([6, null])
  })

  it('goes on where the sender was only banned for a while', async () => {
    const outcomes = [failure, failure, failure, served]
    const { health, sent, ended, paused } = healthThatMeets(outcomes, { wasServed: true })

    expect(await through(health.check())).toBe(true)
    expect([sent(), ended(), paused]).toEqual([4, null, [15_000]])
  })

  it('does not hide that the run was ended by another', async () => {
    const reason = new RunEnded('the quota ran out elsewhere')
    const { health, sent } = healthThatMeets([reason])

    expect(await through(health.check())).toBe(reason)
    expect(sent()).toBe(1)
  })

  it('does not outlive a cancelled run', async () => {
    const cancelled = new AbortController()
    const reason = new Error('interrupted')
    const { health, sent } = healthThatMeets([failure], { signal: cancelled.signal })
    const asked = health.check().catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(100)
    cancelled.abort(reason)

    expect(await asked).toBe(reason)
    expect(sent()).toBe(1)
  })
})

describe('a health check that is answered wrongly', () => {
  it.each([
    ['a failure', answer(500, '')],
    ['a documented refusal of another kind', refused(400, '1010')],
    ['a rate limit with a code of its own', refused(429, '9')],
  ])('with %s is judged, and ends nothing', async (_, response) => {
    const { health, ended, judged, sent } = healthThatMeets([response])

    expect(await through(health.check())).toBe(false)
    expect([sent(), ended(), judged]).toEqual([1, null, [response.status]])
  })

  it.each([
    ['401 / 1006', locked],
    ['403 / no code', answer(403, '<html>locked</html>')],
    ['423 / no code', answer(423, '')],
    ['400 / 1007', refused(400, '1007')],
  ])('with %s, also alone and after a while, means a locked-out client', async (said, response) => {
    const { health, run, sent, ended, judged, paused, told } = healthThatMeets([response], {
      wasServed: true,
    })

    expect(await through(health.check())).toBeInstanceOf(ClientLockedOut)
    expect(ended()).toBe(
      `after several refusals a plain valid request is answered ${said}: the client may have been locked out`,
    )
    expect([sent(), judged, paused, told]).toEqual([3, [], [15_000], ['locked-out']])
    expect(run.client('target')).toEqual({ kind: 'locked-out' })
  })

  it('goes on if the client is served again after a while, and ends the run the fifth time', async () => {
    const again = [locked, locked, served]
    const outcomes = [...again, ...again, ...again, ...again, locked]
    const { health, run, sent, ended, judged, paused, told } = healthThatMeets(outcomes, { wasServed: true })

    expect(await through(health.check())).toBe(true)
    expect([sent(), ended(), judged, told]).toEqual([3, null, [], ['recovered']])
    expect(run.client('target')).toEqual({ kind: 'serving', rejections: 0 })
    for (let time = 2; time <= 4; time += 1) expect(await through(health.check())).toBe(true)
    expect(await through(health.check())).toBeInstanceOf(ClientLockedOut)
    expect(paused).toEqual([15_000, 15_000, 15_000, 15_000])
  })

  it.each([
    [true, true, [15_000]],
    [false, expect.any(RunEnded), []],
  ])('with a used-up quota that may be suspended (%s) waits for it', async (maySuspend, outcome, pauses) => {
    const outcomes = [quota, quota, quota, served]
    const { health, paused } = healthThatMeets(outcomes, { wasServed: true, maySuspend })

    expect(await through(health.check())).toEqual(outcome)
    expect(paused).toEqual(pauses)
  })

  it.each([
    ['once', [locked, served], true, 2],
    ['once, and then without an answer', [locked, failure], true, 2],
    ['of a client that was never served: nobody locked it out', [locked], false, 1],
  ] as const)('like wrong credentials, %s, is judged', async (_, outcomes, wasServed, times) => {
    const { health, sent, ended, judged } = healthThatMeets(outcomes, { wasServed })

    expect(await through(health.check())).toBe(false)
    expect([sent(), ended(), judged]).toEqual([times, null, [401]])
  })

  it('may be judged by somebody who asks meanwhile whether the client was locked out', async () => {
    const { health, sent } = healthThatMeets([locked, served], {
      wasServed: true,
      whileJudging: (lockouts) => lockouts.check(),
    })

    expect(await through(health.check())).toBe(false)
    expect(sent()).toBe(3)
  })
})

describe('responses without success', () => {
  const rejected = exchange(refused(400, '1001'))

  /** How many rejections are counted before a health check. */
  async function dueAfter({ health, sent }: Watched): Promise<number> {
    const before = sent()
    for (let counted = 1; counted <= 60; counted += 1) {
      expect(await through(health.recoversAfter(rejected))).toBe(false)
      if (sent() > before) return counted
    }
    return expect.fail('none is due')
  }

  it.each([
    [0, 50],
    [1, 49],
    [8, 42],
    [49, 1],
    [256, 1],
  ])('are checked after 50 of them, %i in flight included', async (inFlight, due) => {
    const watched = healthThatMeets([served], { inFlight })

    expect([await dueAfter(watched), await dueAfter(watched)]).toEqual([due, due])
  })

  it('are counted anew once a plain valid request is served, and successes are not', async () => {
    const { health, run, sent } = healthThatMeets([served])
    for (let times = 0; times < 49; times += 1) await health.recoversAfter(rejected)
    for (let times = 0; times < 30; times += 1)
      expect(await health.recoversAfter(exchange(served))).toBe(false)
    run.changeClient('target', 'served')
    for (let times = 0; times < 49; times += 1) await health.recoversAfter(rejected)

    expect(sent()).toBe(0)
  })

  it('are counted anew after a check that is not served, either', async () => {
    const watched = healthThatMeets([answer(500, '')])

    expect([await dueAfter(watched), await dueAfter(watched)]).toEqual([50, 50])
  })

  it('say nothing if the client turns out to be locked out and is served again; then half as many are due', async () => {
    const watched = healthThatMeets([locked, locked, served], { wasServed: true, inFlight: 49 })

    expect(await through(watched.health.recoversAfter(rejected))).toBe(true)
    const quiet = healthThatMeets([locked, locked, served], { wasServed: true })
    for (let times = 0; times < 49; times += 1) await quiet.health.recoversAfter(rejected)
    expect(await through(quiet.health.recoversAfter(rejected))).toBe(true)
    expect(await dueAfter(quiet)).toBe(25)
  })
})
