import { expect, it, vi } from 'vitest'
import { answers, succeeds, type Check } from '../../judge/judge.ts'
import type { FindingId, Reason } from '../../judge/record.ts'
import { example, scenario, type Case, type GeneratedCase } from '../plan/cases.ts'
import type { TestClient } from '../run/client.ts'
import { runProperty } from '../run/run-property.ts'
import { runRule } from '../run/run-rule.ts'
import type { TestRequest } from '../plan/test-request.ts'
import { open, refusal, type Reply } from '../testing/open.ts'

vi.mock('../send/sleep.ts', () => import('../testing/at-once.ts'))

const rule = 'authentication/not-cached'
const reporting = 'endpoints/list-succeeds'
const missing = answers({ status: 400, errorCode: '1001' })
const failure: Reply = { status: 500, body: { oops: true } }

/** The breaches that `endpoints/list-succeeds` reports. */
function reported({ findings }: TestClient): readonly FindingId[] {
  return findings.of(reporting).map(({ fingerprint }) => ({ rule: reporting, fingerprint }))
}

async function reasonsOf(session: TestClient, ...cases: readonly Case[]): Promise<readonly Reason[]> {
  session.budget.reserve(rule, 100)
  return runRule(session, rule, cases)
}

function drawn(request: TestRequest, check: Check): GeneratedCase {
  const name = `query.${request.request.target.length}`
  const unpaired = { alone: false, before: null, check: () => check, observe: () => {}, simpler: () => [] }
  return { name, says: 'a query', request, ...unpaired }
}

it.each<[string, (plain: TestRequest) => Case]>([
  ['a plain valid request', (plain) => example('plain', plain, succeeds())],
  [
    'a request that must be served first',
    (plain) => scenario('first', 1, async (stage) => [await stage.served(plain)]),
  ],
])('what cannot be judged because of %s follows from the breach that its rule reports', async (_, make) => {
  const { session, plain } = await open({ reply: () => failure })
  const reasons = await reasonsOf(session, make(plain))

  expect(reported(session)).toHaveLength(1)
  expect(reasons).toMatchObject([{ kind: 'inconclusive', follows: reported(session) }])
})

it('so does a variation of a plain valid request where that fails, too', async () => {
  const { session, plain } = await open({ reply: ({ index }) => (index === 0 ? null : failure) })
  const [reason] = await reasonsOf(session, example('query', plain.withQuery('x=1'), succeeds()))
  await reasonsOf(session, example('plain', plain, succeeds()))

  expect(reported(session)).toHaveLength(1)
  expect(reason?.follows).toEqual(reported(session))
})

it('it follows from nothing where the plain valid request got no answer', async () => {
  const { session, plain } = await open({
    reply: ({ index, plain: isPlain }) => (index === 0 ? null : isPlain ? 'closed' : failure),
  })
  const reasons = await reasonsOf(session, example('query', plain.withQuery('x=1'), succeeds()))

  expect(reasons.length).toBeGreaterThan(0)
  expect(reasons.flatMap(({ follows = [] }) => follows)).toEqual([])
})

it('generated cases follow from the same breach, unless one was not judged for another reason', async () => {
  const { session, plain } = await open({ reply: ({ index }) => (index === 0 ? null : failure) })
  const cases = ['x=1', 'x=12'].map((query) => drawn(plain.withQuery(query), succeeds()))
  const property = { kind: 'generated', size: 2, requests: 2, cases: () => cases } as const
  session.budget.reserve('fuzz/query', 2)
  const all = await runProperty(session, 'fuzz/query', property)
  session.budget.reserve('fuzz/path', 1)
  const some = await runProperty(session, 'fuzz/path', { ...property, requests: 1 })
  await reasonsOf(session, example('plain', plain, succeeds()))

  expect(all).toMatchObject([{ follows: reported(session) }])
  expect(some).toMatchObject([{ text: expect.stringContaining('did not fit into the budget') }])
  expect(some[0]).not.toHaveProperty('follows')
})

it('a refusal that is not as documented leaves no other rule inconclusive by itself', async () => {
  const { session, plain } = await open({
    reply: ({ apiKey }) => (apiKey === undefined ? refusal(401, '1006') : null),
  })

  expect(await reasonsOf(session, example('absent', plain.without('x-api-key'), missing))).toEqual([])
})
