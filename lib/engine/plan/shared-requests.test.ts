import { describe, expect, it } from 'vitest'
import type { Exchange } from '../../http/exchange.ts'
import { exchange, served } from '../../judge/testing/exchanges.ts'
import { answers, holds, succeeds } from '../../judge/judge.ts'
import type { RuleId } from '../../specification/rules.ts'
import { example, inScene, scenario, type Case, type GeneratedCase, type Played } from './cases.ts'
import { SharedRequests } from './shared-requests.ts'
import type { TestRequest } from './test-request.ts'
import { requestOf } from '../testing/layers.ts'
import { BudgetSpent } from './errors.ts'

const check = answers({ status: 400, errorCode: '1001' })
const [one, other] = ['authentication/api-key-missing', 'authentication/no-bypass'] as const
const alone = 'authentication/not-cached'

function requestTo(target = '/api/a'): TestRequest {
  return requestOf({}, { target })
}

function exampleTo(target?: string): Case {
  return example('a', requestTo(target), check)
}

/** Plans cases, one per rule, and gives their costs. */
function costs(shared: SharedRequests, ...cases: readonly (readonly [RuleId, Case])[]): readonly number[] {
  shared.announce(cases.map(([, made]) => made))
  return cases.map(([rule, made]) => shared.planned(rule, made).requests)
}

/** Asks for requests, and counts how many are sent. */
function asking(shared: SharedRequests): {
  readonly ask: (target?: string) => Promise<Exchange>
  readonly sent: () => number
} {
  let sent = 0
  const send = async (): Promise<Exchange> => {
    sent += 1
    await Promise.resolve()
    return exchange(served)
  }
  return { ask: (target) => shared.once(requestTo(target), send), sent: () => sent }
}

describe('a request that rules have in common', () => {
  it('is planned and sent once, also where both ask at the same time', async () => {
    const shared = new SharedRequests()
    const { ask, sent } = asking(shared)
    expect(costs(shared, [one, exampleTo()], [other, exampleTo()], [other, exampleTo('/api/b')])).toEqual([
      1, 0, 1,
    ])
    const [first, second] = await Promise.all([ask(), ask()])
    await ask('/api/b')

    expect(second).toBe(first)
    expect(sent()).toBe(2)
  })

  it('is forgotten once all have asked who planned it', async () => {
    const shared = new SharedRequests()
    const { ask, sent } = asking(shared)
    costs(shared, [one, exampleTo()], [other, exampleTo()])
    for (let time = 0; time < 3; time += 1) await ask()

    expect(sent()).toBe(2)
  })

  it('is sent for each case that wants it again, or alone', () => {
    const again: Case = { ...example('a', requestTo(), check), again: true }

    expect(costs(new SharedRequests(), [one, again], [other, exampleTo()], [alone, exampleTo()])).toEqual([
      1, 1, 1,
    ])
  })

  it('that failed for the first one is sent for the next one', async () => {
    const shared = new SharedRequests()
    const { ask } = asking(shared)
    costs(shared, [one, exampleTo()], [other, exampleTo()])
    const spent = new BudgetSpent(500, 'case')
    await expect(shared.once(requestTo(), () => Promise.reject(spent))).rejects.toBe(spent)

    await expect(ask()).resolves.toMatchObject({ response: served })
  })

  it('is another one where the run-wide rules judge it otherwise', () => {
    const observed: Case = example('a', requestTo().trait({ observed: true }), check)

    expect(costs(new SharedRequests(), [one, exampleTo()], [other, observed])).toEqual([1, 1])
  })
})

describe('a generated case', () => {
  const generated: GeneratedCase = {
    name: 'cut.0',
    says: '',
    request: requestTo(),
    alone: false,
    before: null,
    check: () => check,
    observe: () => {},
    simpler: () => [],
  }

  it('is free where a listed case sends its request', () => {
    const shared = new SharedRequests()
    costs(shared, [one, exampleTo()])
    const elsewhere = { ...generated, request: requestTo('/api/b') }

    expect([generated, elsewhere].map((made) => shared.plannedDrawn(made).shared)).toEqual(['free', 'paid'])
  })

  it('shares nothing with a pair or on a connection of its own', () => {
    const shared = new SharedRequests()
    costs(shared, [one, exampleTo()])
    const demanding = [
      { ...generated, alone: true },
      { ...generated, before: requestTo() },
    ]

    expect(demanding.map((made) => shared.plannedDrawn(made).shared)).toEqual([undefined, undefined])
  })
})

describe('the requests of a scenario', () => {
  const scene = [
    [{ request: requestTo('/api/s'), check: succeeds() }],
    [{ request: requestTo(), check, connection: 'same' }],
  ]
  const played = (): Promise<Played> => Promise.resolve(new Map())

  it('are free for the examples of other rules, who take its answer', async () => {
    const shared = new SharedRequests()
    const { ask, sent } = asking(shared)
    expect(costs(shared, [one, exampleTo()], [alone, inScene('s', scene)])).toEqual([0, 2])
    const answer = exchange(served)
    shared.provide(requestTo(), answer)

    expect(await ask()).toBe(answer)
    expect(shared.isOfScenario(answer)).toBe(true)
    expect(sent()).toBe(0)
  })

  it('are kept for nobody who does not want them', async () => {
    const shared = new SharedRequests()
    const { ask, sent } = asking(shared)
    costs(shared, [one, exampleTo('/api/b')], [alone, inScene('s', scene)])
    shared.provide(requestTo(), exchange(served))
    await ask()

    expect(sent()).toBe(1)
  })

  it('keep the first answer', async () => {
    const shared = new SharedRequests()
    const { ask } = asking(shared)
    costs(shared, [one, exampleTo()], [alone, inScene('s', scene)])
    const first = exchange(served)
    shared.provide(requestTo(), first)
    shared.provide(requestTo(), exchange(served))

    expect(await ask()).toBe(first)
  })

  it('are sent once for all rules that judge the scene', async () => {
    const shared = new SharedRequests()
    const [first, second] = [inScene('a', scene), inScene('b', scene, scene[1])]
    expect(costs(shared, [alone, first], ['versioning/selected-per-request', second])).toEqual([2, 0])
    expect(shared.wasPlayed(second)).toBe(false)
    let times = 0
    const play = (): Promise<Played> => {
      times += 1
      return played()
    }
    const both = await Promise.all([shared.played(scene, play), shared.played(scene, play)])

    expect(both[0]).toBe(both[1])
    expect(times).toBe(1)
    expect(shared.wasPlayed(second)).toBe(true)
  })

  it('cost a scenario nothing where another case sends what it wants', () => {
    const wanting = scenario(
      'w',
      3,
      () => Promise.resolve([{ request: requestTo(), exchange: exchange(served), judgement: holds }]),
      {
        wants: [requestTo(), requestTo('/api/c')],
      },
    )

    expect(costs(new SharedRequests(), [one, exampleTo()], ['quota/per-client', wanting])).toEqual([1, 2])
  })
})
