import { describe, expect, it } from 'vitest'
import type { Exchange } from '../../http/exchange.ts'
import { answers } from '../../judge/judge.ts'
import { exchange, served } from '../../judge/testing/exchanges.ts'
import { isRuleId, ruleOf, type RuleId } from '../../specification/rules.ts'
import { requestOf } from '../testing/layers.ts'
import { example, scenario, type Case } from './cases.ts'
import { NoAnswer } from './errors.ts'
import { SharedRequests } from './shared-requests.ts'
import type { TestRequest } from './test-request.ts'

const check = answers({ status: 400, errorCode: '1001' })
const [one, other] = ['authentication/api-key-missing', 'authentication/no-bypass'] as const

function requestTo(target = '/api/a'): TestRequest {
  return requestOf({}, { target })
}

function exampleTo(target?: string): Case {
  return example('a', requestTo(target), check)
}

/** Plans cases, one per rule. A rule of a user has the entry of another. */
function plan(shared: SharedRequests, ...cases: readonly (readonly [RuleId, Case])[]): void {
  shared.announce(cases.map(([, made]) => made))
  for (const [id, made] of cases) shared.planned({ id, entry: ruleOf(isRuleId(id) ? id : one) }, made)
}

describe('a request that rules have in common', () => {
  /** Plans two rules with the same request, and one with another; `ask` takes a known answer, or sends the request and keeps its answer. */
  function common() {
    const shared = new SharedRequests()
    plan(shared, [one, exampleTo()], [other, exampleTo()], [other, exampleTo('/api/b')])
    const kept = shared.opened()
    let sent = 0
    const ask = (target?: string, answer = Promise.resolve(exchange(served))): Promise<Exchange> => {
      const known = kept.take(requestTo(target))
      if (known !== null) return known
      sent += 1
      kept.keep(requestTo(target), answer)
      return answer
    }
    return { ask, sent: () => sent }
  }

  it('is sent once, even if both need it at the same time, and forgotten after all have its answer', async () => {
    const { ask, sent } = common()
    const [first, second] = await Promise.all([ask(), ask(), ask('/api/b')])

    expect(second).toBe(first)
    expect(sent()).toBe(2)
    await ask()
    expect(sent()).toBe(3)
  })

  it('that failed for the first rule is sent for the next', async () => {
    const { ask } = common()
    const spent = new NoAnswer('budget', 'used up')
    await expect(ask(undefined, Promise.reject(spent))).rejects.toBe(spent)

    await expect(ask()).resolves.toMatchObject({ response: served })
  })
})

describe('the whole body of an answer', () => {
  const own = 'mine/long'
  const wantingOther = scenario('w', 1, () => Promise.resolve([]), { wants: [requestTo('/api/b')] })

  /** Which of the requests to /api/a and /api/b are read whole by a rule of the specification. */
  function readWhole(rule: RuleId, made: Case): readonly boolean[] {
    const shared = new SharedRequests()
    plan(shared, [rule, made], [one, exampleTo()])
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
