import { describe, expect, it } from 'vitest'
import { exchange, requestWith, served } from '../judge/testing/exchanges.ts'
import { SharedRequests } from './shared-requests.ts'
import { Stimulus } from './stimulus.ts'
import { BudgetSpent } from './unjudged.ts'

function stimulus(target = '/api/a'): Stimulus {
  return new Stimulus(requestWith({ target }), {
    client: 'target',
    endpoint: 'GET /api/customizations/list',
    plain: false,
    observed: false,
    transportMayRefuse: false,
    mayRedirect: false,
    asksForQuota: false,
  })
}

describe('a request that rules have in common', () => {
  it('is sent once, also where both ask at the same time', async () => {
    const shared = new SharedRequests()
    let sent = 0
    const send = async () => {
      sent += 1
      await Promise.resolve()
      return exchange(served)
    }
    const [first, second] = await Promise.all([shared.once(stimulus(), send), shared.once(stimulus(), send)])
    const third = await shared.once(stimulus(), send)
    await shared.once(stimulus('/api/b'), send)

    expect(sent).toBe(2)
    expect(second).toBe(first)
    expect(third).toBe(first)
  })

  it('that failed for the first one is sent for the next one', async () => {
    const shared = new SharedRequests()
    const spent = new BudgetSpent(500, 'case')
    await expect(shared.once(stimulus(), () => Promise.reject(spent))).rejects.toBe(spent)

    const answered = exchange(served)
    await expect(shared.once(stimulus(), () => Promise.resolve(answered))).resolves.toBe(answered)
  })
})
