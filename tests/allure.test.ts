import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestResult } from 'allure-js-commons'
import { parseEnvInfo } from 'allure-js-commons/sdk/reporter'
import { expect, test } from 'vitest'
import { readAllure } from '../lib/report/allure/allure.testing.ts'
import { allureEnvironment, allureResults } from '../lib/report/allure/allure.ts'
import { view } from '../lib/report/view.ts'
import { against } from './support/program-test.ts'
import type { ProgramResult } from './support/program.ts'

type Said = Pick<TestResult, 'testCaseId' | 'statusDetails'> & {
  readonly status?: string
  readonly attachments: readonly unknown[]
}

/** Fails unless Allure's results match the verdict for every rule. */
function expectSameAsVerdict({ verdict, cwd }: ProgramResult): void {
  if (verdict === null) throw new Error('no verdict')
  const { names, results, text } = readAllure(join(cwd, 'reports', 'allure-results'))
  const shown = view(verdict)
  const saidOf = ({ testCaseId, status, statusDetails, attachments }: Said): string =>
    JSON.stringify([testCaseId, status, statusDetails.message, attachments.length])
  const wanted = allureResults(shown, () => '').map(saidOf)

  expect(results.map(saidOf).toSorted()).toEqual(wanted.toSorted())
  for (const { attachments } of results) for (const { source } of attachments) expect(names).toContain(source)
  expect(parseEnvInfo(text('environment.properties'))).toEqual(allureEnvironment(shown))
}

const faults = ['missing-api-key-called-invalid', 'success-labelled-html']

test.for([
  [
    'a run with faults',
    { faults },
    '',
    { 'authentication/api-key-missing': 'failed', 'conventions/json-content-type': 'warned' },
  ],
  ['an incomplete run', { quotas: { permitted: 25 } }, '', { 'fuzz/path': 'inconclusive' }],
  ['selected rules', {}, '--only fuzz/*', { 'fuzz/path': 'passed' }],
] as const)(
  "Allure's results match the verdict, even after report rewrites them: %s",
  async ([, options, words, shown]) => {
    const files = { 'plan.json': '{"version":"1.0","tests":[{"selector":"another test"}]}' }
    const { cwd, run } = await against({ ...options, files })

    // A test plan in the environment excludes no rule.
    const result = await run(words, { env: { ALLURE_TESTPLAN_PATH: join(cwd, 'plan.json') } })
    expect(statusesOf(result)).toMatchObject(shown)
    expectSameAsVerdict(result)

    await rm(join(cwd, 'reports', 'allure-results'), { recursive: true })
    expect((await run('report reports')).code).toBe(0)
    expectSameAsVerdict(result)
  },
)

function statusesOf({ verdict }: ProgramResult): unknown {
  return Object.fromEntries((verdict?.rules ?? []).map(({ id, status }) => [id, status]))
}
