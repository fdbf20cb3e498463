import { basename } from 'node:path'
import { afterAll, describe, inject, test, type TestContext } from 'vitest'
import { suites } from '../../../suites/index.ts'
import { setAside } from '../../report/folder/reports-folder.ts'
import { findingText } from '../../report/model/finding-view.ts'
import { writeReports } from '../../report/write-reports.ts'
import type { Area, SuiteRule } from '../../run/plan/cases.ts'
import { describeIssues } from '../../settings/issue.ts'
import { inputWith } from '../../settings/sources.ts'
import { areaOf, countedRules, isSelected } from '../../specification/rules.ts'
import { beginRun, earlierReports, failedVerdict, judgeTarget, readRun } from '../judge-target.ts'
import { isPicked, isWhole, troubleIn, type RunOutcome } from './picked-rules.ts'

// Runs every rule as a test. One run judges the rules that vitest selected across all files, and all tests wait for it.

const selection = inject('selection')
const files = suites.flatMap((area) => area.rules.slice(0, 1).map(({ id }) => [areaOf(id), [area]] as const))
/** Whether everything was selected exactly once. Other runs must not replace the reports of a whole run. */
const whole = selection !== undefined && isWhole(selection, [...files.map(([file]) => file), 'verdict'])
const input = inputWith({ env: process.env })
const earlier = whole ? await earlierReports(input) : null

const read = await readRun(input)
const { settings, own, issues, head } = read
process.stderr.write(read.notices.map((notice) => `${notice}\n`).join(''))
if (issues.length > 0) process.stderr.write(describeIssues(issues))

/** The areas in each test file; the file for the verdict has none. */
const areas: ReadonlyMap<string, readonly Area[]> = new Map([...files, ['own', own]])

/** The tests, and the rule that each reports. */
const listed = [...areas].flatMap(([file, of]) =>
  of.flatMap(({ title, rules }) =>
    countedRules(rules)
      .filter(({ id }) => isSelected(issues.length > 0 ? null : settings.run.only, id))
      .map((rule) => ({ file, suite: title, name: `${rule.id}: ${rule.entry.says}`, rule })),
  ),
)

let begun: Promise<RunOutcome> | null = null

/** The single run that all test files wait for. The first file starts it. */
const judging = () =>
  (begun ??= judgePicked().catch((error: unknown) => ({
    verdict: failedVerdict(head(), error),
    isWritten: false,
  })))

async function judgePicked() {
  const { reportsDir: folder, history } = settings.run
  let aside = earlier
  const judged = async () => {
    // The folder itself may be a wrong setting.
    const begins = whole && (issues.length === 0 || aside !== null)
    if (begins) await beginRun(read, (aside ??= await setAside(folder)))
    if (issues.length > 0) return read.mistaken()
    if (selection?.watch === true && !settings.target.embedded) throw new Error(watched)
    return judgeTarget({ ...read, settings: whole ? settings : partly() }, aside)
  }
  const verdict = await judged().catch((error: unknown) => failedVerdict(head(), error))
  const isWritten = aside !== null && !(await aside.conclude(verdict))
  if (isWritten) await writeReports(verdict, { folder, history })
  aside?.lock.release()
  return { verdict, isWritten }
}

const watched =
  'vitest watches, and would judge the target on every save: set TARGET_BASE_URL=embedded, or use npx vitest run'

/** The settings of a partial run, which compares against an existing baseline but writes none. */
function partly() {
  const picked = listed.filter((entry) => selection !== undefined && isPicked(selection, entry))
  const { baseline: asked } = settings.run
  const baseline = read.baseline !== null && asked !== null ? { ...asked, mode: 'compare' as const } : null
  return { ...settings, run: { ...settings.run, only: picked.map(({ rule }) => rule.id), baseline } }
}

/** Declares the rules of an area, the user's own rules, or the verdict as the tests in a file. */
export function testRules(path: string) {
  const file = basename(path, '.suite.ts')
  for (const { title } of areas.get(file) ?? []) {
    const ours = listed.filter((entry) => entry.file === file && entry.suite === title)
    describe.runIf(ours.length > 0)(title, () => {
      for (const { name, rule } of ours) test(name, (context) => tell(rule, context))
    })
  }

  // A rule that was not judged must not pass.
  if (file === 'verdict')
    test('the verdict', async () => {
      const trouble = troubleIn((await judging()).verdict)
      if (trouble !== null) throw failure(trouble)
    })

  // oxlint-disable-next-line no-empty-pattern -- vitest reads from it which fixtures are wanted
  afterAll(async ({}, { meta }) => {
    const run = await judging()
    if (!whole || file === 'verdict') Object.assign(meta, { run })
  })
}

async function tell({ id, entry }: SuiteRule, { skip }: TestContext) {
  const rule = (await judging()).verdict.rules.find((one) => one.id === id)
  if (rule === undefined) return skip('inconclusive: the run ended before')
  const { status, findings, because } = rule
  if (status === 'failed') throw failure(findings.map((finding) => findingText(finding, entry)).join('\n\n'))
  if (status !== 'passed' && status !== 'warned') skip(`${status}: ${because ?? 'no reason was given'}`)
}

/** An error without our stack, which tells the reader nothing. */
function failure(message: string) {
  return Object.assign(new Error(message), { stack: message })
}
