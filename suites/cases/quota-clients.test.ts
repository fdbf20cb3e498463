import { expect, it, test } from 'vitest'
import { answer, refused } from '../../lib/judge/testing/exchanges.ts'
import { rule, scenario, type Stage } from '../../lib/run/plan/cases.ts'
import { contextOf, fixtures } from '../../lib/run/testing/contexts.ts'
import type { Meets } from '../../lib/run/testing/in-memory.ts'
import { type Play, played, saying } from '../../lib/run/testing/played.ts'
import type { SpecRuleId } from '../../lib/specification/rules.ts'
import { type QuotaClient, quotaClients } from './quota-clients.ts'

const rules = ['quota/exhausted', 'quota/stays-exhausted', 'quota/per-client'] as const
const [exhausted, , perClient] = rules
const withClients = { ...fixtures('EXHAUSTED', 'DISPOSABLE'), FIXTURE_DISPOSABLE_QUOTA: '6' }
const context = await contextOf(withClients)

it('clients whose quota is used up come from the settings', () => {
  const without = { ...context, list: { ...context.list, of: () => [] } }

  expect(quotaClients(context).map(({ name }) => name)).toEqual(['exhausted-client', 'disposable-client'])
  expect(quotaClients(without)).toEqual([])
  for (const { request } of quotaClients(context)) expect(request.traits.asksForQuota).toBe(true)
})

it('the first selected rule pays for using up clients', () => {
  const payers = rules.map((_, from) => {
    const selects = (id: string): boolean => rules.slice(from).some((one) => one === id)
    const [, disposable] = quotaClients({ ...context, selects })
    return rules.filter((id) => (disposable?.cost(id, 3).requests.most ?? 0) > 3)
  })

  expect(payers).toEqual(rules.map((id) => [id]))
})

it('each client costs its requests, and the disposable client also its quota or the maximum', async () => {
  const [used, disposable] = quotaClients(context)
  const [, undeclared] = quotaClients(await contextOf({ ...withClients, ...noQuota, RUN_MAX_EXHAUST: '40' }))

  expect(used?.cost(exhausted, 3).requests).toEqual({ least: 4, most: 4 })
  expect(disposable?.cost(exhausted, 3).requests).toEqual({ least: 5, most: 5 + 6 })
  expect(disposable?.cost(perClient, 3).requests).toEqual({ least: 3, most: 3 })
  expect(undeclared?.cost(exhausted, 3).requests).toEqual({ least: 4, most: 44 })
})

interface Using extends Partial<Play> {
  /** By default one scenario of 100 requests. */
  readonly scenarios?: readonly (readonly [rule: SpecRuleId, requests: number])[]
}

/** The number of requests sent as the disposable client, and its answers, with one text per turn. */
type Used = Partial<Record<'spent' | 'turns' | 'left', unknown>>

const noQuota = { FIXTURE_DISPOSABLE_QUOTA: '' }
const six = 'served served served served served served'
const lastly = (kind: string): unknown => expect.arrayContaining([kind])
const ofQuota = (disposable: number): Partial<Play> => ({ reference: { quotas: { disposable } } })
const answered = (met: Meets, env = {}): Partial<Play> => ({ service: { disposable: [met] }, env })
const dear = { FIXTURE_DISPOSABLE_QUOTA: '50', RUN_MAX_EXHAUST: '40' }
const undeclared20 = { ...ofQuota(1_000), env: { ...noQuota, RUN_MAX_EXHAUST: '20' } }
const sevenServed = [six, 'served', 'refused refused refused']
const otherwise = answered(refused(401, '1013'), { RUN_CONCURRENCY: '2' })
const usually: Using['scenarios'] = [[exhausted, 100]]
const twice = [exhausted, 20] as const
const several: Using['scenarios'] = [twice, twice, [perClient, 3]]
const partlyUsed = [expect.stringMatching(/^served served refused/), 'refused']
const endless = [six, 'served', 'served served served', 'served', 'served', 'served']
const stillServed =
  'the disposable client was still served after 20 requests, and FIXTURE_DISPOSABLE_QUOTA is not given'
const tooMany =
  'FIXTURE_DISPOSABLE_QUOTA is 50, but a run may send only so many requests to use up a quota (RUN_MAX_EXHAUST is 40)'
const tooSmall = 'the budget is too small to use up the quota of 6 requests (FIXTURE_DISPOSABLE_QUOTA)'
const odd = saying('was answered 200, with a body that is not JSON, before its quota was used up')

/** Uses up the quota of the disposable client in scenarios, and checks its requests and answers. */
test.for<readonly [claim: string, using: Using, used: Used]>([
  ['sends the declared number of requests, then a single one', {}, { spent: 7, turns: [six, 'refused'] }],
  ['happens once for all scenarios, and the first rule pays', { scenarios: several }, { spent: 7 }],
  ['ends at the first refusal if it was partly used before', ofQuota(2), { spent: 7, turns: partlyUsed }],
  ['finds a refusal if no quota was declared', { env: noQuota }, { spent: 9, turns: lastly('refused') }],
  ['gives up at the maximum without a quota', undeclared20, { spent: 20, left: [stillServed] }],
  ['sends nothing if it costs more than the maximum', { env: dear }, { spent: 0, left: [tooMany] }],
  ['sends nothing if the budget is small', { scenarios: [[exhausted, 5]] }, { spent: 0, left: [tooSmall] }],
  ['ends at any other refusal, which is judged', otherwise, { spent: 3, turns: ['other other', 'odd'] }],
  ['reports any other answer', answered(answer(200, '<html>')), { spent: 8, left: [odd] }],
  ['goes on up to one more than twice the declared quota', ofQuota(1_000), { spent: 13, turns: endless }],
  ['sends one more if the quota is one more than declared', ofQuota(7), { spent: 10, turns: sevenServed }],
])('using up a quota %s', async ([, { scenarios = usually, ...play }, { spent, turns, left = [] }]) => {
  let client: QuotaClient | undefined
  const usingUp = async (stage: Stage) => {
    await client?.useUp(stage)
    return []
  }
  const using = [...new Set(scenarios.map(([id]) => id))].map((id) =>
    rule(id, (made) => {
      client = quotaClients(made).find(({ name }) => name === 'disposable-client')
      return scenarios
        .filter(([of]) => of === id)
        .map(([, most], place) => scenario(`time-${place}`, { least: 0, most }, usingUp))
    }),
  )
  const env = { RUN_CONCURRENCY: '8', FIXTURE_DISPOSABLE_QUOTA: '6', ...play.env }
  const came = await played({ ...play, rules: using, fixtures: ['FIXTURE_DISPOSABLE'], env })

  expect([came.count.disposable ?? 0, came.left]).toEqual([spent, left])
  expect(came.found.filter((one) => one.startsWith('quota/'))).toEqual([])
  if (turns !== undefined)
    expect(client?.walk.turns.map(({ answers }) => answers.map(({ kind }) => kind).join(' '))).toEqual(turns)
})
