import { describe, expect, it } from 'vitest'
import type { Exchange } from '../../http/exchange.ts'
import { answer, exchange, refused } from '../../judge/testing/exchanges.ts'
import { BudgetSpent, Inconclusive, RunEnded } from '../plan/errors.ts'
import { SharedAnswers } from '../plan/shared-requests.ts'
import type { Context } from '../plan/test-request.ts'
import type { RunRecord } from '../record/run-record.ts'
import type { SendOptions } from '../send/send.ts'
import { RunLifecycle } from '../send/run-state.ts'
import { FakeConnection } from '../testing/fake-connection.ts'
import { recordOf, requestOf } from '../testing/layers.ts'
import { Driver } from './driver.ts'

const context: Context = { rule: 'authentication/api-key-missing', case: 'absent' }
const request = requestOf()
const right = exchange(refused(400, '1001'))
const wrong = exchange(refused(401, '1006'))
const isRight = (one: Exchange): boolean => one === right

type Wait = 'preflight' | 'trial' | 'quota' | 'note' | 'unlock' | 'recovery'

interface Driving {
  readonly driver: Driver
  readonly run: RunLifecycle
  readonly record: RunRecord
  /** What was done, in order; `…` where it had to wait. */
  readonly done: string[]
  readonly how: SendOptions[]
}

interface Options {
  /** What has to wait, and what comes of it. */
  readonly waits?: Partial<Record<Wait, (run: RunLifecycle) => unknown>>
  readonly isReplay?: boolean
  readonly shared?: SharedAnswers
}

/** A driver whose requests meet these answers in turn, the last one repeatedly. */
function driving(
  answers: readonly (Exchange | Error)[] = [right],
  { waits = {}, isReplay = false, shared = new SharedAnswers() }: Options = {},
): Driving {
  const run = new RunLifecycle(new AbortController().signal)
  const record = recordOf({ isReplay })
  const done: string[] = []
  const how: SendOptions[] = []
  const step = async (name: string, outcome: () => unknown = () => null): Promise<unknown> => {
    done.push(`${name}…`)
    await new Promise((resolve) => setImmediate(resolve))
    done.push(name)
    return outcome()
  }
  const waiting = (name: Wait): Promise<void> | null => {
    const outcome = waits[name]
    return outcome === undefined ? null : step(name, () => outcome(run)).then(() => {})
  }
  const isOver = (name: 'note' | 'unlock' | 'recovery'): Promise<boolean> | false => {
    const outcome = waits[name]
    return outcome !== undefined && step(name, () => outcome(run)).then((is) => is === true)
  }
  const driver = new Driver({
    run,
    preflight: { reached: () => waiting('preflight') },
    lockouts: {
      get trialUnderWay() {
        return waiting('trial')
      },
    },
    otherLockouts: { recovers: () => isOver('unlock') },
    quotas: { refuseExhausted: () => waiting('quota'), note: () => isOver('note') || null },
    attribution: {
      send: async (_, options) => {
        const met = answers[Math.min(how.length, answers.length - 1)]
        how.push(options)
        await step('sent')
        if (met === undefined || met instanceof Error) throw met ?? new Error('nothing to answer')
        return met
      },
    },
    record,
    accuser: { judge: async () => void (await step('judged')) },
    health: { recoversAfter: () => isOver('recovery') },
    shared,
  })
  return { driver, run, record, done, how }
}

