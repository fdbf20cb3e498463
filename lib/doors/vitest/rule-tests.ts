import { afterAll, beforeAll, describe, inject, test, type TestContext } from 'vitest'
import { suites } from '../../../suites/index.ts'
import type { Area, SuiteRule } from '../../engine/plan/cases.ts'
import { findingOfRule } from '../../report/model/finding-text.ts'
import { withFailedRules } from '../failed-rules.ts'
import { readWithOwn } from '../settings-and-own.ts'
import { describeIssues } from '../../settings/issue.ts'
import { isSelected } from '../../settings/selection.ts'
import type { Settings } from '../../settings/settings.ts'
import { areaOf } from '../../specification/rules.ts'
import { becauseOf } from '../../verdict/conclude.ts'
import { Judging } from './judging.ts'
import { isPicked, type Listed } from './picked-rules.ts'
import { tellOfRule, tellOfRun } from './tell-allure.ts'

// Every rule as a test: one run judges the rules that vitest selected of all files, and each test waits for its own.

const lastTest = 'the run comes to a verdict'
const selection = inject('selection')
const { settings, own } = await settingsOfRun()

/** The areas of each test file. */
const areas: ReadonlyMap<string, readonly Area[]> = new Map([
  ...suites.flatMap((area) => area.rules.slice(0, 1).map(({ id }) => [areaOf(id), [area]] as const)),
  ['own', own],
])

async function settingsOfRun(): Promise<{ readonly settings: Settings; readonly own: readonly Area[] }> {
  const read = await readWithOwn({
    env: process.env,
    flags: {},
    envFile: null,
    cwd: process.cwd(),
    now: new Date(),
  })
  for (const notice of read.notices) process.stderr.write(`${notice}\n`)
  if (read.kind === 'issues') throw new Error(describeIssues(read.issues))
  const { value: asked, issues } = await withFailedRules(read.settings, read.catalogue)
  if (issues.length > 0) throw new Error(describeIssues(issues))
  if (selection?.watch !== true || asked.target.embedded) return { settings: asked, own: read.own }
  throw new Error(
    'vitest watches, and would judge the target again on every save: set TARGET_BASE_URL=embedded to watch, or judge once by npx vitest run',
  )
}

/** A test, and the rule it tells of unless it is the last of its file. */
interface Rule extends Listed {
  readonly rule: SuiteRule | null
}

const listed: readonly Rule[] = [...areas].flatMap(([file, of]) => [
  ...of.flatMap(({ title, rules }) =>
    rules
      .filter(({ id }) => isSelected(settings.run.only, id))
      .map((rule): Rule => ({ file, suite: title, name: `${rule.id}: ${rule.entry.says}`, rule })),
  ),
  { file, suite: null, name: lastTest, rule: null },
])

let begun: Promise<Judging> | null = null

/** The run, which the first file begins. */
function judging(): Promise<Judging> {
  return (begun ??= begin())
}

async function begin(): Promise<Judging> {
  const picked = listed.filter((one) => selection !== undefined && isPicked(selection, one))
  const run = new Judging({
    settings,
    own,
    selected: picked.flatMap(({ rule }) => rule?.id ?? []),
    whole: picked.length === listed.length && selection?.watch === false,
  })
  await run.begin()
  return run
}

/** Declares the rules of an area, or those of the user's own, as the tests of a file. */
export function testRules(file: string): void {
  const of = areas.get(file)
  if (of === undefined) throw new Error(`${file} is no area of the specification`)

  beforeAll(async () => {
    await judging()
  })

  for (const { title } of of) {
    const ours = listed.filter((one) => one.file === file && one.suite === title)
    if (ours.length > 0)
      describe(title, () => {
        for (const { name, rule } of ours) if (rule !== null) test(name, (context) => tell(rule, context))
      })
  }

  // A rule that was not judged must not pass.
  test(lastTest, async () => {
    await tellOfRun()
    await demandVerdict()
  })

  // oxlint-disable-next-line no-empty-pattern -- vitest reads from it which fixtures are wanted
  afterAll(async ({}, { tasks }) => {
    await (await judging()).end()
    if (tasks.some(({ name, mode }) => name === lastTest && mode !== 'run')) await demandVerdict()
  })
}

async function tell(rule: SuiteRule, { skip }: TestContext): Promise<void> {
  const result = await (await judging()).resultOf(rule.id)
  if (result === null) return skip('inconclusive: the run ended before')
  const { status, findings } = result
  const because = becauseOf(result)
  await tellOfRule({ ...rule.entry, ...result, because })
  if (status === 'failed')
    throw failure(findings.map((finding) => findingOfRule(finding, rule.entry)).join('\n\n'))
  if (status !== 'passed' && status !== 'warned') skip(`${status}: ${because ?? 'no reason was given'}`)
}

async function demandVerdict(): Promise<void> {
  const { exitCode, verdict, because } = await (await judging()).verdict()
  if (exitCode !== 0) throw failure([`${verdict}:`, ...because].join('\n'))
}

/** An error without our stack, which says nothing. */
function failure(message: string): Error {
  const error = new Error(message)
  // So that Allure takes it for a failed expectation.
  error.name = 'AssertionError'
  error.stack = message
  return error
}
