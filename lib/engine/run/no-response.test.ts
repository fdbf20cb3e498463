import { describe, expect, it } from 'vitest'
import { TransportError, type TransportErrorKind } from '../../http/transport-error.ts'
import type { Request } from '../../http/request.ts'
import { exchange, fieldsWith, refused } from '../../judge/testing/exchanges.ts'
import { Availability } from '../send/availability.ts'
import { NoResponse, RunEnded, TransportRejected } from '../plan/errors.ts'
import { Attribution, UnresponsiveRequests } from './no-response.ts'
import type { Flaws } from '../record/observations.ts'
import type { SendOptions } from '../send/send.ts'
import { AttemptsFailed } from './ask.ts'
import { unanswered } from '../testing/meets.ts'
import type { RequestTraits, TestRequest } from '../plan/test-request.ts'
import { noModel, requestOf } from '../testing/layers.ts'

const options: SendOptions = { rule: 'fuzz/headers', purpose: 'case' }
const answered = exchange(refused(400, '1010'))
const flawsOf = (...certain: readonly string[]): Flaws => ({ certain, all: certain })
const unknownPath = flawsOf('endpoint unknown')

function requestTo(target: string, traits: Partial<RequestTraits> = {}): TestRequest {
  return requestOf({ endpoint: 'an unknown path under /api/', ...traits }, { target })
}

interface Played {
  /** The exchange, or what was thrown. */
  readonly send: (request: TestRequest) => Promise<unknown>
  /** What was sent, in order: the target, `check` or `check alone`. */
  readonly sent: string[]
  readonly how: SendOptions[]
}

interface Met {
  readonly checks?: boolean | Error
  readonly alone?: boolean
  readonly isReplay?: boolean
  /** By default that of a service that answered a thousand requests, each at the first attempt. */
  readonly availability?: Availability
}

/** What is known after this many answers and failed attempts of other requests. */
function availabilityAfter(answers: number, failures = 0): Availability {
  const availability = new Availability()
  for (let answer = 0; answer < answers; answer += 1) availability.answered([])
  for (let failure = 0; failure < failures; failure += 1)
    availability.failed([new TransportError('connection-closed', 'closed')])
  return availability
}

/** Requests that meet these failures or a response (null) in turn, the last one repeatedly. */
function meeting(
  outcomes: readonly (TransportErrorKind | null)[],
  { checks = true, alone = true, availability = availabilityAfter(1_000), isReplay = false }: Met = {},
): Played {
  const sent: string[] = []
  const how: SendOptions[] = []
  let met = 0
  const check = (name: string, isServed: boolean | Error) => async (): Promise<boolean> => {
    sent.push(name)
    if (isServed instanceof Error) throw isServed
    return isServed
  }
  const attribution = new Attribution({
    ask: {
      first: async ({ request }, given) => {
        sent.push(request.target)
        how.push(given)
        const kind = outcomes[Math.min(met, outcomes.length - 1)] ?? null
        met += 1
        await Promise.resolve()
        return kind === null
          ? answered
          : unanswered(new TransportError(kind, 'no answer'), given.after?.attempts)
      },
    },
    health: { check: check('check', checks) },
    lockouts: {
      isServedAlone: check('check alone', alone),
      trial: async () => void sent.push('trial'),
    },
    availability,
    model: noModel,
    plain: requestTo('/plain'),
    isReplay,
  })
  const send = (request: TestRequest): Promise<unknown> =>
    attribution.send(request, options).then(
      (given) => ('response' in given ? given : expect.fail('no exchange was given')),
      (error: unknown) => error,
    )
  return { send, sent, how }
}

