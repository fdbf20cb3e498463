import { describe, expect, it } from 'vitest'
import { clients } from '../../lib/serve/reference/clients.ts'
import { scenario } from '../../lib/run/plan/cases.ts'
import { judgeRule } from '../../lib/run/judge-rule.ts'
import {
  open,
  refusal,
  told,
  type Opened,
  type OpenOptions,
  type ToldReasons,
} from '../../lib/run/testing/open.ts'
import type { RuleId } from '../../lib/specification/rules.ts'
import { quotaClients, type QuotaClient } from './quota-clients.ts'
import { snapshotOf } from '../../lib/run/open-run.ts'

const rule: RuleId = 'quota/exhausted'

function disposableOf({ context }: Opened): QuotaClient {
  const found = quotaClients(context).find(({ name }) => name === 'disposable-client')
  if (found === undefined) throw new Error('no disposable client')
  return found
}

interface Played extends ToldReasons {
  readonly opened: Opened
  /** How many requests from the disposable client arrived. */
  readonly spent: number
  /** The kinds of answers to the client, one string per turn. */
  readonly words: readonly string[]
}

/** Uses up the disposable client's quota in scenarios of a rule. */
async function exhaust(options: OpenOptions = {}, allotted = 100, times = 1): Promise<Played> {
  const opened = await open(options)
  const client = disposableOf(opened)
  opened.run.sender.budget.reserve(rule, allotted)
  const reasons = await judgeRule(opened.run, rule, {
    kind: 'cases',
    cases: Array.from({ length: times }, (_, index) =>
      scenario(`time-${index}`, { least: 0, most: allotted }, async (stage) => {
        await client.useUp(stage)
        return []
      }),
    ),
  })
  const spent = opened.arrived.filter(({ apiKey }) => apiKey === clients.disposable.apiKey).length
  const words = client.walk.turns.map(({ answers }) => answers.map(({ kind }) => kind).join(' '))
  return { ...told(reasons), opened, spent, words }
}

describe('clients whose quota is used up', () => {
  it('come from the settings', async () => {
    const { context } = await open()
    const without = { ...context, list: { ...context.list, of: () => [] } }

    expect(quotaClients(context).map(({ name }) => name)).toEqual(['exhausted-client', 'disposable-client'])
    expect(quotaClients(without)).toEqual([])
    for (const { request } of quotaClients(context)) expect(request.traits.asksForQuota).toBe(true)
  })

  it('are used up by the first selected rule', async () => {
    const { context } = await open()
    const rules = ['quota/exhausted', 'quota/stays-exhausted', 'quota/per-client'] as const
    const payers = rules.map((_, from) => {
      const selects = (id: RuleId): boolean => rules.slice(from).some((one) => one === id)
      const disposable = quotaClients({ ...context, selects }).find(
        ({ name }) => name === 'disposable-client',
      )
      return rules.filter((id) => (disposable?.cost(id, 3).requests.most ?? 0) > 3)
    })

    expect(payers).toEqual(rules.map((id) => [id]))
  })

  it("cost their requests, plus the disposable client's quota once", async () => {
    const { context } = await open()
    const [exhausted, disposable] = quotaClients(context)

    expect(exhausted?.cost(rule, 3).requests).toEqual({ least: 4, most: 4 })
    expect(disposable?.cost(rule, 3).requests).toEqual({ least: 5, most: 5 + 6 })
    expect(disposable?.cost('quota/per-client', 3).requests).toEqual({ least: 3, most: 3 })
  })

  it('cost the permitted maximum if the quota is not declared', async () => {
    const { context } = await open({ env: { FIXTURE_DISPOSABLE_QUOTA: '', RUN_MAX_EXHAUST: '40' } })
    const [, disposable] = quotaClients(context)

    expect(disposable?.cost('quota/exhausted', 3).requests).toEqual({ least: 4, most: 44 })
  })
})

