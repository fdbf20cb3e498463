import { expect } from 'vitest'
import { ruleCount } from '../lib/specification/testing/rule-counts.ts'
import { settingsOf } from '../lib/doors/cli/serve-command.ts'
import { describeIssues, judge, readSettings, type Verdict } from '../lib/doors/library/library.ts'
import { startService } from '../lab/service/start.ts'
import type { RuleSet } from '../lib/specification/rule-sets.ts'
import { ruleIds, ruleOf } from '../lib/specification/rules.ts'
import { run, test } from './support/program-test.ts'

const fault = 'missing-version-defaults-to-one'
const later = 'versioning/version-missing'
const before: RuleSet = {
  name: '2026-01',
  suite: '0.0.9',
  rules: Object.fromEntries(ruleIds.filter((id) => id !== later).map((id) => [id, ruleOf(id).level])),
}

/** The verdict on a service that answers a missing version wrongly, judged by that rule alone. */
async function judgedBy(
  set: RuleSet | null,
  only = `${later},authentication/api-key-missing`,
): Promise<Verdict> {
  const service = await startService({ faults: [fault] })
  try {
    const env = { ...settingsOf(service), RUN_ONLY: only }
    const read = await readSettings({ env })
    if (read.kind === 'issues') throw new Error(describeIssues(read.issues))
    const { settings, suites } = read
    return (await judge({ ...settings, run: { ...settings.run, rules: set } }, suites)).verdict
  } finally {
    await service.close()
  }
}

test('a rule that was added later runs and is reported, but fails no certified vendor', async () => {
  const now = await judgedBy(null)
  expect(now).toMatchObject({ exitCode: 1, ruleSet: '2026-11' })

  const then = await judgedBy(before)
  expect(then).toMatchObject({ exitCode: 0, verdict: 'conformant', ruleSet: '2026-01' })
  const rule = then.rules.find(({ id }) => id === later)
  expect(rule).toMatchObject({
    status: 'warned',
    notScored: true,
    because: 'not scored: added later than the rule set 2026-01',
  })
  expect(rule?.findings.length).toBeGreaterThan(0)
  expect(then.causes?.[0]).toMatchObject({ warning: true, rules: [later] })
})

test('a run of which no rule counts is not green', async () => {
  const alone = await judgedBy(before, later)
  expect(alone).toMatchObject({ exitCode: 3, because: ['no rule was judged'] })
})

test('a rule set is chosen by its name', async () => {
  const known = await run(['rules', '--sets'])
  expect(known).toMatchObject({ code: 0, stdout: `2026-11 (since version 1.0.0, ${ruleCount} rules)\n` })

  const wrong = await run(['--base-url', 'embedded', '--rules', '2026-10'])
  expect(wrong.code).toBe(2)
  expect(wrong.stderr).toContain('RUN_RULES')
  expect(wrong.stderr).toContain('one of 2026-11')

  const { code, verdict } = await run(['--base-url', 'embedded', '--rules', '2026-11', '--essential'])
  expect(code).toBe(0)
  expect(verdict?.ruleSet).toBe('2026-11')
})
