import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startReference } from '../lib/reference/service.ts'
import { ruleIds } from '../lib/spec/rules.ts'
import { emptyFolder, ruleIn, rulesThat, runProgram, settingsFor, type ProgramResult } from './program.ts'

/** The fault shows in generated cases, too. */
const fuzzing = ruleIds.filter((id) => id.startsWith('fuzz/'))
const waiver = { reason: 'mended in the next release', owner: 'Kim', expires: '2999-12-31' }

async function run(
  fault: string,
  waivers: unknown,
  more: Readonly<Record<string, string>> = {},
): Promise<ProgramResult> {
  const service = await startReference({ faults: [fault] })
  onTestFinished(() => service.close())
  const cwd = await emptyFolder()
  await writeFile(join(cwd, 'waivers.json'), JSON.stringify(waivers))
  return runProgram([], { cwd, env: { ...settingsFor(service), RUN_WAIVERS: 'waivers.json', ...more } })
}

test('a waived violation stays visible and stops nothing', async () => {
  const { code, verdict, stdout } = await run('missing-api-key-called-invalid', [
    { rule: 'authentication/api-key-missing', ...waiver },
    { rule: 'authentication/no-bypass', ...waiver },
    { rule: 'conventions/accept-optional', ...waiver },
    ...fuzzing.map((rule) => ({ rule, ...waiver })),
  ])

  expect(rulesThat(verdict, 'failed')).toEqual([])
  expect(ruleIn(verdict, 'authentication/api-key-missing')).toMatchObject({
    status: 'waived',
    because: 'mended in the next release (Kim, until 2999-12-31)',
  })
  expect(ruleIn(verdict, 'authentication/api-key-missing').findings.length).toBeGreaterThan(0)
  expect(verdict?.waivers.slice(0, 3).map(({ rule, used }) => [rule, used])).toEqual([
    ['authentication/api-key-missing', true],
    ['authentication/no-bypass', true],
    ['conventions/accept-optional', false],
  ])
  expect(stdout).toContain('mended in the next release')
  expect(code).toBe(0)
})

test('a waiver for one fingerprint covers no other finding of the rule', async () => {
  const { code, verdict } = await run('missing-api-key-called-invalid', [
    { rule: 'authentication/api-key-missing', fingerprint: '0123456789abcdef', ...waiver },
  ])

  expect(ruleIn(verdict, 'authentication/api-key-missing').status).toBe('failed')
  expect(code).toBe(1)
})

test('an expired waiver no longer covers', async () => {
  const { code, verdict, stderr } = await run('missing-api-key-called-invalid', [
    { rule: 'authentication/api-key-missing', ...waiver, expires: '2026-01-31' },
  ])

  expect(ruleIn(verdict, 'authentication/api-key-missing').status).toBe('failed')
  expect(verdict?.waivers).toMatchObject([{ expired: true, used: false }])
  expect(stderr).toContain('expired')
  expect(code).toBe(1)
})

test('acceptance accepts a waiver for a documented rule that cannot be tested', async () => {
  const { code, verdict } = await run(
    'missing-api-key-called-invalid',
    [
      { rule: 'authentication/customer-not-found', ...waiver },
      { rule: 'authentication/api-key-missing', ...waiver },
      { rule: 'authentication/no-bypass', ...waiver },
      ...fuzzing.map((rule) => ({ rule, ...waiver })),
    ],
    { RUN_PROFILE: 'acceptance', FIXTURE_NO_CUSTOMER_API_KEY: '', FIXTURE_NO_CUSTOMER_SECRET_KEY: '' },
  )

  expect(ruleIn(verdict, 'authentication/customer-not-found')).toMatchObject({ status: 'waived', answers: 0 })
  expect(rulesThat(verdict, 'failed', 'untested')).toEqual(['tolerance/no-breaking-change'])
  expect(code).toBe(0)
})

test('a waiver that matches no rule is a mistake', async () => {
  const { code, verdict, stderr } = await run('missing-api-key-called-invalid', [
    { rule: 'authentication/api-key-mising', ...waiver },
  ])

  expect(code).toBe(2)
  expect(verdict).toMatchObject({ verdict: 'error', exitCode: 2 })
  expect(stderr).toContain('authentication/api-key-missing')
})
