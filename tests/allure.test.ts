import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnvInfo } from 'allure-js-commons/sdk/reporter'
import { describe, type ExpectStatic } from 'vitest'
import { headlineWord } from '../lib/report/model/headline.ts'
import { exchangesOf, readAllure, resultIn } from '../lib/report/allure/allure.testing.ts'
import type { ReferenceService } from '../lib/serve/reference/service.ts'
import { emptyFolder, rulesThat, settingsFor, type ProgramResult } from './support/program.ts'
import { run, test } from './support/program-test.ts'

const statuses = {
  passed: 'passed',
  warned: 'passed',
  failed: 'failed',
  waived: 'skipped',
  untested: 'skipped',
  inconclusive: 'broken',
} as const

/** Fails unless Allure's results say of every rule what the verdict says, and nothing else. */
function expectSameAsVerdict(expect: ExpectStatic, { verdict, cwd }: ProgramResult): void {
  const folder = readAllure(join(cwd, 'reports', 'allure-results'))
  const rules = verdict?.rules ?? []
  const ofRun = verdict?.verdict === 'incomplete' || verdict?.verdict === 'error' ? ['run/verdict'] : []

  expect(rules.length).toBeGreaterThan(0)
  expect(folder.results.map(({ testCaseId }) => testCaseId ?? '').toSorted()).toEqual(
    [...rules.map(({ id }) => id), ...ofRun].toSorted(),
  )
  for (const { id, status, because, findings, sample } of rules) {
    const result = resultIn(folder, id)
    const { message = '' } = result.statusDetails
    expect([id, result.status]).toEqual([id, statuses[status]])
    expect(result.labels).toContainEqual({ name: 'tag', value: status })
    if (because !== null) expect(message).toBe(`${status}: ${because}`)
    expect(message === '', id).toBe(status === 'passed')
    expect(result.steps.length > 0, id).toBe(findings.length > 0)
    expect(exchangesOf(folder, result).length, id).toBe(sample === null ? 0 : 1)
    for (const step of result.steps.slice(0, 20)) expect(exchangesOf(folder, step)).toHaveLength(1)
    expect(result.statusDetails.trace, id).toBeUndefined()
  }
  for (const id of ofRun) {
    expect(resultIn(folder, id)).toMatchObject({
      status: 'broken',
      statusDetails: { message: `${verdict?.verdict}: ${verdict?.because.join('; ')}` },
    })
  }
  expect(parseEnvInfo(folder.text('environment.properties'))['verdict']).toBe(
    `${verdict === null ? '' : headlineWord(verdict)} (exit ${verdict?.exitCode})`,
  )
}

describe.concurrent("Allure's results say what the verdict says", () => {
  test('of a run with faults', async ({ reference, expect }) => {
    const service = await reference({ faults: ['missing-api-key-called-invalid', 'success-labelled-html'] })

    const result = await run([], { env: settingsFor(service) })

    expect(rulesThat(result.verdict, 'failed')).toContain('authentication/api-key-missing')
    expect(rulesThat(result.verdict, 'warned')).toContain('conventions/json-content-type')
    expectSameAsVerdict(expect, result)
  })

  test('of an incomplete one', async ({ reference, expect }) => {
    const service = await reference({ quotas: { permitted: 25 } })

    const result = await run([], { env: settingsFor(service) })

    expect(result.verdict?.verdict).toBe('incomplete')
    expect(rulesThat(result.verdict, 'inconclusive').length).toBeGreaterThan(5)
    expectSameAsVerdict(expect, result)
  })
})

describe.concurrent("Allure's results", () => {
  test('have the selected rules', async ({ expect }) => {
    const result = await run(['--base-url', 'embedded', '--only', 'fuzz/*'])

    const { results } = readAllure(join(result.cwd, 'reports', 'allure-results'))
    expect(results).toHaveLength(7)
    for (const { testCaseId, historyId } of results) expect(historyId).toBe(testCaseId)
    expectSameAsVerdict(expect, result)
  })

  test('are made again by report', async ({ expect }) => {
    const result = await run(['--base-url', 'embedded', '--only', 'versioning/*'])
    const folder = join(result.cwd, 'reports', 'allure-results')
    await rm(folder, { recursive: true })

    const { code } = await run(['report', 'reports'], { cwd: result.cwd })

    expect(code).toBe(0)
    expectSameAsVerdict(expect, result)
  })

  test('do not depend on the variables of a test plan', async ({ expect }) => {
    const cwd = await emptyFolder()
    const plan = join(cwd, 'plan.json')
    await writeFile(plan, JSON.stringify({ version: '1.0', tests: [{ selector: 'another test' }] }))

    const result = await run(['--base-url', 'embedded'], { cwd, env: { ALLURE_TESTPLAN_PATH: plan } })

    expect(result.verdict?.verdict).toBe('conformant')
    expectSameAsVerdict(expect, result)
  })

  test('that cannot be written end in 4, with path and reason, and the verdict on the terminal', async ({
    reference,
    expect,
  }) => {
    const cwd = await emptyFolder()
    const results = join(cwd, 'reports', 'allure-results')
    const service: ReferenceService = await reference({
      faults: ['missing-api-key-called-invalid'],
      intervene: async () => {
        if (service.requests() === 100) await writeFile(results, 'a file\n')
        return false
      },
    })

    const { code, verdict, stdout, stderr } = await run([], { cwd, env: settingsFor(service) })

    expect(stderr).toMatch(
      /Allure's results cannot be written to .*allure-results: E[A-Z]+: .*RUN_REPORTS_DIR/,
    )
    expect(stdout).toContain('401 / 1006, documented 400 / 1001')
    expect(verdict).toMatchObject({ verdict: 'error', exitCode: 4 })
    expect(existsSync(results)).toBe(false)
    expect(code).toBe(4)
  })
})
