import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Exchange, Response } from '../http/exchange.ts'
import { TransportError } from '../http/transport-error.ts'
import { answer, exchange, refused, served } from '../judge/testing/exchanges.ts'
import { Controls } from './controls.ts'
import { AttemptsFailed } from './deliver.ts'
import { RunEnded, Inconclusive } from './inconclusive.ts'

vi.mock('node:timers/promises', () => import('./testing/timers-promises.ts'))

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const trouble = new AttemptsFailed(
  new TransportError('connection-refused', 'nobody listens at 127.0.0.1:1'),
  4,
)
const quota = refused(429, '1020')

interface Watched {
  readonly controls: Controls
  /** How many controls were sent. */
  readonly sent: () => number
  /** The sentence with which the run was ended, or null. */
  readonly ended: () => string | null
  /** The statuses of the answers that were judged. */
  readonly judged: readonly number[]
  /** For how long nothing was to be sent, each time. */
  readonly held: readonly number[]
  readonly recoveries: () => number
}

/** Controls that meet these outcomes, one after the other, the last one for ever. */
function controlsThatMeet(
  outcomes: readonly (Response | Error)[],
  {
    hasQuery = false,
    signal = new AbortController().signal,
    whileJudging,
  }: {
    hasQuery?: boolean
    signal?: AbortSignal
    whileJudging?: (controls: Controls) => Promise<unknown>
  } = {},
): Watched {
  const judged: number[] = []
  let sent = 0
  let ended: string | null = null
  const held: number[] = []
  let recoveries = 0
  const send = async (): Promise<Exchange> => {
    const outcome = outcomes[Math.min(sent, outcomes.length - 1)]
    sent += 1
    await new Promise((resolve) => setTimeout(resolve, 10))
    if (outcome === undefined || outcome instanceof Error) throw outcome ?? new Error('nothing to meet')
    return exchange(outcome)
  }
  const controls: Controls = new Controls({
    send,
    sendStranger: send,
    end: (over) => {
      ended ??= over.message
    },
    hold: (waitMs) => held.push(waitMs),
    leaveAloneMs: 15_000,
    recovered: () => (recoveries += 1),
    judge: ({ response }) => {
      judged.push(response.status)
      return Promise.resolve(whileJudging?.(controls)).then(() => {})
    },
    hasQuery,
    signal,
  })
  return { controls, sent: () => sent, ended: () => ended, judged, held, recoveries: () => recoveries }
}

/** Lets the time pass until something has come of it. */
async function through<Value>(work: Promise<Value>): Promise<Value | Error> {
  const outcome = work.catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))))
  await vi.advanceTimersByTimeAsync(60_000)
  return outcome
}

describe('a control that is sent after the call', () => {
  it('is not the one in flight, but one that all who asked meanwhile share', async () => {
    const { controls, sent } = controlsThatMeet([served, answer(500, {}), served])
    const first = controls.serves()
    const following = [controls.servesFromNow(), controls.servesFromNow(), controls.servesFromNow()]

    expect(await through(first)).toBe(true)
    expect(await through(Promise.all(following))).toEqual([false, false, false])
    expect(sent()).toBe(2)
    expect(await through(controls.servesFromNow())).toBe(true)
    expect(sent()).toBe(3)
  })

  it('is sent also where the one in flight ended the run', async () => {
    const { controls } = controlsThatMeet([quota])
    const first = controls.serves()
    const following = controls.servesFromNow()
    const outcomes = await through(Promise.allSettled([first, following]))

    expect(outcomes).toMatchObject([
      { status: 'rejected', reason: expect.any(RunEnded) },
      { status: 'rejected', reason: expect.any(RunEnded) },
    ])
  })
})

