import { expect, it } from 'vitest'
import { answers, succeeds } from '../../judge/judge.ts'
import type { FindingId, Reason } from '../../judge/record.ts'
import { example, scenario, type Case } from '../plan/cases.ts'
import { judgeRule } from '../judge-rule.ts'
import type { TestRequest } from '../plan/test-request.ts'
import { open, refusal, type Reply } from '../testing/open.ts'
import type { OpenRun } from '../open-run.ts'

const rule = 'authentication/not-cached'
const reporting = 'endpoints/list-succeeds'
const failure: Reply = { status: 500, body: { oops: true } }

/** The breaches that `endpoints/list-succeeds` reports. */
function reported({ record: { findings } }: OpenRun): readonly FindingId[] {
  return findings.of(reporting).findings.map(({ fingerprint }) => ({ rule: reporting, fingerprint }))
}

async function reasonsOf(run: OpenRun, ...cases: readonly Case[]): Promise<readonly Reason[]> {
  run.sender.budget.reserve(rule, 100)
  return judgeRule(run, rule, { kind: 'cases', cases })
}

it.each<[string, (plain: TestRequest) => Case]>([
  ['a plain valid request', (plain) => example('plain', plain, succeeds())],
  [
    'a request that must be served first',
    (plain) => scenario('first', 1, async (stage) => [await stage.served(plain)]),
  ],
])('what cannot be judged because of %s follows from the breach that its rule reports', async (_, make) => {
  const { run, plain } = await open({ reply: () => failure })
  const reasons = await reasonsOf(run, make(plain))

  expect(reported(run)).toHaveLength(1)
  expect(reasons).toMatchObject([{ kind: 'inconclusive', follows: reported(run) }])
})

it('so does a variation of a plain valid request where that fails, too', async () => {
  const { run, plain } = await open({ reply: ({ index }) => (index === 0 ? null : failure) })
  const [reason] = await reasonsOf(run, example('query', plain.withQuery('x=1'), succeeds()))
  await reasonsOf(run, example('plain', plain, succeeds()))

  expect(reported(run)).toHaveLength(1)
  expect(reason?.follows).toEqual(reported(run))
})

it('it follows from nothing where the plain valid request got no answer', async () => {
  const { run, plain } = await open({
    reply: ({ index, plain: isPlain }) => (index === 0 ? null : isPlain ? 'closed' : failure),
  })
  const reasons = await reasonsOf(run, example('query', plain.withQuery('x=1'), succeeds()))

  expect(reasons.length).toBeGreaterThan(0)
  expect(reasons.flatMap(({ follows = [] }) => follows)).toEqual([])
})

it('generated cases follow from the same breach, unless one was not judged for another reason', async () => {
  const { run, plain } = await open({ reply: ({ index }) => (index === 0 ? null : failure) })
  const cases = ['x=1', 'x=12'].map((query) => ({
    ...example(query, plain.withQuery(query), succeeds()),
    again: true as const,
    says: 'a query',
  }))
  const property = { kind: 'generated', size: 2, requests: 2, cases: () => cases } as const
  run.sender.budget.reserve('fuzz/query', 2)
  const all = await judgeRule(run, 'fuzz/query', property)
  run.sender.budget.reserve('fuzz/path', 1)
  const some = await judgeRule(run, 'fuzz/path', { ...property, requests: 1 })
  await reasonsOf(run, example('plain', plain, succeeds()))

  expect(all).toMatchObject([{ follows: reported(run) }])
  expect(some).toMatchObject([{ text: expect.stringContaining('did not fit into the budget') }])
  expect(some[0]).not.toHaveProperty('follows')
})

it('a refusal that is not as documented leaves no other rule inconclusive by itself', async () => {
  const { run, plain } = await open({
    reply: ({ apiKey }) => (apiKey === undefined ? refusal(401, '1006') : null),
  })

  const missing = answers({ status: 400, errorCode: '1001' })

  expect(await reasonsOf(run, example('absent', plain.without('x-api-key'), missing))).toEqual([])
})