describe('a request', () => {
  it('is sent and judged at once where nothing has to wait', async () => {
    const { driver, done } = driving()

    expect(await driver.send(request, context)).toBe(right)
    expect(done).toEqual(['sent…', 'sent', 'judged…', 'judged'])
  })

  it.each(['preflight', 'trial'] as const)('waits for: %s', async (wait) => {
    const { driver, done } = driving([right], {
      waits: { [wait]: () => {}, quota: () => {}, note: () => {} },
    })
    await driver.send(request, context)

    const order = [wait, 'quota', 'sent', 'note', 'judged']
    expect(done).toEqual(order.flatMap((name) => [`${name}…`, name]))
  })

  it.each([
    ['the run ended while it waited', 'preflight', (run: RunLifecycle) => run.end(new RunEnded('over'))],
    [
      'its client has no quota left',
      'quota',
      () => {
        throw new Inconclusive('over')
      },
    ],
  ] as const)('is not sent where %s', async (_, wait, outcome) => {
    const { driver, how } = driving([right], { waits: { [wait]: outcome } })

    await expect(driver.send(request, context)).rejects.toThrow('over')
    expect(how).toEqual([])
  })

  it.each([
    [{}, { purpose: 'case', connection: undefined, atOnce: undefined }],
    [
      { purpose: 'confirming', atOnce: true },
      { purpose: 'confirming', connection: undefined, atOnce: true },
    ],
  ] as const)('is sent for its case, in a context with %o', async (more, expected) => {
    const { driver, how } = driving()
    await driver.send(request, { ...context, ...more })

    expect(how).toEqual([{ rule: context.rule, case: 'absent', ...expected }])
  })

  it('is sent on the connection of its case', async () => {
    const { driver, how } = driving()
    const connection = new FakeConnection([])
    await driver.send(request, { ...context, connection })

    expect(how[0]?.connection).toBe(connection)
  })

  it('is not judged where its answer shows a used-up quota', async () => {
    const exhausted = new Inconclusive('used up')
    const note = (): never => {
      throw exhausted
    }
    const { driver, done, record } = driving([right], { waits: { note }, isReplay: true })

    await expect(driver.send(request, context)).rejects.toBe(exhausted)
    expect(done).not.toContain('judged')
    expect(record.replay?.replayed([]).sent).toBe(0)
  })

  it('leaves observations, and its exchange where one case is sent again', async () => {
    const fields = ['application/json', 'text/plain'].map((type) => ['content-type', type] as const)
    const { driver, record } = driving([exchange(answer(200, {}, { fields }))], { isReplay: true })
    await driver.send(request, context)

    expect(record.observations.all().map(({ id }) => id)).toContain('repeated-content-type')
    expect(record.replay?.replayed([])).toMatchObject({ sent: 1, exchanges: [{ response: { status: 200 } }] })
  })

  it.each(['note', 'unlock', 'recovery'] as const)(
    'is sent again where a lockout is over, by: %s',
    async (by) => {
      let lockouts = 1
      const { driver, how } = driving([wrong, right], { waits: { [by]: () => lockouts-- > 0 } })

      expect(await driver.send(request, context)).toBe(right)
      expect(how).toHaveLength(2)
    },
  )

  it('gives the beginning of a long answer, unless a check reads the whole', async () => {
    const long = exchange(answer(200, 'x'.repeat(1_000_000)))
    const { driver } = driving([long])
    const given = await driver.send(request, context)

    expect(given.response.cutFrom).toBe(1_000_000)
    expect(await driver.send(request, { ...context, rule: 'mine/long' })).toBe(long)
  })
})

describe('a request that cases share', () => {
  const planned = (uses: number): SharedAnswers => new SharedAnswers(new Map([[request.key, uses]]))

  it('is sent once for all that planned it, and again for any other', async () => {
    const { driver, how } = driving([right, wrong], { shared: planned(3) })
    const all = await Promise.all([1, 2, 3].map(() => driver.sendOnce(request, context)))

    expect([all, how.length]).toEqual([[right, right, right], 1])
    expect(await driver.sendOnce(request, context)).toBe(wrong)
  })

  /** After a scenario got this answer to it. */
  const afterScenario = (answered: Exchange): Options => {
    const shared = planned(1)
    shared.provide(request, answered)
    return { shared }
  }

  it.each([
    ['holds', right, 0, right],
    ['does not hold', wrong, 1, right],
  ] as const)('takes the answer of a scenario, which %s', async (_, answered, sent, expected) => {
    const { driver, how } = driving([right], afterScenario(answered))

    expect(await driver.sendShared(request, context, isRight)).toBe(expected)
    expect(how).toHaveLength(sent)
  })

  it('keeps an answer that does not hold where no scenario got it', async () => {
    const { driver, how } = driving([wrong, right])

    expect(await driver.sendShared(request, context, isRight)).toBe(wrong)
    expect(how).toHaveLength(1)
  })

  it('keeps that of a scenario where the budget leaves no request, and hides no other failure', async () => {
    const bug = new TypeError('a bug of ours')
    const spent = driving([new BudgetSpent(500, 'case')], afterScenario(wrong))
    const broken = driving([bug], afterScenario(wrong))

    expect(await spent.driver.sendShared(request, context, isRight)).toBe(wrong)
    await expect(broken.driver.sendShared(request, context, isRight)).rejects.toBe(bug)
  })
})
