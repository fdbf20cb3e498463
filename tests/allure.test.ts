import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestResult } from 'allure-js-commons'
import { parseEnvInfo } from 'allure-js-commons/sdk/reporter'
import { describe, expect, test } from 'vitest'
import type { RuleStatus } from '../lib/judge/record.ts'
import { readAllure } from '../lib/report/allure/allure.testing.ts'
import { allureEnvironment, allureResults } from '../lib/report/allure/allure.ts'
import { view } from '../lib/report/view.ts'
import type { ReferenceOptions, ReferenceService } from '../lib/serve/reference/service.ts'
import type { RuleId } from '../lib/specification/rules.ts'
import { reference, run } from './support/program-test.ts'
import { emptyFolder, ruleIn, settingsFor, type ProgramResult } from './support/program.ts'

/** Fails unless Allure's results match the verdict for every rule. */
function expectSameAsVerdict({ verdict, cwd }: ProgramResult): void {
  if (verdict === null) throw new Error('no verdict')
  const { names, results, text } = readAllure(join(cwd, 'reports', 'allure-results'))
  const shown = view(verdict)
  const saidOf = ({ testCaseId, status, statusDetails, attachments }: Said): string =>
    JSON.stringify([testCaseId, status, statusDetails.message, attachments.length])

  expect(results.map(saidOf).toSorted()).toEqual(
    allureResults(shown, () => '')
      .map(saidOf)
      .toSorted(),
  )
  for (const { attachments } of results) for (const { source } of attachments) expect(names).toContain(source)
  expect(parseEnvInfo(text('environment.properties'))).toEqual(allureEnvironment(shown))
}

/** Rules by status. */
type Shown = Readonly<Partial<Record<RuleStatus, RuleId>>>
type Said = Pick<TestResult, 'testCaseId' | 'statusDetails'> & {
  readonly status?: string
  readonly attachments: readonly unknown[]
}

describe("Allure's results", () => {
  test.for<readonly [what: string, options: ReferenceOptions, args: readonly string[], shows: Shown]>([
    [
      'a run with faults',
      { faults: ['missing-api-key-called-invalid', 'success-labelled-html'] },
      [],
      { failed: 'authentication/api-key-missing', warned: 'conventions/json-content-type' },
    ],
    ['an incomplete run', { quotas: { permitted: 25 } }, [], { inconclusive: 'fuzz/path' }],
    ['selected rules', {}, ['--only', 'fuzz/*'], { passed: 'fuzz/path' }],
  ])('match the verdict, even after report rewrites them: %s', async (row) => {
    const [, options, args, shows] = row
    const cwd = await emptyFolder()
    // A test plan in the environment excludes no rule.
    const plan = join(cwd, 'plan.json')
    await writeFile(plan, JSON.stringify({ version: '1.0', tests: [{ selector: 'another test' }] }))
    const env = { ...settingsFor(await reference(options)), ALLURE_TESTPLAN_PATH: plan }

    const result = await run(args, { cwd, env })
    for (const [status, rule] of Object.entries(shows))
      expect(ruleIn(result.verdict, rule).status).toBe(status)
    expectSameAsVerdict(result)

    await rm(join(cwd, 'reports', 'allure-results'), { recursive: true })
    expect((await run(['report', 'reports'], { cwd })).code).toBe(0)
    expectSameAsVerdict(result)
  })

  test('make a run exit 4 if they cannot be written, with path, reason and verdict', async () => {
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
    expect(stdout).toMatch(
      /A request without x-api-key: wrong answer\n +expected +400 \/ 1001 .*\n +got +401 \/ 1006/,
    )
    expect(verdict).toMatchObject({ verdict: 'error', exitCode: 4 })
    expect(existsSync(results)).toBe(false)
    expect(code).toBe(4)
  })
})
