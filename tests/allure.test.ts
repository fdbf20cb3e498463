import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnvInfo } from 'allure-js-commons/sdk/reporter'
import { withCodeNames } from '../lib/report/model/codes.ts'
import { describe, type ExpectStatic } from 'vitest'
import { headlineWord } from '../lib/report/model/headline.ts'
import { exchangesOf, readAllure, resultIn } from '../lib/report/allure/allure.testing.ts'
import type { ReferenceOptions, ReferenceService } from '../lib/serve/reference/service.ts'
import type { RuleId } from '../lib/specification/rules.ts'
import { countedRules } from '../lib/verdict/counted-rules.ts'
import { emptyFolder, ruleIn, settingsFor, type ProgramResult } from './support/program.ts'
import { run, test } from './support/program-test.ts'

const statuses = {
  passed: 'passed',
  warned: 'passed',
  failed: 'failed',
  waived: 'skipped',
  untested: 'skipped',
  inconclusive: 'broken',
} as const

/** A rule of each status. */
type Shown = Readonly<Record<keyof typeof statuses, RuleId>>

/** Fails unless Allure's results say of every rule what the verdict says, and nothing else. */
function expectSameAsVerdict(expect: ExpectStatic, { verdict, cwd }: ProgramResult): void {
  const folder = readAllure(join(cwd, 'reports', 'allure-results'))
  const rules = countedRules(verdict?.rules ?? [])
  const ofRun = verdict?.verdict === 'incomplete' || verdict?.verdict === 'error' ? ['run/verdict'] : []

  expect(rules.length).toBeGreaterThan(0)
  expect(folder.results.map(({ testCaseId }) => testCaseId ?? '').toSorted()).toEqual(
    [...rules.map(({ id }) => id), ...ofRun].toSorted(),
  )
  for (const { id, status, because, findings, sample } of rules) {
    const result = resultIn(folder, id)
    expect(result.historyId).toBe(id)
    const { message = '' } = result.statusDetails
    expect([id, result.status]).toEqual([id, statuses[status]])
    expect(result.labels).toContainEqual({ name: 'tag', value: status })
    if (because !== null) expect(message).toBe(`${status}: ${withCodeNames(because)}`)
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

describe.concurrent("Allure's results", () => {
  test.for<
    readonly [what: string, options: ReferenceOptions, args: readonly string[], shows: Partial<Shown>]
  >([
    [
      'a run with faults',
      { faults: ['missing-api-key-called-invalid', 'success-labelled-html'] },
      [],
      { failed: 'authentication/api-key-missing', warned: 'conventions/json-content-type' },
    ],
    ['an incomplete run', { quotas: { permitted: 25 } }, [], { inconclusive: 'fuzz/path' }],
    ['selected rules', {}, ['--only', 'fuzz/*'], { passed: 'fuzz/path' }],
  ])(
    'say what the verdict says, also where report makes them again: %s',
    async (row, { reference, expect }) => {
      const [, options, args, shows] = row
      const cwd = await emptyFolder()
      // The variables of a test plan leave no rule out.
      const plan = join(cwd, 'plan.json')
      await writeFile(plan, JSON.stringify({ version: '1.0', tests: [{ selector: 'another test' }] }))
      const env = { ...settingsFor(await reference(options)), ALLURE_TESTPLAN_PATH: plan }

      const result = await run(args, { cwd, env })
      for (const [status, rule] of Object.entries(shows))
        expect(ruleIn(result.verdict, rule).status).toBe(status)
      expectSameAsVerdict(expect, result)

      await rm(join(cwd, 'reports', 'allure-results'), { recursive: true })
      expect((await run(['report', 'reports'], { cwd })).code).toBe(0)
      expectSameAsVerdict(expect, result)
    },
  )

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
    expect(stdout).toMatch(
      /A request without x-api-key: wrong answer\n +expected +400 \/ 1001 .*\n +got +401 \/ 1006/,
    )
    expect(verdict).toMatchObject({ verdict: 'error', exitCode: 4 })
    expect(existsSync(results)).toBe(false)
    expect(code).toBe(4)
  })
})
