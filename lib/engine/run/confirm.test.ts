import { describe, expect, it } from 'vitest'
import type { Exchange } from '../../http/exchange.ts'
import { TransportError } from '../../http/transport-error.ts'
import { answer, exchange, refused, served } from '../../judge/testing/exchanges.ts'
import { Confirm, confirmPair, confirmScenario } from './confirm.ts'
import { BudgetSpent, ClientLockedOut, Inconclusive, NoResponse, RunEnded } from '../plan/errors.ts'
import type { SendOptions } from '../send/send.ts'
import { unanswered, type Met } from '../testing/meets.ts'
import { requestOf } from '../testing/layers.ts'

const rule = 'authentication/api-key-missing'
const context = { rule, case: 'absent' } as const
const spent = new BudgetSpent(500, 'confirming')
const lockedOut = new ClientLockedOut('the client may have been locked out')
const bug = new TypeError('a bug of ours')
const wrong = answer(500, '{}')
const right = refused(400, '1001')
const locked = refused(401, '1006')

const flawed = requestOf({}, { target: '/flawed' })
const plain = requestOf({ plain: true }, { target: '/plain' })

const silence = unanswered(new TransportError('timeout', 'no answer came'))
const isWrong = ({ response }: Exchange): boolean => response.status === 500

interface Played {
  readonly confirm: Confirm
  readonly sent: { readonly target: string; readonly options: SendOptions }[]
  readonly lockouts: () => number
}

/** A service with these answers to the flawed request and health checks, in turn, the last one repeatedly. */
function confirming(
  outcomes: readonly Met[],
  {
    checks = [served],
    recovers = true,
    isOff = false,
  }: {
    readonly checks?: readonly Met[]
    readonly recovers?: boolean | Error
    readonly isOff?: boolean
  } = {},
): Played {
  const sent: { readonly target: string; readonly options: SendOptions }[] = []
  let lockouts = 0
  const confirm = new Confirm({
    plain,
    isOff,
    ask: {
      send: ({ request: { target } }, options) => {
        const index = sent.filter((one) => one.target === target).length
        const given = target === '/plain' ? checks : outcomes
        const outcome = given[Math.min(index, given.length - 1)]
        sent.push({ target, options })
        return outcome instanceof Error || outcome === undefined
          ? Promise.reject(outcome ?? new Error('nothing to answer'))
          : Promise.resolve('kind' in outcome ? outcome : exchange(outcome))
      },
    },
    lockouts: {
      check: () => {
        lockouts += 1
        return recovers instanceof Error ? Promise.reject(recovers) : Promise.resolve(recovers)
      },
    },
  })
  return { confirm, sent, lockouts: () => lockouts }
}

