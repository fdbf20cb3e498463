import { describe, expect, it } from 'vitest'
import type { Exchange } from '../../http/exchange.ts'
import { exchange, served } from '../../judge/testing/exchanges.ts'
import { answers, holds, succeeds } from '../../judge/judge.ts'
import { specCatalogue, type Catalogue } from '../../specification/catalogue.ts'
import { ruleOf, type RuleId } from '../../specification/rules.ts'
import { example, inScene, scenario, type Case, type GeneratedCase } from './cases.ts'
import { SharedRequests, type SharedAnswers } from './shared-requests.ts'
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

interface Asking {
  readonly kept: SharedAnswers
  /** Takes the answer that another one got, or sends and keeps it. */
  readonly ask: (target?: string, answer?: Promise<Exchange>) => Promise<Exchange>
  readonly sent: () => number
}

/** Asks for requests as planned, and counts how many are sent. */
function asking(shared: SharedRequests): Asking {
  const kept = shared.opened()
  let sent = 0
  const ask: Asking['ask'] = (target, answer = Promise.resolve(exchange(served))) => {
    const known = kept.take(requestTo(target))
    if (known !== null) return known
    sent += 1
    kept.keep(requestTo(target), answer)
    return answer
  }
  return { kept, ask, sent: () => sent }
}

describe('a request that rules have in common', () => {
  it('is planned and sent once, also where both ask at the same time', async () => {
    const shared = new SharedRequests()
    expect(costs(shared, [one, exampleTo()], [other, exampleTo()], [other, exampleTo('/api/b')])).toEqual([
      1, 0, 1,
    ])
    const { ask, sent } = asking(shared)
    const [first, second] = await Promise.all([ask(), ask()])
    await ask('/api/b')

    expect(second).toBe(first)
    expect(sent()).toBe(2)
  })

  it('is forgotten once all have asked who planned it', async () => {
    const shared = new SharedRequests()
    costs(shared, [one, exampleTo()], [other, exampleTo()])
    const { ask, sent } = asking(shared)
    for (let time = 0; time < 3; time += 1) await ask()

    expect(sent()).toBe(2)
  })

  it('is shared by rules that judge every answer, too', () => {
    expect(costs(new SharedRequests(), [one, exampleTo()], ['endpoints/list-succeeds', exampleTo()])).toEqual(
      [1, 0],
    )
  })

  it('is sent again once all answers are forgotten', async () => {
    const shared = new SharedRequests()
    costs(shared, [one, exampleTo()], [other, exampleTo()])
    const { kept, ask, sent } = asking(shared)
    const scene = [[{ request: requestTo(), check }]]
    await ask()
    kept.plays.set(inScene('s', scene), Promise.resolve([]))
    kept.scenes.set(scene, Promise.resolve(new Map()))
    kept.forget()
    await ask()

    expect([sent(), kept.plays.size, kept.scenes.size]).toEqual([2, 0, 0])
  })

  it('is sent for each case that wants it again, or alone', () => {
    const again: Case = { ...example('a', requestTo(), check), again: true }
    expect(new SharedRequests().planned(alone, exampleTo())).toMatchObject({ again: true })

    expect(costs(new SharedRequests(), [one, again], [other, exampleTo()], [alone, exampleTo()])).toEqual([
      1, 1, 1,
    ])
  })

  it('that failed for the first one is sent for the next one', async () => {
    const shared = new SharedRequests()
    costs(shared, [one, exampleTo()], [other, exampleTo()])
    const { ask } = asking(shared)
    const spent = new BudgetSpent(500, 'case')
    await expect(ask(undefined, Promise.reject(spent))).rejects.toBe(spent)

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
    of: 'cut',
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

  it('are free for the examples of other rules, who take its answer', async () => {
    const shared = new SharedRequests()
    expect(costs(shared, [one, exampleTo()], [alone, inScene('s', scene)])).toEqual([0, 2])
    const { kept, ask, sent } = asking(shared)
    const answer = exchange(served)
    kept.provide(requestTo(), answer)

    expect(await ask()).toBe(answer)
    expect(kept.isOfScenario(answer)).toBe(true)
    expect(sent()).toBe(0)
  })

  it('are kept for nobody who does not want them', async () => {
    const shared = new SharedRequests()
    costs(shared, [one, exampleTo('/api/b')], [alone, inScene('s', scene)])
    const { kept, ask, sent } = asking(shared)
    kept.provide(requestTo(), exchange(served))
    await ask()

    expect(sent()).toBe(1)
  })

  it('keep the first answer', async () => {
    const shared = new SharedRequests()
    costs(shared, [one, exampleTo()], [alone, inScene('s', scene)])
    const { kept, ask } = asking(shared)
    const first = exchange(served)
    kept.provide(requestTo(), first)
    kept.provide(requestTo(), exchange(served))

    expect(await ask()).toBe(first)
  })

  it("are known as a scenario's also where it wanted them and nobody had sent them", async () => {
    const shared = new SharedRequests()
    const wanting = scenario('w', 1, () => Promise.resolve([]), { wants: [requestTo()] })
    costs(shared, [alone, wanting], [one, exampleTo()], [other, exampleTo()])
    const kept = shared.opened()
    const [ofScenario, ofExample] = [exchange(served), exchange(served)]
    await kept.take(requestTo())
    kept.keep(requestTo(), Promise.resolve(ofScenario), { atOnce: true })
    await kept.take(requestTo())
    kept.keep(requestTo(), Promise.resolve(ofExample))
    await kept.take(requestTo())

    expect([ofScenario, ofExample].map((answer) => kept.isOfScenario(answer))).toEqual([true, false])
  })

  it('are sent once for all rules that judge the scene', async () => {
    const shared = new SharedRequests()
    const [first, second] = [inScene('a', scene), inScene('b', scene, scene[1])]
    expect(costs(shared, [alone, first], ['versioning/selected-per-request', second])).toEqual([2, 0])
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

    const shared = new SharedRequests()
    expect(costs(shared, [one, exampleTo()], ['quota/per-client', wanting])).toEqual([1, 2])
    expect(shared.planned('quota/per-client', wanting)).toMatchObject({
      requests: 1,
      least: 1,
      byClient: { target: 1 },
    })
  })
})

describe('the whole body of an answer', () => {
  const own = 'mine/long'
  const catalogue: Catalogue = new Map([...specCatalogue, [own, ruleOf(one)]])

  /** Which of the requests to /api/a and /api/b are read whole by a rule of the specification. */
  function readWhole(rule: RuleId, made: Case): readonly boolean[] {
    const shared = new SharedRequests(catalogue)
    costs(shared, [rule, made], [one, exampleTo()])
    const kept = shared.opened()
    expect(kept.isReadWhole(requestTo(), { rule: own })).toBe(true)
    return ['/api/a', '/api/b'].map((target) => kept.isReadWhole(requestTo(target), { rule: one }))
  }

  it.each<[string, RuleId, Case, readonly boolean[]]>([
    ['an example of a rule of the user’s own', own, exampleTo(), [true, false]],
    [
      'what a scenario of such a rule takes from others',
      own,
      scenario('w', 1, () => Promise.resolve([]), { wants: [requestTo('/api/b')] }),
      [false, true],
    ],
    ['no example of the specification', other, exampleTo(), [false, false]],
  ])('is read for %s', (_, rule, made, expected) => {
    expect(readWhole(rule, made)).toEqual(expected)
  })
})
