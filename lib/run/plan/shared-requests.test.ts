import { describe, expect, it } from 'vitest'
import type { Exchange } from '../../http/exchange.ts'
import { answers, holds, succeeds } from '../../judge/judge.ts'
import { exchange, served } from '../../judge/testing/exchanges.ts'
import type { DeclaredRule } from '../../specification/catalogue.ts'
import { isRuleId, ruleOf, type RuleId } from '../../specification/rules.ts'
import { requestOf } from '../testing/layers.ts'
import { example, inScene, scenario, type Case, type Example } from './cases.ts'
import { NoAnswer } from './errors.ts'
import { SharedRequests, type SharedAnswers } from './shared-requests.ts'
import type { TestRequest } from './test-request.ts'

const check = answers({ status: 400, errorCode: '1001' })
const [one, other] = ['authentication/api-key-missing', 'authentication/no-bypass'] as const
const alone = 'authentication/not-cached'

function requestTo(target = '/api/a'): TestRequest {
  return requestOf({}, { target })
}

function exampleTo(target?: string): Case {
  return example('a', requestTo(target), check)
}

/** A rule of the specification, or of a user, which has the entry of another. */
function declared(id: RuleId): DeclaredRule {
  return { id, entry: ruleOf(isRuleId(id) ? id : one) }
}

/** Plans cases, one per rule, and returns their costs. */
function costs(shared: SharedRequests, ...cases: readonly (readonly [RuleId, Case])[]): readonly number[] {
  shared.announce(cases.map(([, made]) => made))
  return cases.map(([id, made]) => shared.planned(declared(id), made).requests)
}

