import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { RequestChange } from '../lib/fuzz/request-changes.ts'
import type { Example } from '../lib/run/plan/cases.ts'
import { planRun } from '../lib/run/plan/plan.ts'
import { suiteContext } from '../lib/run/plan/suite-context.ts'
import { packageVersion } from '../lib/settings/package-version.ts'
import { read, settingsOf } from '../lib/settings/testing/read.ts'
import { suites } from '../suites/index.ts'

const fixtures = ['SECOND', 'NO_CUSTOMER', 'INACTIVE', 'UNAUTHORIZED', 'EXHAUSTED', 'DISPOSABLE']
const env = {
  TARGET_BASE_URL: 'https://staging.example',
  TARGET_API_KEY: 'key-7f3d9a61c2e84b05',
  TARGET_SECRET_KEY: 'sec-1b6e0d4f93a75c28',
  FIXTURE_INVALID_QUERY: 'limit=abc',
  FIXTURE_DISPOSABLE_QUOTA: '6',
  RUN_PROFILE: 'acceptance',
  RUN_SEED: '7',
  ...Object.fromEntries(
    fixtures.flatMap((name, at) => [
      [`FIXTURE_${name}_API_KEY`, `key-${at}-5b8e2f7c90d1a634`],
      [`FIXTURE_${name}_SECRET_KEY`, `sec-${at}-c41d7e9a0b36f852`],
    ]),
  ),
}
/** The digests do not depend on the version of the suite, which requests name. */
const unversioned: RequestChange = (request) => ({
  ...request,
  fields: request.fields.map((one) => {
    const isSuite = one.value === `card-switch-conformance/${packageVersion()}`
    return isSuite ? { ...one, value: 'card-switch-conformance/frozen' } : one
  }),
})

it('a case name always stands for the same bytes', async () => {
  // The rule and name of each single-request case, with a digest of the bytes that it sends.
  const settings = settingsOf(await read(env))
  const { works } = planRun(suites, suiteContext(settings))
  const planned = new Map(
    works.flatMap(({ planned: { id }, work }) => {
      if ('untested' in work) return []
      const cases = [...(work.kind === 'generated' ? work.cases() : work.cases)]
      return cases
        .filter((one): one is Example => one.kind === 'example')
        .map(({ name, request }): [string, string] => [
          `${id} ${name}`,
          request.apply(unversioned).hash.slice(0, 16),
        ])
    }),
  )
  const frozen = readFileSync(new URL('frozen-cases.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n')
  const names = frozen.map((line) => line.slice(0, line.lastIndexOf(' ')))

  expect(names).toHaveLength(200)
  expect(names.map((name) => `${name} ${planned.get(name)}`)).toEqual(frozen)
})
