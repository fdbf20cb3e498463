import { describe, expect, it } from 'vitest'
import { exchange, refused, served } from '../../judge/testing/exchanges.ts'
import { BudgetSpent, ClientLockedOut, Inconclusive, RunEnded } from '../plan/errors.ts'
import type { Send, SendOptions } from '../send/send.ts'
import { failure, plain, quota, type Met } from '../testing/meets.ts'
import { askPlain, plainContext } from './plain.ts'

/** Asks a service that meets the request in this way. */
function asked(
  met: Met,
  sent: SendOptions[] = [],
  how: Partial<SendOptions> = {},
): ReturnType<typeof askPlain> {
  const send: Send = async (_, options) => {
    sent.push(options)
    if (met instanceof Error) throw met
    return 'kind' in met ? met : exchange(met)
  }
  return askPlain(send, plain, how)
}

describe('a plain valid request', () => {
  it('is a health check of the rule about it', async () => {
    const sent: SendOptions[] = []
    await asked(served, sent)
    await asked(served, sent, { once: true })

    const options = { rule: 'endpoints/list-succeeds', purpose: 'health-check' }
    expect(sent).toEqual([options, { ...options, once: true }])
    expect(plainContext).toEqual({ rule: options.rule, case: 'plain' })
  })

  it.each<[string, Met, object]>([
    ['a success', served, { kind: 'answered', exchange: exchange(served), answered: { status: 200 } }],
    ['a refusal', refused(400, '1003'), { kind: 'answered', answered: { errorCode: '1003' } }],
    ['a used-up quota', quota, { kind: 'exhausted', because: expect.stringContaining('TARGET_API_KEY') }],
    ['no answer', failure, { kind: 'failed', because: 'nobody listens at 127.0.0.1:1' }],
    ['a refused rate', new Inconclusive('the rate'), { kind: 'failed', because: 'the rate' }],
  ])('comes to %s', async (_, met, outcome) => {
    expect(await asked(met)).toMatchObject(outcome)
  })

  it.each([
    ['a spent budget', new BudgetSpent(500, 'health-check')],
    ['the end of the run', new RunEnded('over')],
    ['a lockout', new ClientLockedOut('locked out')],
    ['a bug of ours', new TypeError('bug')],
  ])('throws %s', async (_, error) => {
    await expect(asked(error)).rejects.toBe(error)
  })
})