describe('a request that the transport may refuse', () => {
  const to = (target: string): TestRequest => requestTo(target, { transportMayRefuse: true })

  it('is rejected by a closed connection, at once', async () => {
    const { send, sent } = meeting(['connection-closed'])

    expect(await send(to('/a'))).toBeInstanceOf(TransportRejected)
    expect(sent).toEqual(['/a'])
  })

  it.each(['gateway', 'timeout'] as const)(
    'is rejected by: %s, every time while others are served; others of its kind are tried once',
    async (kind) => {
      const { send, sent } = meeting([kind])

      for (const target of ['/a', '/b', '/c'])
        expect(await send(to(target))).toBeInstanceOf(TransportRejected)
      expect(sent).toEqual(['/a', 'check', '/a', '/b', 'check', '/c', 'check'])
    },
  )

  it.each([
    ['is not sent where one that is no larger got no answer for its size', false],
    ['is sent in a replay, however large', true],
  ])('%s', async (_, isReplay) => {
    const { send, sent } = meeting(['timeout'], { isReplay })
    const ofSize = (target: string, size: number, transportMayRefuse = true): TestRequest =>
      requestOf(
        { transportMayRefuse },
        { target, fields: [{ name: 'x-a', value: 'a'.repeat(size - 7 - target.length) }] },
      )
    const outcomes = [
      await send(ofSize('/small', 4_095)),
      await send(ofSize('/large', 5_000)),
      await send(ofSize('/larger', 9_000)),
      await send(ofSize('/smaller', 4_999)),
    ]

    const asked = ['/small', '/small', '/large', ...(isReplay ? ['/larger'] : []), '/smaller']
    expect(sent.filter((target) => target !== 'check')).toEqual(asked)
    if (isReplay) return
    expect(outcomes.map(String)).toEqual([
      'TransportRejected: no answer',
      'TransportRejected: no answer',
      'TransportRejected: not sent: a request of this size or smaller got no answer (no answer)',
      'TransportRejected: no answer',
    ])
  })

  it('is tried twice for each kind of failure', async () => {
    const { send, sent } = meeting(['gateway', 'gateway', 'timeout'])
    await send(to('/a'))
    await send(to('/b'))

    expect(sent).toEqual(['/a', 'check', '/a', '/b', 'check', '/b'])
  })

  it('is tried twice for each kind of request: its endpoint and flaws, or every byte of it', async () => {
    const { send, sent } = meeting(['gateway'])
    const repeats = { name: 'x-version', value: '1' }
    const like = (
      target: string,
      parts: Partial<Request>,
      traits: Partial<RequestTraits> = {},
    ): TestRequest => requestOf({ transportMayRefuse: true, ...traits }, { target, ...parts })
    const kinds: readonly Partial<Request>[] = [{ fields: [] }, { fields: fieldsWith({ 'x-version': ' 1' }) }]
    for (const parts of kinds) for (const target of ['/a', '/b']) await send(like(target, parts))
    await send(like('/c', { fields: [] }, { endpoint: 'GET /other' }))
    for (const target of ['/d', '/e', '/d']) await send(like(target, { fields: [repeats, repeats] }))

    const tries = sent.filter((what) => what !== 'check').join(' ')
    expect(tries).toBe('/a /a /b /a /a /b /c /c /d /d /e /e /d')
  })

  it('is tried again for the same reason', async () => {
    const { send, how } = meeting(['gateway'])
    await send(to('/a'))

    expect(how.map(({ purpose, after }) => [purpose, after?.attempts.length])).toEqual([
      ['case', undefined],
      ['retry', 1],
    ])
  })

  it.each(['gateway', 'timeout'] as const)('is not judged while no other is served: %s', async (kind) => {
    const { send, sent } = meeting([kind], { checks: false })

    expect(await send(to('/a'))).toBeInstanceOf(AttemptsFailed)
    expect(sent).toEqual(['/a', 'check'])
  })

  it.each([
    ['a response comes at last', ['gateway', null], answered],
    ['another failure comes then', ['gateway', 'tls'], expect.any(AttemptsFailed)],
    ['another failure comes every time', ['not-http'], expect.any(NoResponse)],
    ['that comes at the retries', ['not-http', 'connection-closed'], expect.any(TransportRejected)],
  ] as const)('is not rejected, or is: %s', async (_, outcomes, expected) => {
    expect(await meeting(outcomes).send(to('/a'))).toEqual(expected)
  })
})

describe('a request that is answered', () => {
  it('is sent once, for its case', async () => {
    const { send, sent, how } = meeting([null])

    expect(await send(requestTo('/a'))).toBe(answered)
    expect([sent, how]).toEqual([['/a'], [{ ...options, once: true, expectsFailure: false }]])
  })
})

describe('an answer that cannot be decoded', () => {
  it('is nobody’s fault, and is not asked for again', async () => {
    const { send, sent } = meeting(['undecodable'])

    expect(await send(requestTo('/a'))).toBeInstanceOf(AttemptsFailed)
    expect(sent).toEqual(['/a'])
  })
})

