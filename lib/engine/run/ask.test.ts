import { describe, expect, it } from 'vitest'
import { TransportError } from '../../http/transport-error.ts'
import { credentials, exchange, refused, served } from '../../judge/testing/exchanges.ts'
import { BudgetSpent, ClientLockedOut, Inconclusive, RunEnded } from '../plan/errors.ts'
import type { TestRequest } from '../plan/test-request.ts'
import { Observations } from '../record/observations.ts'
import { Availability } from '../send/availability.ts'
import { Budget } from '../send/budget.ts'
import { RunLifecycle, type ClientState } from '../send/run-state.ts'
import type { Send, SendOptions } from '../send/send.ts'
import { FakeConnection } from '../testing/fake-connection.ts'
import { anyRule, requestOf } from '../testing/layers.ts'
import { failure, plain, quota, unanswered, type Met } from '../testing/meets.ts'
import { Ask, askPlain, AttemptsFailed, exchangeOf, plainContext } from './ask.ts'
import type { RunEvent } from './events.ts'
import { TurnOver } from './guesses.ts'

const options: SendOptions = { rule: anyRule, purpose: 'case' }
const flawed = requestOf({}, { fields: [] })
const second = plain.trait({ client: 'second' })

interface Asking {
  readonly ask: Ask
  readonly run: RunLifecycle
  readonly observations: Observations
  readonly availability: Availability
  readonly how: SendOptions[]
  readonly events: RunEvent[]
  readonly connections: FakeConnection[]
  /** What was told of wrong credentials. */
  readonly turns: readonly string[]
}

/** Asks with a target that meets every request in this way. */
function asking(met: Met = served, { inTurn = false, withdrawn = 0 } = {}): Asking {
  const run = new RunLifecycle(new AbortController().signal)
  for (const client of ['target', 'second'] as const) run.changeClient(client, 'rejected')
  const observations = new Observations()
  const [budget, availability] = [new Budget(9, {}), new Availability()]
  const [how, events, connections]: [SendOptions[], RunEvent[], FakeConnection[]] = [[], [], []]
  const connection = (): FakeConnection => {
    const opened = new FakeConnection([])
    connections.push(opened)
    return opened
  }
  const send = async (_: TestRequest, given: SendOptions) => {
    how.push(given)
    budget.take(given.rule, given.purpose)
    await Promise.resolve()
    if (how.length <= withdrawn) throw new TurnOver()
    if (met instanceof Error) throw met
    return 'kind' in met ? met : exchange(met)
  }
  const sender = { send, connection, budget, availability }
  const onEvent = (event: RunEvent): void => void events.push(event)
  const turns: string[] = []
  const { signal: until } = new AbortController()
  const end = (wasSent: boolean): void => void turns.push(wasSent ? 'sent' : 'not sent')
  const guesses = {
    admit: () => (inTurn ? { until, end } : null),
    served: () => void turns.push('served'),
  }
  const ask = new Ask({ sender, run, observations, target: credentials, guesses, onEvent })
  return { ask, run, observations, availability, how, events, connections, turns }
}

describe('an answered request', () => {
  it('is told, with how many were sent, and leaves its latency to its rule', async () => {
    const { ask, events, observations, how } = asking()
    const sent = await ask.send(flawed, options)

    expect(events).toEqual([
      { kind: 'answered', request: flawed, exchange: sent },
      { kind: 'request-done', sent: 1 },
    ])
    expect(observations.msByRule()).toEqual({ [anyRule]: 3.21 })
    expect(how).toEqual([options])
  })

  const unknown = (rejections: number): ClientState => ({ kind: 'unknown', rejections })
  const serving: ClientState = { kind: 'serving', rejections: 0 }

  it.each([
    ['a plain valid one', plain, served, serving, unknown(1)],
    ['a plain valid one of another client', second, served, unknown(0), serving],
    ['one with the credentials of the target', requestOf(), served, unknown(0), unknown(1)],
    ['one without them', flawed, served, unknown(1), unknown(1)],
    ['a plain valid one that is refused', plain, refused(401, '1006'), unknown(1), unknown(1)],
  ] as const)('tells whom the service serves: %s', async (_, request, response, target, other) => {
    const { ask, run } = asking(response)
    await ask.send(request, options)

    expect([run.client('target'), run.client('second')]).toEqual([target, other])
  })
})

it('a client that is served keeps being so with any request, and its rejections are counted anew', async () => {
  const { ask, run } = asking()
  run.changeClient('target', 'served')
  run.changeClient('target', 'rejected')
  await ask.send(requestOf(), options)

  expect(run.client('target')).toEqual({ kind: 'serving', rejections: 0 })
})