interface Asking {
  readonly kept: SharedAnswers
  /** Takes the answer that another request got, or sends and keeps it. */
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

const again: Case = { ...example('a', requestTo(), check), again: true }
const observed = example('a', requestTo().trait({ observed: true }), check)
const scene = [
  [{ request: requestTo('/api/s'), check: succeeds() }],
  [{ request: requestTo(), check, connection: 'same' }],
]
const judged = { request: requestTo(), exchange: exchange(served), judgement: holds }
const wanting = scenario('w', 3, () => Promise.resolve([judged]), {
  wants: [requestTo(), requestTo('/api/c')],
})

type Planned = readonly [RuleId, Case]
const oneA: Planned = [one, exampleTo()]
const otherA: Planned = [other, exampleTo()]
const otherB: Planned = [other, exampleTo('/api/b')]
const inSceneA: Planned = [alone, inScene('a', scene)]
const inSceneB: Planned = ['versioning/selected-per-request', inScene('b', scene, scene[1])]
const wants: Planned = ['quota/per-client', wanting]

it.each<[string, readonly Planned[], readonly number[]]>([
  ['of several rules is counted once', [oneA, otherA, otherB], [1, 0, 1]],
  [
    'of several rules is counted once even if one rule judges every answer',
    [oneA, ['endpoints/list-succeeds', exampleTo()]],
    [1, 0],
  ],
  ['that is sent again or alone is counted again', [[one, again], otherA, [alone, exampleTo()]], [1, 1, 1]],
  ['that run-wide rules judge differently is counted separately', [oneA, [other, observed]], [1, 1]],
  ['of a scene is free for other cases', [oneA, inSceneA], [0, 2]],
  ['of a scene is counted once', [inSceneA, inSceneB], [2, 0]],
  ['that a scenario wants is free if another case sends it', [oneA, wants], [1, 2]],
])('a request %s', (_, cases, expected) => {
  expect(costs(new SharedRequests(), ...cases)).toEqual(expected)
})

it('a planned case lists its cost by client, or is marked to be sent again', () => {
  const shared = new SharedRequests()
  costs(shared, oneA, wants)

  const [id, made] = wants
  expect(shared.planned(declared(id), made)).toMatchObject({ requests: 1, least: 1, byClient: { target: 1 } })
  expect(new SharedRequests().planned(declared(alone), exampleTo())).toMatchObject({ again: true })
})

describe('a request that rules have in common', () => {
  /** Two rules with the same request, and one with another. */
  const common = (): Asking => {
    const shared = new SharedRequests()
    costs(shared, oneA, otherA, otherB)
    return asking(shared)
  }

  it('is sent once, even if both need it at the same time, and forgotten after all have its answer', async () => {
    const { ask, sent } = common()
    const [first, second] = await Promise.all([ask(), ask(), ask('/api/b')])

    expect(second).toBe(first)
    expect(sent()).toBe(2)
    await ask()
    expect(sent()).toBe(3)
  })

  it('is sent again after all answers are forgotten', async () => {
    const { kept, ask, sent } = common()
    await ask()
    kept.plays.set(inScene('s', scene), Promise.resolve([]))
    kept.scenes.set(scene, Promise.resolve(new Map()))
    kept.forget()
    await ask()

    expect([sent(), kept.plays.size, kept.scenes.size]).toEqual([2, 0, 0])
  })

  it('that failed for the first rule is sent for the next', async () => {
    const { ask } = common()
    const spent = new NoAnswer('budget', 'used up')
    await expect(ask(undefined, Promise.reject(spent))).rejects.toBe(spent)

    await expect(ask()).resolves.toMatchObject({ response: served })
  })
})

describe('a generated case', () => {
  const generated: Example = {
    ...example('cut.0', requestTo(), check),
    again: true,
  }

  it('is free if a listed case sends its request, but is not shared if it is one of a pair or needs its own connection', () => {
    const shared = new SharedRequests()
    costs(shared, oneA)
    const pair = { request: requestTo(), check: () => check }
    const changes = [{}, { request: requestTo('/api/b') }, { alone: true as const }, { pair }]
    const planned = changes.map((more) => shared.plannedDrawn({ ...generated, ...more }))

    expect(planned.map((made) => [made.again, made.requests])).toEqual([
      [undefined, 0],
      [undefined, 1],
      [true, 1],
      [true, 1],
    ])
  })
})

describe('the requests of a scenario', () => {
  it.each([
    ['the first answer for rules that want them', oneA, true],
    ['no answer for rules that do not want them', otherB, false],
  ])('keep %s', async (_, made, isKept) => {
    const shared = new SharedRequests()
    costs(shared, made, inSceneA)
    const { kept, ask, sent } = asking(shared)
    const [first, second] = [exchange(served), exchange(served)]
    kept.provide(requestTo(), first)
    kept.provide(requestTo(), second)

    expect((await ask()) === first).toBe(isKept)
    expect([sent(), kept.isOfScenario(first)]).toEqual([isKept ? 0 : 1, isKept])
  })

  it('belong to the scenario even if it wanted them and had to send them itself', async () => {
    const shared = new SharedRequests()
    costs(shared, [alone, wanting], oneA, otherA)
    const kept = shared.opened()
    const [ofScenario, ofExample] = [exchange(served), exchange(served)]
    await kept.take(requestTo())
    kept.keep(requestTo(), Promise.resolve(ofScenario), { atOnce: true })
    await kept.take(requestTo())
    kept.keep(requestTo(), Promise.resolve(ofExample))
    await kept.take(requestTo())

    expect([ofScenario, ofExample].map((answer) => kept.isOfScenario(answer))).toEqual([true, false])
  })
})

describe('the whole body of an answer', () => {
  const own = 'mine/long'
  const wantingOther = scenario('w', 1, () => Promise.resolve([]), { wants: [requestTo('/api/b')] })

  /** Which of the requests to /api/a and /api/b are read whole by a rule of the specification. */
  function readWhole(rule: RuleId, made: Case): readonly boolean[] {
    const shared = new SharedRequests()
    costs(shared, [rule, made], [one, exampleTo()])
    const kept = shared.opened()
    expect(kept.isReadWhole(requestTo(), { rule: own })).toBe(true)
    return ['/api/a', '/api/b'].map((target) => kept.isReadWhole(requestTo(target), { rule: one }))
  }

  it.each<[string, RuleId, Case, readonly boolean[]]>([
    ["an example of a user's rule", own, exampleTo(), [true, false]],
    ["an answer that a scenario of a user's rule takes from other cases", own, wantingOther, [false, true]],
    ['no example of the specification', other, exampleTo(), [false, false]],
  ])('is read for %s', (_, rule, made, expected) => {
    expect(readWhole(rule, made)).toEqual(expected)
  })
})