describe('a request without a response', () => {
  it('is the fault of the service after retries, and two more attempts with health checks between', async () => {
    const { send, sent, how } = meeting(['timeout'])
    const error = await send(requestTo('/a'))

    expect(error).toBeInstanceOf(NoResponse)
    expect(error).toMatchObject({
      difference: 'no answer: timeout',
      reproduced: { seen: 4, of: 4 },
      message: 'no answer came while plain valid requests were answered: no answer',
    })
    expect(sent).toEqual(['/a', '/a', 'check', '/a', 'check', '/a'])
    expect(how.map(({ purpose, once }) => [purpose, once])).toEqual([
      ['case', true],
      ['retry', false],
      ['confirming', true],
      ['confirming', true],
    ])
    expect(how[1]?.after).toMatchObject({ attempts: [{ kind: 'timeout' }] })
    expect(how.map(({ expectsFailure }) => expectsFailure)).toEqual([false, false, false, false])
  })

  it.each([
    [30, expect.any(NoResponse), 6],
    [60, expect.any(NoResponse), 8],
    // The service is in trouble, not the request.
    [200, expect.any(AttemptsFailed), 2],
  ] as const)('where %i of others met trouble', async (failures, expected, attempts) => {
    const { send, sent } = meeting(['timeout'], { availability: availabilityAfter(300, failures) })

    expect(await send(requestTo('/a'))).toEqual(expected)
    expect(sent.filter((what) => what === '/a')).toHaveLength(attempts)
  })

  it('is proven alone where the connection is closed: a ban may let old connections live', async () => {
    const served = meeting(['connection-closed'])
    const banned = meeting(['connection-closed'], { alone: false })

    expect(await served.send(requestTo('/a'))).toBeInstanceOf(NoResponse)
    expect(served.sent.at(-1)).toBe('check alone')
    expect(await banned.send(requestTo('/a'))).toBeInstanceOf(AttemptsFailed)
  })

  it.each([
    ['others are not served', ['timeout'], { checks: false }, ['/a', '/a', 'check']],
    ['no connection comes about', ['tls'], {}, ['/a', '/a', 'check', '/a']],
    ['none comes about then', ['timeout', 'timeout', 'tls'], {}, ['/a', '/a', 'check', '/a']],
  ] as const)('is nobody’s fault where %s', async (_, outcomes, met, expected) => {
    const { send, sent } = meeting(outcomes, met)

    expect(await send(requestTo('/a'))).toBeInstanceOf(AttemptsFailed)
    expect(sent).toEqual(expected)
  })

  it('is tried again without a health check that is served, where no connection comes about', async () => {
    const { send, sent, how } = meeting(['tls'], { checks: false })

    expect(await send(requestTo('/a'))).toBeInstanceOf(AttemptsFailed)
    expect(sent).toEqual(['/a', '/a', 'check', '/a'])
    expect(how.map(({ purpose, after }) => [purpose, after?.attempts.length])).toEqual([
      ['case', undefined],
      ['retry', 1],
      ['retry', 2],
    ])
  })

  it.each([
    ['is nobody’s fault', ['timeout'], { checks: false }, {}, { timeout: 2 }],
    ['comes to no end', ['timeout'], { checks: new RunEnded('over') }, {}, { timeout: 1 }],
    ['is the fault of the service', ['timeout'], {}, {}, {}],
    ['is rejected', ['connection-closed'], {}, { transportMayRefuse: true }, {}],
  ] as const)('counts as trouble, or does not, where it %s', async (_, outcomes, met, traits, expected) => {
    const availability = availabilityAfter(1_000)
    await meeting(outcomes, { ...met, availability }).send(requestTo('/a', traits))

    expect(availability.summary.byKind).toEqual(expected)
  })

  /** Attempts of others that failed now and then: one more is suspicious. */
  function almostSuspicious(): Availability {
    const availability = availabilityAfter(1_000)
    for (const isAnswered of [false, true, false, true, false]) availability.attempted(isAnswered)
    return availability
  }

  it('begins with a trial where many others failed now and then', async () => {
    const availability = almostSuspicious()
    availability.attempted(false)
    const { send, sent } = meeting(['timeout', null], { availability })
    await send(requestTo('/a'))

    expect(sent).toEqual(['/a', 'trial', '/a'])
  })

  it('makes nothing suspicious once the service is to blame for it', async () => {
    const availability = almostSuspicious()
    await meeting(['timeout'], { availability }).send(requestTo('/a'))
    availability.attempted(false)

    expect(availability.isSuspicious()).toBe(false)
  })

  it('is nobody’s fault where it is a plain valid one, for its like is answered', async () => {
    expect(await meeting(['timeout']).send(requestTo('/a', { plain: true }))).toBeInstanceOf(AttemptsFailed)
  })

  it.each([1, 2, 3])('is answered after all at the attempt %i', async (attempt) => {
    const outcomes = [...Array.from({ length: attempt }, () => 'timeout' as const), null]

    expect(await meeting(outcomes).send(requestTo('/a'))).toBe(answered)
  })

  it('makes similar ones be tried twice, one after the other, and the same one once', async () => {
    const { send, sent, how } = meeting(['timeout'])
    await send(requestTo('/a'))
    sent.length = 0
    how.length = 0

    expect(await send(requestTo('/b'))).toMatchObject({ reproduced: { seen: 2, of: 2 } })
    expect(await send(requestTo('/a'))).toMatchObject({ reproduced: { seen: 1, of: 1 } })
    expect(sent).toEqual(['/b', 'check', '/b', '/a', 'check'])
    expect(how.every(({ expectsFailure, once }) => expectsFailure === true && once === true)).toBe(true)
  })

  it('is tried again by one of several at a time; the others know then', async () => {
    const { send, sent, how } = meeting(['connection-closed'])
    const all = await Promise.all(['/a', '/b', '/c'].map((target) => send(requestTo(target))))

    expect(all.every((error) => error instanceof NoResponse)).toBe(true)
    const tries = ['/a', '/b', '/c'].map((target) => sent.filter((one) => one === target).length)
    expect(tries).toEqual([4, 2, 2])
    expect(how.slice(-2).map(({ expectsFailure }) => expectsFailure)).toEqual([true, true])
    // Only the first may have been a ban.
    expect(sent.filter((what) => what === 'check alone')).toHaveLength(1)
  })

  it('lets others with the same flaws go on by themselves where it is answered after all', async () => {
    const { send } = meeting(['connection-closed', 'connection-closed', null])

    expect(await Promise.all(['/a', '/b'].map((target) => send(requestTo(target))))).toEqual([
      answered,
      answered,
    ])
  })

  it('is like none but itself where nobody knows what is wrong with it', async () => {
    const { send, sent } = meeting(['timeout'])
    const repeats = { name: 'x-version', value: '1' }
    for (const target of ['/a', '/b', '/a']) await send(requestOf({}, { target, fields: [repeats, repeats] }))

    expect(sent.filter((one) => one === '/a')).toHaveLength(5)
    expect(sent.filter((one) => one === '/b')).toHaveLength(4)
  })
})

