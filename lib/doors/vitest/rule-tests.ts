import { basename } from 'node:path'
import { afterAll, beforeAll, describe, inject, test, type TestContext } from 'vitest'
import { suites } from '../../../suites/index.ts'
import type { Area, SuiteRule } from '../../engine/plan/cases.ts'
import { findingOfRule } from '../../report/model/finding-text.ts'
import { earlierReports, readRun } from '../run-start.ts'
import { describeIssues } from '../../settings/issue.ts'
import { isSelected } from '../../settings/selection.ts'
import { areaOf } from '../../specification/rules.ts'
import { errorText } from '../../text/printable.ts'
import { becauseOf } from '../../verdict/conclude.ts'
import { countedRules } from '../../verdict/counted-rules.ts'
import { beginJudging, type Judging } from './judging.ts'
import { isPicked, isWhole, type Listed, type RunOutcome } from './picked-rules.ts'

// Every rule as a test: one run judges the rules that vitest selected of all files, and each test waits for its own.

const selection = inject('selection')
const files = suites.flatMap((area) => area.rules.slice(0, 1).map(({ id }) => [areaOf(id), [area]] as const))
const whole = selection !== undefined && isWhole(selection, [...files.map(([file]) => file), 'verdict'])
const input = { env: process.env, flags: {}, envFile: null, cwd: process.cwd(), now: new Date() }
const earlier = whole ? await earlierReports(input) : null

const { read, settings, baseline, issues } = await readRun(input)
for (const notice of read.notices) process.stderr.write(`${notice}\n`)

/** The areas of each test file; that of the verdict has none. */
const areas: ReadonlyMap<string, readonly Area[]> = new Map([...files, ['own', read.own]])

/** A test, and the rule it tells of. */
interface Rule extends Listed {
  readonly rule: SuiteRule
}

const listed: readonly Rule[] = [...areas].flatMap(([file, of]) =>
  of.flatMap(({ title, rules }) =>
    countedRules(rules)
      .filter(({ id }) => isSelected(settings?.run.only ?? null, id))
      .map((rule) => ({ file, suite: title, name: `${rule.id}: ${rule.entry.says}`, rule })),
  ),
)

let begun: Promise<Judging | string> | null = null

/** The run, which the first file begins, or why there is none. */
function judging(): Promise<Judging | string> {
  return (begun ??= begin().catch(giveUp))
}

async function begin(): Promise<Judging> {
  if (settings === null) throw new Error(describeIssues(issues))
  if (selection?.watch === true && !settings.target.embedded)
    throw new Error(
      'vitest watches, and would judge the target again on every save: set TARGET_BASE_URL=embedded to watch, or judge once by npx vitest run',
    )
  const picked = listed.filter((one) => selection !== undefined && isPicked(selection, one))
  return beginJudging({
    settings,
    own: read.own,
    baseline,
    selected: picked.map(({ rule }) => rule.id),
    whole,
    earlier,
  })
}

/** Nothing was sent, so the earlier reports come back. */
async function giveUp(error: unknown): Promise<string> {
  if ((await earlier?.bringBack()) === false) earlier?.keep()
  earlier?.lock.release()
  return errorText(error)
}

async function outcome(): Promise<RunOutcome> {
  const run = await judging()
  return typeof run === 'string' ? { verdict: null, trouble: run, whole: false, keyFile: null } : run.outcome
}

let isTold = false

/** Declares the rules of an area, those of the user's own, or the verdict, as the tests of a file. */
export function testRules(path: string): void {
  const file = basename(path, '.suite.ts')
  beforeAll(async () => {
    await judging()
  })

  for (const { title } of areas.get(file) ?? []) {
    const ours = listed.filter((one) => one.file === file && one.suite === title)
    describe.runIf(ours.length > 0)(title, () => {
      for (const { name, rule } of ours) test(name, (context) => tell(rule, context))
    })
  }

  // A rule that was not judged must not pass.
  if (file === 'verdict')
    test('the verdict', async () => {
      const { trouble } = await outcome()
      if (trouble !== null) throw failure(trouble)
    })

  // oxlint-disable-next-line no-empty-pattern -- vitest reads from it which fixtures are wanted
  afterAll(async ({}, { meta }) => {
    const run = await outcome()
    if (!isTold) Object.assign(meta, { run })
    isTold = true
  })
}

async function tell({ id, entry }: SuiteRule, { skip }: TestContext): Promise<void> {
  const run = await judging()
  const result = typeof run === 'string' ? null : await run.resultOf(id)
  if (result === null) return skip('inconclusive: the run ended before')
  const { status, findings } = result
  if (status === 'failed')
    throw failure(findings.map((finding) => findingOfRule(finding, entry)).join('\n\n'))
  if (status !== 'passed' && status !== 'warned')
    skip(`${status}: ${becauseOf(result) ?? 'no reason was given'}`)
}

/** An error without our stack, which says nothing. */
function failure(message: string): Error {
  return Object.assign(new Error(message), { stack: message })
}