describe('the opening control', () => {
  it('is one request, however many ask for it', async () => {
    const { controls, sent, ended, judged } = controlsThatMeet([served])
    const all = await through(Promise.all([controls.open(), controls.open(), controls.open()]))
    await through(controls.open())

    expect(all).toEqual([undefined, undefined, undefined])
    expect([sent(), ended(), judged]).toEqual([1, null, [200]])
  })

  it('ends the run at once when it meets trouble', async () => {
    const { controls, sent, ended, judged } = controlsThatMeet([trouble, served])

    expect(await through(controls.open())).toBeInstanceOf(RunEnded)
    expect(ended()).toBe('nobody listens at 127.0.0.1:1')
    expect([sent(), judged]).toEqual([1, []])
  })

  it('stays ended for whoever asks later', async () => {
    const { controls, sent } = controlsThatMeet([trouble, served])

    expect(await through(controls.open())).toBeInstanceOf(RunEnded)
    expect(await through(controls.open())).toBeInstanceOf(RunEnded)
    expect(sent()).toBe(1)
  })

  it('ends the run with a sentence about the quota when a second one meets it, too', async () => {
    const { controls, sent, ended, judged } = controlsThatMeet([quota])

    expect(await through(controls.open())).toBeInstanceOf(RunEnded)
    expect(ended()).toBe(
      'the daily quota of the client of TARGET_API_KEY is used up (429 / 1020, also for a plain valid request): run again after it was reset, or with another client',
    )
    expect([sent(), judged]).toEqual([2, []])
  })

  it('goes on when a 1020 does not come again', async () => {
    const { controls, ended } = controlsThatMeet([quota, served])

    expect(await through(controls.open())).toBeUndefined()
    expect(ended()).toBeNull()
  })

  it.each(['1006', '1007', '1011', '1012', '1013'])(
    'ends the run when the credentials are refused with 401 / %s',
    async (code) => {
      const { controls, ended, judged } = controlsThatMeet([refused(401, code)])

      expect(await through(controls.open())).toBeInstanceOf(RunEnded)
      expect(ended()).toBe(
        `the very first valid request was refused with 401 / ${code}: check TARGET_API_KEY and TARGET_SECRET_KEY, and that this client may use the endpoint`,
      )
      expect(judged).toEqual([])
    },
  )

  it('ends the run when the input is refused, and names what may be missing or wrong', async () => {
    const without = controlsThatMeet([refused(400, '1030')])
    const given = controlsThatMeet([refused(400, '1030')], { hasQuery: true })
    await through(without.controls.open())
    await through(given.controls.open())

    expect(without.ended()).toMatch(/refused with 400 \/ 1030 .*may need a query, give it as TARGET_QUERY/)
    expect(given.ended()).toMatch(
      /refused with 400 \/ 1030 .*TARGET_QUERY is not what the list endpoint needs/,
    )
    expect([...without.judged, ...given.judged]).toEqual([])
  })

  it.each([
    ['another documented code', refused(400, '1010')],
    ['a missing header, which was sent', refused(400, '1001')],
    ['refused credentials under another status', refused(403, '1006')],
    ['refused input under another status', refused(422, '1030')],
    ['refused credentials in another form', answer(401, { error_code: '1006' })],
    ['a failure', answer(500, { oops: true })],
    ['a page', answer(200, '<html>')],
    ['nothing', answer(404, '')],
  ])('leaves %s to be judged', async (_, response) => {
    const { controls, ended, judged } = controlsThatMeet([response, refused(400, '1001')])

    expect(await through(controls.open())).toBeUndefined()
    expect(ended()).toBeNull()
    expect(judged).toEqual([response.status])
  })

  it.each([
    ['a page', answer(200, '<html>'), answer(200, '<html>')],
    ['nothing under 404', answer(404, ''), answer(404, '')],
    ['a login', answer(302, ''), answer(302, '')],
    ['the errors of another kind', answer(403, { message: 'no' }), answer(401, { message: 'who?' })],
    ['a network that asks for consent', answer(511, '<html>'), answer(511, '<html>')],
  ])('ends the run when %s is all that comes, without credentials too', async (_, first, stranger) => {
    const { controls, sent, ended, judged } = controlsThatMeet([first, stranger])

    expect(await through(controls.open())).toBeInstanceOf(RunEnded)
    expect(ended()).toContain(
      `what answers is not this service: a plain valid request was answered ${first.status} and one without credentials ${stranger.status},`,
    )
    expect(ended()).toContain('is TARGET_BASE_URL right')
    expect([sent(), judged]).toEqual([2, []])
  })

  it.each([
    ['a success', served],
    ['a code', refused(401, '1006')],
    ['half an error object', answer(400, { error_code: 1001 })],
    ['a failure', answer(500, '<html>')],
    ['trouble', trouble],
  ])('leaves a page to be judged where %s comes without credentials', async (_, stranger) => {
    const { controls, ended, judged } = controlsThatMeet([answer(404, '<html>'), stranger])

    expect(await through(controls.open())).toBeUndefined()
    expect([ended(), judged]).toEqual([null, [404]])
  })

  it('does not take a fault of this suite for trouble', async () => {
    const bug = new TypeError('a bug of ours')
    const { controls, ended } = controlsThatMeet([bug])

    expect(await through(controls.open())).toBe(bug)
    expect(ended()).toBeNull()
  })

  it('ends the run, saying why, when the budget does not allow it', async () => {
    const { controls, ended } = controlsThatMeet([new Inconclusive('the budget of 0 requests was used up')])

    expect(await through(controls.open())).toBeInstanceOf(RunEnded)
    expect(ended()).toBe('the budget of 0 requests was used up')
  })
})

