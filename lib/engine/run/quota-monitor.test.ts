import { describe, expect, it } from 'vitest'
import type { Response } from '../../http/exchange.ts'
import { isRefusedForQuota } from '../../judge/answered.ts'
import { answer, exchange, refused, served } from '../../judge/testing/exchanges.ts'
import { clientNames, type ClientName } from '../../specification/client-rows.ts'
import { Inconclusive, RunEnded } from '../plan/errors.ts'
import { served as servedBetween } from './confirm.ts'
import type { Confirmation } from './accuser.ts'
import { QuotaMonitor } from './quota-monitor.ts'
import type { Send } from '../send/send.ts'
import { RunLifecycle } from '../send/run-state.ts'
import type { TestRequest } from '../plan/test-request.ts'
import type { Occurrence } from '../record/finding-recorder.ts'
import { requestOf } from '../testing/layers.ts'

const quota = refused(429, '1020')

function plainOf(client: ClientName, asksForQuota = false): TestRequest {
  return requestOf({ client, plain: !asksForQuota, asksForQuota })
}

interface Accused extends Pick<Occurrence, 'context' | 'breach'> {
  readonly client: ClientName
  readonly how: Confirmation
}

interface Watched {
  readonly run: RunLifecycle
  /** The clients of plain valid requests. */
  readonly sent: ClientName[]
  /** What was done, in order: `sent` or `accused`. */
  readonly order: readonly string[]
  readonly accused: Accused[]
  readonly monitor: QuotaMonitor
  /** The outcome for the client that gets 1020 unasked: `judged`, or the thrown error. */
  readonly unasked: (client: ClientName) => Promise<unknown>
  /** The same for a client that asks for its quota. */
  readonly ranOut: (client: ClientName) => Promise<void>
  /** Whether a further request of the client is refused. */
  readonly isRefused: (client: ClientName) => Promise<boolean>
}

/** A service with these answers to plain valid requests; undefined is an unconfigured client. `before` were served before. */
function watchOver(
  answers: Partial<Record<ClientName, Response | readonly Response[]>>,
  before: readonly ClientName[] = [],
  isBack = false,
): Watched {
  const sent: ClientName[] = []
  const order: string[] = []
  const accused: Accused[] = []
  const run = new RunLifecycle(new AbortController().signal)
  for (const client of before) run.changeClient(client, 'served')
  const send: Send = ({ traits: { client } }) => {
    const given = [answers[client] ?? []].flat()
    const response = given[Math.min(sent.filter((one) => one === client).length, given.length - 1)]
    if (response === undefined) throw new Error('nothing to answer')
    sent.push(client)
    order.push('sent')
    return new Promise((resolve) => setImmediate(() => resolve(exchange(response))))
  }
  const monitor = new QuotaMonitor({
    run,
    ask: { send, alone: send },
    plains: new Map(
      clientNames.flatMap((name) => (answers[name] === undefined ? [] : [[name, plainOf(name)]])),
    ),
    lockouts: { isQuotaBack: async () => isBack },
    accuser: {
      accuse: ({ request: { traits }, context, breach }, how) => {
        accused.push({ client: traits.client, context, breach, how })
        order.push('accused')
        return Promise.resolve(servedBetween)
      },
    },
  })
  const outcomeOf = async (work: () => Promise<unknown> | null): Promise<unknown> => {
    try {
      return (await work()) === true ? 'sent again' : 'judged'
    } catch (error) {
      return error
    }
  }
  return {
    run,
    sent,
    order,
    accused,
    monitor,
    unasked: (client) => outcomeOf(() => monitor.note(plainOf(client), exchange(quota))),
    ranOut: async (client) => void (await monitor.note(plainOf(client, true), exchange(quota))),
    isRefused: async (client) =>
      (await outcomeOf(() => monitor.refuseExhausted(plainOf(client)))) instanceof Inconclusive,
  }
}