describe('confirming a request', () => {
  it('sends it twice more, alone, on any connection, with a health check between', async () => {
    const { confirm, sent } = confirming([wrong])

    expect(await confirm.request(flawed, context, isWrong)).toEqual({
      seen: 3,
      of: 3,
      health: { kind: 'served', breach: [] },
    })
    expect(sent).toEqual([
      { target: '/flawed', options: { rule, purpose: 'confirming', case: 'absent', exclusive: true } },
      { target: '/plain', options: { rule, purpose: 'confirming' } },
      { target: '/flawed', options: { rule, purpose: 'confirming', case: 'absent', exclusive: true } },
    ])
  })

  it('does so once, however many rules ask, each by its own judgement; until it is forgotten', async () => {
    const { confirm, sent } = confirming([wrong, right])
    const both = await Promise.all([
      confirm.request(flawed, context, isWrong),
      confirm.request(flawed, { ...context, rule: 'errors/body-shape' }, (one) => !isWrong(one)),
    ])
    const never = await confirm.request(flawed, context, () => false)

    expect([...both, never].map(({ seen, of }) => `${seen} of ${of}`)).toEqual(['2 of 3', '2 of 3', '1 of 3'])
    expect(sent).toHaveLength(3)
    confirm.forget(flawed)
    await confirm.request(flawed, context, isWrong)
    expect(sent).toHaveLength(6)
  })

  it('sends nothing where a case is sent again anyway', async () => {
    const { confirm, sent } = confirming([wrong], { isOff: true })

    expect(await confirm.request(flawed, context, isWrong)).toEqual({
      seen: 1,
      of: 1,
      health: { kind: 'served', breach: [] },
    })
    expect(sent).toEqual([])
  })

  it.each([
    ['is answered wrongly', [answer(500, '')], false],
    ['fails', [silence], false],
    ['is refused like those of locked-out clients, and the client is not', [locked], false],
  ] as const)('goes on where the health check %s, and says so', async (_, checks, recovers) => {
    const { confirm, lockouts } = confirming([wrong], { checks, recovers })
    const [met] = checks
    const breach = met === silence ? [] : [expect.objectContaining({ rule: 'endpoints/list-succeeds' })]

    expect(await confirm.request(flawed, context, isWrong)).toEqual({
      seen: 3,
      of: 3,
      health: { kind: 'not served', breach },
    })
    expect(lockouts()).toBe(checks[0] === locked ? 1 : 0)
  })

  it('begins again where the client was locked out and is served again: what was seen says nothing', async () => {
    const { confirm, sent } = confirming([wrong, right], { checks: [locked, served] })

    expect(await confirm.request(flawed, context, isWrong)).toMatchObject({
      seen: 1,
      of: 3,
      health: { kind: 'served' },
    })
    expect(sent.map(({ target }) => target)).toEqual(['/flawed', '/plain', '/flawed', '/plain', '/flawed'])
  })

  it.each([
    ['nothing', [spent], [served], '1 of 1'],
    ['the first time only', [wrong, silence], [served], '2 of 2'],
    ['the first time only, for the health check is not allowed', [wrong], [spent], '2 of 2'],
    ['nothing, for the run ended', [new RunEnded('over')], [served], '1 of 1'],
  ] as const)('says what could be repeated: %s', async (_, outcomes, checks, expected) => {
    const { confirm } = confirming(outcomes, { checks })
    const { seen, of, health } = await confirm.request(flawed, context, isWrong)

    expect([`${seen} of ${of}`, health.kind]).toEqual([expected, 'served'])
  })

  it('says nothing of what was seen while the client was locked out, also where the budget ends then', async () => {
    const { confirm } = confirming([wrong, spent], { checks: [locked, served] })

    expect(await confirm.request(flawed, context, isWrong)).toMatchObject({ seen: 1, of: 1 })
  })

  it.each([
    ['a lock-out', [lockedOut], true, lockedOut],
    ['a lock-out found by the health check', [wrong], lockedOut, lockedOut],
    ['a bug', [bug], true, bug],
  ] as const)('throws %s', async (_, outcomes, recovers, error) => {
    const { confirm } = confirming(outcomes, { checks: [locked], recovers })

    await expect(confirm.request(flawed, context, isWrong)).rejects.toBe(error)
  })
})

/** Gives these in turn; throws errors. */
function oneByOne<Value>(values: readonly (Value | Error)[]): {
  readonly next: () => Promise<Value>
  left: () => number
} {
  const left = [...values]
  return {
    next: () => {
      const value = left.shift()
      if (value === undefined) return Promise.reject(new Error('asked too often'))
      return value instanceof Error ? Promise.reject(value) : Promise.resolve(value)
    },
    left: () => left.length,
  }
}

describe('confirming a scenario', () => {
  it.each<[string, readonly (boolean | Error)[]]>([
    ['3 of 3', [true, true]],
    ['2 of 3', [false, true]],
    ['1 of 3', [false, false]],
    ['2 of 2', [true, new Inconclusive('no')]],
    ['1 of 1', [new Inconclusive('no')]],
    ['1 of 1', [new NoResponse(flawed, silence)]],
  ])('counts the same breach: %s', async (expected, values) => {
    const { next, left } = oneByOne<boolean>(values)
    const { seen, of } = await confirmScenario(next)

    expect([`${seen} of ${of}`, left()]).toEqual([expected, 0])
  })

  it('throws a bug', async () => {
    await expect(confirmScenario(() => Promise.reject(bug))).rejects.toBe(bug)
  })
})

describe('confirming a pair', () => {
  it.each([
    ['order', [true, true, true, true], true],
    ['outcome', [true, true, true, true, true], true],
    ['order', [true, false], false],
    ['outcome', [true, true, true, true, false], false],
    ['one of many', [true, true, true, true, true, true, true, true], true],
    ['one of many', [true, true, true, true, true, true, true, false], false],
  ] as const)('of different %s asks %o: %s', async (about, values, expected) => {
    const { next, left } = oneByOne(values)

    expect([await confirmPair(about, next), left()]).toEqual([expected, 0])
  })

  it('sends the other one first every second time', async () => {
    const reversed: boolean[] = []
    await confirmPair('outcome', (isReversed) => Promise.resolve(reversed.push(isReversed) > 0))

    expect(reversed).toEqual([false, true, false, true, false])
  })
})
