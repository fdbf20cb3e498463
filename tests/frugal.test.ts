import { expect, test, it } from 'vitest'
import type { RequestChange } from '../lib/fuzz/request-changes.ts'
import { type Example, sumByClient } from '../lib/run/plan/cases.ts'
import { healthChecks, openingControl, plan, planRun } from '../lib/run/plan/plan.ts'
import { suiteContext } from '../lib/run/plan/suite-context.ts'
import { judge } from '../lib/run/run.ts'
import { inMemory } from '../lib/run/testing/in-memory.ts'
import { packageVersion } from '../lib/settings/package-version.ts'
import { read, settingsOf } from '../lib/settings/testing/read.ts'
import { suites } from '../suites/index.ts'
import { against, expectEnds } from './support/program-test.ts'
import { rulesThat, settingsFor, untestedOfGate } from './support/program.ts'
import { textOf } from './support/syntax.ts'

const quota = 6

/** Settings and verdict of a run in memory against the plain service with every fixture. Over sockets, a busy machine sends requests again. */
async function judged(more: Readonly<Record<string, string>>) {
  const { service, transport } = await inMemory(() => null)
  const settings = settingsOf(await read({ ...settingsFor(service), ...more }))
  return { settings, verdict: (await judge(settings, suites, { transport })).verdict }
}

const gate = {}
/** A gate, which is judged once. */
let ofGate: ReturnType<typeof judged> | undefined

test('a gate with every fixture needs at most 320 requests in addition to the declared quota', async () => {
  const { settings, verdict } = await (ofGate ??= judged(gate))

  expect(settings.fixtures.disposableQuota).toBe(quota)
  expect(verdict.exitCode).toBe(0)
  expect(verdict.requests.sent).toBeLessThanOrEqual(320 + quota)
})

test('a gate with every fixture sends at most 30 requests with --essential, one case per rule, and says PARTIAL', async () => {
  const { run } = await against()
  const { verdict, ...result } = await run('--essential')

  expectEnds(result, 0, 'PARTIAL, CONFORMANT', 'Only a part: one case per rule')
  expect(verdict?.requests.sent).toBeLessThanOrEqual(30)
  expect(rulesThat(verdict, 'inconclusive', 'untested')).toEqual(untestedOfGate)
  expect(verdict?.selection).toEqual({ only: null, essential: true })
})

test('a gate with every fixture cannot accept a vendor with one case per rule', async () => {
  const { verdict } = await judged({ RUN_PROFILE: 'acceptance', RUN_ESSENTIAL: 'true' })

  expect([verdict.verdict, verdict.exitCode]).toEqual(['incomplete', 3])
})

test.for([
  gate,
  { RUN_ESSENTIAL: 'true' },
  { RUN_ONLY: 'quota/*' },
  { RUN_ONLY: 'conventions/*,versioning/*' },
  { RUN_ONLY: 'authentication/*' },
])('the plan is exact except for health checks: %o', async (more) => {
  const { settings, verdict } = await (more === gate ? (ofGate ??= judged(gate)) : judged(more))
  const rules = plan(settings, suites)
  const planned = rules.reduce((sum, { requests }) => sum + requests, 0) + openingControl
  const { target = 0, ...others } = sumByClient(rules.map(({ byClient }) => byClient))
  const { target: sent = 0, ...sentByOthers } = verdict.requests.byClient ?? {}

  // The first 1020 to a client causes no check if the client was not served before.
  expect(verdict.requests.sent).toBeGreaterThanOrEqual(planned - 1)
  expect(verdict.requests.sent).toBeLessThanOrEqual(planned + healthChecks(rules))
  expect(sent - target).toBeLessThanOrEqual(openingControl + healthChecks(rules))
  // The second client may send a health check.
  expect({ ...sentByOthers, second: 0 }).toEqual({ ...others, second: 0 })
  expect(verdict.requests.sent - sent).toBeLessThanOrEqual(planned - target + 1)
})

test.for([1, 5, 40, 200])('a plan for %i requests is kept, and leads to no false finding', async (budget) => {
  const { settings, verdict } = await judged({ RUN_MAX_REQUESTS: String(budget) })
  const allotted = plan(settings, suites).reduce((sum, rule) => sum + rule.allotted, 0)

  expect(verdict.exitCode).toBe(3)
  expect(rulesThat(verdict, 'failed', 'warned')).toEqual([])
  expect(verdict.requests.sent).toBeLessThanOrEqual(budget)
  expect(allotted).toBeLessThan(budget)
})

test('README.md and docs/settings.md give the same share of faults that --essential finds', () => {
  const [, found, of] = /(\d+) of the (\d+) faults/.exec(textOf('docs/settings.md')) ?? []

  expect(textOf('README.md')).toMatch(new RegExp(`--essential.*\\b${found} of ${of}\\b`))
})

const fixtures = ['SECOND', 'NO_CUSTOMER', 'INACTIVE', 'UNAUTHORIZED', 'EXHAUSTED', 'DISPOSABLE']
const ofFixtures = fixtures.map((name, at) => ({
  [`FIXTURE_${name}_API_KEY`]: `key-${at}-5b8e2f7c90d1a634`,
  [`FIXTURE_${name}_SECRET_KEY`]: `sec-${at}-c41d7e9a0b36f852`,
}))
const env = {
  TARGET_BASE_URL: 'https://staging.example',
  TARGET_API_KEY: 'key-7f3d9a61c2e84b05',
  TARGET_SECRET_KEY: 'sec-1b6e0d4f93a75c28',
  FIXTURE_INVALID_QUERY: 'limit=abc',
  FIXTURE_DISPOSABLE_QUOTA: '6',
  RUN_PROFILE: 'acceptance',
  RUN_SEED: '7',
}
/** The digests do not depend on the version of the suite, which requests name. */
const unversioned: RequestChange = (request) => ({
  ...request,
  fields: request.fields.map((one) => {
    const isSuite = one.value === `card-switch-conformance/${packageVersion()}`
    return isSuite ? { ...one, value: 'card-switch-conformance/frozen' } : one
  }),
})

const digestOf = ({ request }: Example): string => request.apply(unversioned).hash.slice(0, 16)

it('a case name always stands for the same bytes', async () => {
  // The rule and name of each single-request case, with a digest of the bytes that it sends.
  const settings = settingsOf(await read(Object.assign({}, env, ...ofFixtures)))
  const { works } = planRun(suites, suiteContext(settings))
  const planned = new Map<string, string>()
  for (const { planned: rule, work } of works) {
    if ('untested' in work) continue
    for (const one of 'size' in work ? work.cases() : work)
      if (one.kind === 'example') planned.set(`${rule.id} ${one.name}`, digestOf(one))
  }
  const frozen = textOf('tests/frozen-cases.txt').trim().split('\n')
  const names = frozen.map((line) => line.slice(0, line.lastIndexOf(' ')))

  expect(names).toHaveLength(200)
  expect(names.map((name) => `${name} ${planned.get(name)}`)).toEqual(frozen)
})