describe('using up a quota', () => {
  it('sends the declared number of requests, then one alone', async () => {
    const { spent, words, unjudged, untested } = await exhaust()

    expect(spent).toBe(7)
    expect(words.at(-1)).toBe('refused')
    expect([unjudged, untested]).toEqual([[], []])
  })

  it('happens once, however many scenarios need it', async () => {
    const { spent, unjudged } = await exhaust({}, 100, 4)

    expect([spent, unjudged]).toEqual([7, []])
  })

  it('ends at the first refusal if the quota was partly used before', async () => {
    const { spent, words, unjudged } = await exhaust({ quotas: { disposable: 2 } })

    expect(spent).toBeLessThanOrEqual(7)
    expect(spent).toBeGreaterThan(2)
    expect([words.at(-1), unjudged]).toEqual(['refused', []])
  })

  it('finds the first refusal if no quota is declared', async () => {
    const { spent, words, unjudged, untested } = await exhaust({
      env: { FIXTURE_DISPOSABLE_QUOTA: '' },
    })

    expect(spent).toBeGreaterThan(6)
    expect(spent).toBeLessThanOrEqual(6 + 8 + 1)
    expect([words.at(-1), unjudged, untested]).toEqual(['refused', [], []])
  })

  it('stops at the maximum if no quota is declared, and reports no finding', async () => {
    const { spent, unjudged, opened } = await exhaust({
      env: { FIXTURE_DISPOSABLE_QUOTA: '', RUN_MAX_EXHAUST: '20' },
      quotas: { disposable: 1_000 },
    })

    expect(spent).toBe(20)
    expect(unjudged).toEqual([
      'the disposable client was still served after 20 requests, and FIXTURE_DISPOSABLE_QUOTA is not given',
    ])
    expect(opened.run.record.findings.of(rule).findings).toEqual([])
  })

  it('is untested if it costs more than the maximum, and sends nothing', async () => {
    const { spent, untested } = await exhaust({
      env: { FIXTURE_DISPOSABLE_QUOTA: '50', RUN_MAX_EXHAUST: '40' },
    })

    expect(spent).toBe(0)
    expect(untested).toEqual([
      'FIXTURE_DISPOSABLE_QUOTA is 50, but a run may send only so many requests to use up a quota (RUN_MAX_EXHAUST is 40)',
    ])
  })

  it('is untested if the budget is too small, and sends nothing', async () => {
    const { spent, untested } = await exhaust({}, 5)

    expect(spent).toBe(0)
    expect(untested).toEqual([
      'the budget is too small to use up the quota of 6 requests (FIXTURE_DISPOSABLE_QUOTA)',
    ])
  })

  it('ends at any other refusal, which the rule judges', async () => {
    const { spent, words } = await exhaust({
      reply: ({ apiKey }) => (apiKey === clients.disposable.apiKey ? refusal(401, '1013') : null),
      env: { RUN_CONCURRENCY: '2' },
    })

    expect(spent).toBe(3)
    expect(words).toEqual(['other other', 'odd'])
  })

  it('reports an answer that is neither a success nor a refusal', async () => {
    const { unjudged, opened } = await exhaust({
      reply: ({ apiKey }) => (apiKey === clients.disposable.apiKey ? { status: 200, body: '<html>' } : null),
    })

    expect(unjudged).toEqual([
      'the disposable client was answered 200, with a body that is not JSON, before its quota was used up',
    ])
    expect(opened.run.record.findings.of(rule).findings).toEqual([])
  })

  it('is paid once, by the rule that begins first', async () => {
    const opened = await open()
    const client = disposableOf(opened)
    const exhausting = async (id: RuleId, allotted: number): Promise<ToldReasons> => {
      opened.run.sender.budget.reserve(id, allotted)
      const only = scenario('only', { least: 0, most: allotted }, async (stage) => {
        await client.useUp(stage)
        return []
      })
      return told(await judgeRule(opened.run, id, { kind: 'cases', cases: [only] }))
    }
    const left = await Promise.all([exhausting(rule, 20), exhausting('quota/per-client', 3)])

    expect(left.flatMap(({ unjudged, untested }) => [...unjudged, ...untested])).toEqual([])
    expect(snapshotOf(opened.run).byRule[rule]).toBe(8)
  })
})

describe('a client that is served beyond its declared quota', () => {
  const turns = 'served served served served served served'

  it('gets concurrent requests, then single ones after a silence, up to one more than twice its quota', async () => {
    const { words, spent } = await exhaust({ quotas: { disposable: 1_000 } })

    expect(words).toEqual([turns, 'served', 'served served served', 'served', 'served', 'served'])
    expect(spent).toBe(13)
  })

  it('gets one more request if its quota is one more than declared', async () => {
    const { words } = await exhaust({ quotas: { disposable: 7 } })

    expect(words).toEqual([turns, 'served', 'refused refused refused'])
  })
})