describe('a control', () => {
  it('is shared by all that ask for one at the same time, and sent anew afterwards', async () => {
    const { controls, sent } = controlsThatMeet([served])

    expect(await through(Promise.all([controls.serves(), controls.serves(), controls.serves()]))).toEqual([
      true,
      true,
      true,
    ])
    expect(sent()).toBe(1)
    expect(await through(controls.serves())).toBe(true)
    expect(sent()).toBe(2)
  })

  it.each([
    ['trouble', trouble, 'the service stopped answering plain valid requests: nobody listens at 127.0.0.1:1'],
    ['a used-up quota', quota, /^the daily quota of the client of TARGET_API_KEY is used up/],
  ] as const)('that meets %s three times in a row ends the run', async (_, outcome, sentence) => {
    const { controls, sent, ended, judged } = controlsThatMeet([outcome])

    expect(await through(controls.serves())).toBeInstanceOf(RunEnded)
    expect(sent()).toBe(3)
    expect(ended()).toMatch(sentence)
    expect(judged).toEqual([])
  })

  it('that meets trouble is repeated after a while, and forgets it when the service serves again', async () => {
    const { controls, sent, ended } = controlsThatMeet([trouble, quota, served, trouble, trouble, served])
    const started = performance.now()
    let took = 0
    await through(controls.serves().finally(() => (took = performance.now() - started)))

    expect(sent()).toBe(3)
    expect(took).toBeGreaterThan(1_000)
    expect(await through(controls.serves())).toBe(true)
    expect([sent(), ended()]).toEqual([6, null])
  })

  it.each([
    ['a failure', answer(500, '')],
    ['a documented refusal of another kind', refused(400, '1010')],
    ['a rate limit with a code of its own', refused(429, '9')],
  ])('that meets %s is judged, and ends nothing', async (_, response) => {
    const { controls, ended, judged, sent } = controlsThatMeet([response])

    expect(await through(controls.serves())).toBe(false)
    expect([sent(), ended(), judged]).toEqual([1, null, [response.status]])
  })

  it.each([
    ['401 / 1006', refused(401, '1006')],
    ['403 / no code', answer(403, '<html>locked</html>')],
    ['423 / no code', answer(423, '')],
    ['400 / 1007', refused(400, '1007')],
  ])(
    'that is refused with %s like wrong credentials, also alone and after a while, ends the run: the client may be locked out',
    async (said, response) => {
      const { controls, sent, ended, judged, held, recoveries } = controlsThatMeet([response])
      controls.served()

      expect(await through(controls.serves())).toBeInstanceOf(RunEnded)
      expect(ended()).toBe(
        `after several refusals a plain valid request is answered ${said}: the client may have been locked out`,
      )
      expect([sent(), judged, held]).toEqual([3, [], [15_000]])
      expect([controls.hasRecovered, recoveries()]).toEqual([false, 0])
    },
  )

  it('that is served again after a while goes on, with fewer refusals between two of them', async () => {
    const locked = refused(401, '1006')
    const { controls, sent, ended, judged, recoveries } = controlsThatMeet([locked, locked, served])
    controls.served()

    expect(await through(controls.serves())).toBe(true)
    expect([sent(), ended(), judged, controls.hasRecovered, recoveries()]).toEqual([3, null, [], true, 1])
    expect(Array.from({ length: 12 }, () => controls.refused(0))).toEqual([...Array(11).fill(false), true])
  })

  it('that is refused so a second time ends the run at once', async () => {
    const locked = refused(401, '1006')
    const { controls, held } = controlsThatMeet([locked, locked, served, locked])
    controls.served()
    await through(controls.serves())
    controls.served()

    expect(await through(controls.serves())).toBeInstanceOf(RunEnded)
    expect(held).toEqual([15_000])
  })

  it('that meets trouble three times goes on where the sender was only banned for a while', async () => {
    const { controls, sent, ended, held } = controlsThatMeet([trouble, trouble, trouble, served])
    controls.served()

    expect(await through(controls.serves())).toBe(true)
    expect([sent(), ended(), held]).toEqual([4, null, [15_000]])
  })

  it('that is refused once like wrong credentials is judged', async () => {
    const { controls, sent, ended, judged } = controlsThatMeet([refused(401, '1006'), served])
    controls.served()

    expect(await through(controls.serves())).toBe(false)
    expect([sent(), ended(), judged]).toEqual([2, null, [401]])
  })

  it('that is refused like wrong credentials is judged where the client was never served: nobody locked it out', async () => {
    const { controls, sent, ended, judged } = controlsThatMeet([refused(401, '1006')])

    expect(await through(controls.serves())).toBe(false)
    expect([sent(), ended(), judged]).toEqual([1, null, [401]])
  })

  it('may be judged by somebody who asks meanwhile whether the client was locked out', async () => {
    const { controls, sent } = controlsThatMeet([refused(401, '1006'), served], {
      whileJudging: (meanwhile) => meanwhile.checkLockout(),
    })
    controls.served()

    expect(await through(controls.serves())).toBe(false)
    expect(sent()).toBe(3)
  })

  it('does not hide that the run was ended by another', async () => {
    const over = new RunEnded('the quota ran out elsewhere')
    const { controls, sent } = controlsThatMeet([over])

    expect(await through(controls.serves())).toBe(over)
    expect(sent()).toBe(1)
  })

  it('does not outlive a cancelled run', async () => {
    const cancelled = new AbortController()
    const { controls, sent, ended } = controlsThatMeet([trouble], { signal: cancelled.signal })
    const asked = controls.serves().catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(100)
    cancelled.abort(new Error('interrupted'))

    expect(await asked).toBeInstanceOf(Error)
    expect([sent(), ended()]).toEqual([1, null])
  })
})

describe('a control against being locked out', () => {
  it('is due after 25 refusals at the latest, those in flight included', () => {
    const dueAfter = (inFlight: number): number => {
      const { controls } = controlsThatMeet([served])
      let refusals = 1
      while (!controls.refused(inFlight)) refusals += 1
      return refusals
    }

    for (const inFlight of [0, 1, 8, 20, 24]) {
      expect(dueAfter(inFlight) + inFlight).toBeLessThanOrEqual(25)
      expect(dueAfter(inFlight)).toBeGreaterThan(0)
    }
    expect(dueAfter(0)).toBe(25)
    expect(dueAfter(256)).toBe(1)
  })

  it('is due again only after as many more', async () => {
    const { controls } = controlsThatMeet([served])
    const refusals = (): boolean[] => Array.from({ length: 24 }, () => controls.refused(0))

    expect(refusals()).not.toContain(true)
    controls.served()
    expect(refusals()).not.toContain(true)
    expect(controls.refused(0)).toBe(true)
    await through(controls.serves())
    expect(refusals()).not.toContain(true)
    expect(controls.refused(0)).toBe(true)
  })
})