describe('a request with wrong credentials', () => {
  it('ends its turn once it was answered, or failed', async () => {
    const answered = asking(refused(401, '1007'), { inTurn: true })
    await answered.ask.send(flawed, options)
    const failed = asking(new Inconclusive('over'), { inTurn: true })
    await expect(failed.ask.send(flawed, options)).rejects.toThrow('over')

    expect([answered.turns, failed.turns]).toEqual([['sent'], ['sent']])
  })

  it('is admitted anew where it was taken out of the queue', async () => {
    const { ask, turns, how } = asking(served, { inTurn: true, withdrawn: 2 })

    expect(await ask.send(flawed, options)).toMatchObject({ response: { status: 200 } })
    expect([turns, how.length]).toEqual([['not sent', 'not sent', 'sent'], 3])
  })

  it.each([
    [plain, ['served']],
    [second, []],
    [flawed, []],
  ])('may be followed by others once the client was served by a plain valid one', async (request, told) => {
    const { ask, turns } = asking()
    await ask.send(request, options)

    expect(turns).toEqual(told)
  })
})

describe('a request without an answer', () => {
  it('is counted as trouble where nobody blames it, and told as sent', async () => {
    const { ask, availability, events, observations } = asking(failure)

    expect(await ask.send(flawed, options)).toBe(failure)
    expect(availability.summary.byKind).toEqual({ 'refused connection': 1 })
    expect(events).toEqual([{ kind: 'request-done', sent: 1 }])
    expect(observations.latencyMs()).toBeNull()
  })

  it('is left to a caller that finds out whose fault it is', async () => {
    const { ask, availability } = asking(failure)

    expect(await ask.first(flawed, options)).toBe(failure)
    expect(availability.summary.byKind).toEqual({})
  })

  it('is told as sent where sending it fails', async () => {
    const { ask, events } = asking(new Inconclusive('the rate was refused'))

    await expect(ask.send(flawed, options)).rejects.toThrow('the rate was refused')
    expect(events).toEqual([{ kind: 'request-done', sent: 1 }])
  })

  it.each([
    ['connection-closed', 'no answer came, 2 of 2 times: cut'],
    ['undecodable', 'no answer could be read, 2 of 2 times: cut'],
  ] as const)('says why nothing can be said: %s', (kind, says) => {
    const error = new TransportError(kind, 'cut')
    const sent = unanswered(error, [error])

    expect(() => exchangeOf(sent)).toThrow(says)
    expect(new AttemptsFailed(sent)).toMatchObject({ name: 'AttemptsFailed', sent })
  })
})

describe('a request alone', () => {
  it.each([
    ['answered', served],
    ['failed', new Inconclusive('no request is left')],
  ])(
    'goes out with nothing else in flight, on a connection that is closed once it has %s',
    async (_, met) => {
      const { ask, how, connections } = asking(met)
      await ask.alone(flawed, { ...options, purpose: 'health-check' }).catch(() => {})

      const [connection] = connections
      expect(how).toEqual([{ rule: anyRule, purpose: 'health-check', connection, exclusive: true }])
      expect(connections.map(({ closed }) => closed)).toEqual([true])
    },
  )
})

/** Asks a service that meets the request in this way. */
function askedPlain(
  met: Met,
  sent: SendOptions[] = [],
  how: Partial<SendOptions> = {},
): ReturnType<typeof askPlain> {
  const send: Send = async (_, given) => {
    sent.push(given)
    if (met instanceof Error) throw met
    return 'kind' in met ? met : exchange(met)
  }
  return askPlain(send, plain, how)
}

describe('a plain valid request', () => {
  it('is a health check of the rule about it', async () => {
    const sent: SendOptions[] = []
    await askedPlain(served, sent)
    await askedPlain(served, sent, { once: true })

    const check = { rule: 'endpoints/list-succeeds', purpose: 'health-check' }
    expect(sent).toEqual([check, { ...check, once: true }])
    expect(plainContext).toEqual({ rule: check.rule, case: 'plain' })
  })

  it.each<[string, Met, object]>([
    ['a success', served, { kind: 'answered', exchange: exchange(served), answered: { status: 200 } }],
    ['a refusal', refused(400, '1003'), { kind: 'answered', answered: { errorCode: '1003' } }],
    ['a used-up quota', quota, { kind: 'exhausted', because: expect.stringContaining('TARGET_API_KEY') }],
    ['no answer', failure, { kind: 'failed', because: 'nothing is listening on 127.0.0.1:1' }],
    ['a refused rate', new Inconclusive('the rate'), { kind: 'failed', because: 'the rate' }],
  ])('comes to %s', async (_, met, outcome) => {
    expect(await askedPlain(met)).toMatchObject(outcome)
  })

  it.each([
    ['a spent budget', new BudgetSpent(500, 'health-check')],
    ['the end of the run', new RunEnded('over')],
    ['a lockout', new ClientLockedOut('locked out')],
    ['a bug of ours', new TypeError('bug')],
  ])('throws %s', async (_, error) => {
    await expect(askedPlain(error)).rejects.toBe(error)
  })
})