describe('a 1020 that nobody asked for', () => {
  it.each([
    ['target', RunEnded, 'TARGET_API_KEY'],
    ['second', Inconclusive, 'FIXTURE_SECOND_API_KEY'],
  ] as const)(
    'is a used-up quota when a plain valid request gets it, too: %s',
    async (client, kind, setting) => {
      const { unasked, isRefused, sent, run } = watchOver({ [client]: quota })
      const says = `the daily quota of the client of ${setting} is used up (429 / 1020, also for a plain valid request): run again after it was reset, or with another client`

      expect(await isRefused(client)).toBe(false)
      expect(await unasked(client)).toMatchObject({ message: says })
      expect(await unasked(client)).toBeInstanceOf(kind)
      expect([await isRefused(client), await isRefused('noCustomer')]).toEqual([true, false])
      expect(run.state.kind).toBe(client === 'target' ? 'ended' : 'running')
      // Three times: after the first one with nothing else in flight.
      expect(sent).toEqual([client, client, client])
    },
  )

  it.each([
    ['target', true, 'sent again'],
    ['target', false, expect.any(RunEnded)],
    ['second', true, expect.any(Inconclusive)],
  ] as const)(
    'is a suspension if the client %s is served after a while: %s',
    async (client, isBack, outcome) => {
      const { unasked, isRefused } = watchOver({ [client]: quota }, [client], isBack)

      expect(await unasked(client)).toEqual(outcome)
      expect(await isRefused(client)).toBe(outcome !== 'sent again')
    },
  )

  it.each([
    ['a success', served],
    ['a bare 429', answer(429, '')],
    ['1020 under another status', refused(403, '1020')],
    ['another code', refused(429, '1006')],
    ['a failure', answer(500, '')],
    ['a 1020 that does not come again', [quota, served]],
  ] as const)('is judged like any other answer after %s', async (_, responses) => {
    const { unasked, isRefused, sent } = watchOver({ target: responses })

    expect([await unasked('target'), await isRefused('target')]).toEqual(['judged', false])
    const once = sent.length
    await unasked('target')
    expect(sent.length).toBeGreaterThan(once)
  })

  it('is found out once for all that meet it at the same time', async () => {
    const { unasked, isRefused, sent } = watchOver({ second: quota })
    const all = [1, 2, 3].map(() => unasked('second'))
    await Promise.resolve()
    await Promise.resolve()

    expect(await isRefused('second')).toBe(true)
    expect(await Promise.all(all)).toEqual(Array.from({ length: 3 }, () => expect.any(Inconclusive)))
    expect(sent).toEqual(['second', 'second', 'second'])
  })

  it('keeps nobody from asking for it', async () => {
    const { unasked, monitor, isRefused } = watchOver({ exhausted: quota })
    await unasked('exhausted')

    expect(await isRefused('exhausted')).toBe(true)
    expect(monitor.refuseExhausted(plainOf('exhausted', true))).toBeNull()
  })

  it('is no other answer, which nobody has to wait for', () => {
    const { monitor } = watchOver({ target: quota })

    expect(monitor.note(plainOf('target'), exchange(refused(429, '1006')))).toBeNull()
  })

  it('says nothing about a client that is not configured', async () => {
    expect(await watchOver({}).unasked('second')).toBe('judged')
  })
})

describe("another client's quota that runs out", () => {
  it('must leave the clients served before served', async () => {
    const { run, ranOut, sent, accused } = watchOver({ target: served, second: served }, ['target', 'second'])
    await ranOut('exhausted')

    expect(new Set(sent)).toEqual(new Set(['target', 'second']))
    expect([accused, run.state.kind]).toEqual([[], 'running'])
  })

  it.each([
    ['target', [quota], 'ended'],
    ['target', [quota, served], 'running'],
    ['second', [quota], 'running'],
  ] as const)('is a breach when %s, served before, gets 1020: %#', async (client, responses, state) => {
    const answers = { target: served, second: served, [client]: responses }
    const { run, ranOut, accused } = watchOver(answers, ['target', 'second'])
    await ranOut('exhausted')

    expect(accused).toEqual([
      {
        client,
        context: { rule: 'quota/per-client', case: 'served-before', replayable: false },
        how: { kind: 'request', violates: isRefusedForQuota },
        breach: {
          allowed: [{ status: '2xx', errorCode: null }],
          answered: { status: 429, errorCode: '1020', flaw: null },
          difference: 'refused for the quota of another client',
          summary:
            "answered 429 / 1020 where success is documented: this client was served just before, until another client's quota ran out, or its own ran out just then",
        },
      },
    ])
    expect(run.state.kind).toBe(state)
    if (state === 'ended')
      expect(run.state).toMatchObject({
        reason: { message: expect.stringContaining('see quota/per-client') },
      })
  })

  it.each([
    ['a client that was not served before', { target: quota }, [], 'exhausted', []],
    ['a client that is not configured', {}, ['target'], 'exhausted', []],
    ['the client itself, whose quota was to run out', { target: quota }, ['target'], 'target', []],
    ['another wrong answer', { target: answer(500, '') }, ['target'], 'exhausted', ['target']],
  ] as const)('blames nobody for %s', async (_, answers, before, client, asked) => {
    const { ranOut, accused, sent } = watchOver(answers, before)
    await ranOut(client)

    expect([accused, sent]).toEqual([[], asked])
  })

  it('is looked at once for each client whose quota runs out', async () => {
    const { ranOut, sent } = watchOver({ target: served }, ['target'])
    await Promise.all([ranOut('exhausted'), ranOut('exhausted'), ranOut('exhausted')])
    await ranOut('exhausted')
    expect(sent).toEqual(['target'])

    await ranOut('disposable')
    expect(sent).toEqual(['target', 'target'])
  })

  it('is looked into before anybody is taken for having used up a quota', async () => {
    const { ranOut, unasked, order } = watchOver({ second: quota }, ['second'])
    await Promise.all([ranOut('exhausted'), unasked('second')])

    expect(order).toEqual(['sent', 'sent', 'accused', 'sent', 'sent', 'sent'])
  })
})
