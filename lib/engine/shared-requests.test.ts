import { describe, expect, it } from 'vitest'
import type { Exchange } from '../http/exchange.ts'
import { exchange, served } from '../judge/testing/exchanges.ts'
import { answers } from '../judge/judge.ts'
import type { RuleId } from '../spec/rules.ts'
import { example } from './cases.ts'
import { SharedRequests } from './shared-requests.ts'
import type { TestRequest } from './test-request.ts'
import { requestOf } from './testing/layers.ts'
import { BudgetSpent } from './errors.ts'

const check = answers({ status: 400, errorCode: '1001' })
const [one, other] = ['authentication/api-key-missing', 'authentication/no-bypass'] as const

function requestTo(target = '/api/a'): TestRequest {
  return requestOf({}, { target })
}

/** Planned requests, one per rule, and their cost; then asked for in turn, and whether each was sent. */
function planned(...rules: readonly (readonly [RuleId, target?: string])[]): {
  readonly shared: SharedRequests
  readonly costs: readonly number[]
  readonly ask: (rule: RuleId, target?: string) => Promise<Exchange>
  readonly sent: () => number
} {
  const cases = rules.map(([rule, target]) => [rule, example('a', requestTo(target), check)] as const)
  const shared = new SharedRequests()
  const costs = cases.map(([rule, made]) => shared.planned(rule, made).requests)
  let sent = 0
  const send = async (): Promise<Exchange> => {
    sent += 1
    await Promise.resolve()
    return exchange(served)
  }
  const ask = (rule: RuleId, target?: string): Promise<Exchange> => shared.once(rule, requestTo(target), send)
  return { shared, costs, ask, sent: () => sent }
}

describe('a request that rules have in common', () => {
  it('is planned and sent once, also where both ask at the same time', async () => {
    const { costs, ask, sent } = planned([one], [other], [other, '/api/b'])
    const [first, second] = await Promise.all([ask(one), ask(other)])
    await ask(other, '/api/b')

    expect(costs).toEqual([1, 0, 1])
    expect(second).toBe(first)
    expect(sent()).toBe(2)
  })

  it('is forgotten once all have asked who planned it', async () => {
    const { ask, sent } = planned([one], [other])
    await ask(one)
    await ask(other)
    await ask(one)

    expect(sent()).toBe(2)
  })

  it('is sent for each rule that wants it sent again, or alone', async () => {
    const rules = ['endpoints/list-succeeds', 'authentication/not-cached'] as const
    const { costs, ask, sent } = planned(...rules.map((rule) => [rule] as const))
    for (const rule of rules) await ask(rule)

    expect(costs).toEqual([1, 1])
    expect(sent()).toBe(2)
  })

  it('that failed for the first one is sent for the next one', async () => {
    const { shared, ask } = planned([one], [other])
    const spent = new BudgetSpent(500, 'case')
    await expect(shared.once(one, requestTo(), () => Promise.reject(spent))).rejects.toBe(spent)

    await expect(ask(other)).resolves.toMatchObject({ response: served })
  })
})