describe('requests without a response', () => {
  const noKey: Flaws = { certain: ['apiKey absent'], all: ['apiKey absent'] }
  const maybe: Flaws = { certain: [], all: ['version unclear'] }

  it.each([
    ['the same certain flaws', noKey, noKey, 'similar'],
    ['further flaws', noKey, flawsOf('apiKey absent', 'version absent'), 'similar'],
    ['the same uncertain flaws', maybe, maybe, 'similar'],
    [
      'the same certain flaws, and not all uncertain ones',
      { ...noKey, all: ['apiKey absent', 'x'] },
      noKey,
      'similar',
    ],
    ['only some of the flaws', flawsOf('apiKey absent', 'version absent'), noKey, null],
    ['other flaws', noKey, flawsOf('version absent'), null],
    ['no flaws', noKey, flawsOf(), null],
    ['unknown flaws', noKey, null, null],
    ['flaws like none', flawsOf(), flawsOf(), null],
  ] as const)('are like another with %s: %s', (_, known, flaws, expected) => {
    const requests = new UnresponsiveRequests()
    requests.add(requestTo('/a'), known)

    expect(requests.similarity(requestTo('/b'), flaws)).toBe(expected)
    expect(requests.similarity(requestTo('/a'), flaws)).toBe('same')
  })

  it('are like none at another endpoint', () => {
    const requests = new UnresponsiveRequests()
    requests.add(requestTo('/a'), noKey)

    expect(requests.similarity(requestTo('/b').to('/b', 'GET /other'), noKey)).toBeNull()
  })

  it('are like any certainly flawed one once three kinds are known', () => {
    const requests = new UnresponsiveRequests()
    const other = flawsOf('version absent')
    for (const [index, flaw] of ['apiKey absent', 'apiKey absent', 'secretKey absent'].entries()) {
      requests.add(requestTo(`/${index}`), flawsOf(flaw))
    }
    requests.add(requestTo('/maybe'), maybe)
    expect(requests.similarity(requestTo('/b'), other)).toBeNull()

    requests.add(requestTo('/3'), unknownPath)
    expect(requests.similarity(requestTo('/b'), other)).toBe('same')
    expect(requests.similarity(requestTo('/b'), { certain: [], all: ['query odd'] })).toBeNull()
  })
})
