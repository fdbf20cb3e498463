import { afterAll, beforeAll, describe, inject, test, type TestContext } from 'vitest'
import { suites as ours } from '../../../suites/index.ts'
import { knownBaseline } from '../baseline-file.ts'
import { withFailedRules } from '../failed-rules.ts'
import { connectionOf, judgeTarget } from '../judge-target.ts'
import type { Area } from '../../engine/plan/cases.ts'
import { packageVersion } from '../../settings/package-version.ts'
import type { RuleResult } from '../../judge/record.ts'
import { runMetadata, unfinishedVerdict } from '../../verdict/assemble.ts'
import { findingText } from '../../report/model/finding-text.ts'
import type { FolderLock } from '../../report/folder/lock.ts'
import { becauseOf } from '../../verdict/conclude.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { beginRun, writeReports } from '../../report/write-reports.ts'
import { describeIssues } from '../../settings/issue.ts'
import { readWithOwn } from '../settings-and-own.ts'
import { isSelected } from '../../settings/selection.ts'
import type { Settings } from '../../settings/settings.ts'
import type { RuleId } from '../../specification/rules.ts'

// Every rule as a test: one run judges the selected rules, and each test waits for its own.

const startedAt = new Date()
const lastTest = 'the run comes to a verdict'

/** The parts used of vitest's tests and suites. */
interface Task {
  readonly name: string
  readonly mode: string
  readonly tasks?: readonly Task[]
}

/** A run of the rules that vitest selected. */
class Judging {
  readonly #waiting = new Map<string, (result: RuleResult | null) => void>()
  readonly #results = new Map<string, Promise<RuleResult | null>>()
  readonly #settings: Settings
  readonly #whole: boolean
  #lock: FolderLock | null = null
  #verdict: Promise<Verdict> | null = null

  /** `whole`: everything was selected, and once; other runs must not replace the reports of a whole run. */
  constructor(settings: Settings, selected: readonly RuleId[], whole: boolean) {
    const { run } = settings
    this.#whole = whole
    this.#settings = whole ? settings : { ...settings, run: { ...run, only: selected } }
    for (const id of selected) this.#results.set(id, new Promise((resolve) => this.#waiting.set(id, resolve)))
  }

  async begin(): Promise<void> {
    const { run } = this.#settings
    const connection = connectionOf(this.#settings, process.env)
    const { value: baseline, issues } = await knownBaseline(run)
    if (issues.length > 0) throw new Error(describeIssues(issues))
    if (this.#whole) {
      const head = { suiteVersion: packageVersion(), connection, startedAt, durationMs: 0 }
      const first = unfinishedVerdict(runMetadata(this.#settings, head))
      this.#lock = await beginRun(run.reportsDir, first, run.keep)
    }
    this.#verdict = judgeTarget(
      this.#whole ? this.#settings : onlyLooking(this.#settings, baseline !== null),
      {
        startedAt,
        own,
        baseline,
        connection,
        onEvent: (event) => {
          if (event.kind === 'rule-settled') this.#waiting.get(event.result.id)?.(event.result)
        },
      },
    )
    const release = (): void => this.#waiting.forEach((resolve) => resolve(null))
    this.#verdict.then(release, release)
  }

  /** Result of a rule; null if the run ended before. */
  async resultOf(id: RuleId): Promise<RuleResult | null> {
    return (await this.#results.get(id)) ?? null
  }

  async verdict(): Promise<Verdict> {
    if (this.#verdict === null) throw new Error('the run was not begun')
    return this.#verdict
  }

  async end(): Promise<void> {
    const { reportsDir, history } = this.#settings.run
    try {
      if (this.#whole) await writeReports(await this.verdict(), { folder: reportsDir, history })
    } finally {
      this.#lock?.release()
    }
  }
}

/** A partial run compares with an existing baseline and writes none. */
function onlyLooking(settings: Settings, hasBaseline: boolean): Settings {
  const { baseline } = settings.run
  const compared = hasBaseline && baseline !== null ? { ...baseline, mode: 'compare' as const } : null
  return { ...settings, run: { ...settings.run, baseline: compared } }
}

const { settings, own } = await settingsOfRun()
const suites = [...ours, ...own]
const ids = suites.flatMap(({ rules }) => rules.map(({ id }) => id))
let judging: Judging | null = null

async function settingsOfRun(): Promise<{ readonly settings: Settings; readonly own: readonly Area[] }> {
  const read = await readWithOwn({
    env: process.env,
    flags: {},
    envFile: null,
    cwd: process.cwd(),
    now: startedAt,
  })
  for (const notice of read.notices) process.stderr.write(`${notice}\n`)
  if (read.kind === 'issues') throw new Error(describeIssues(read.issues))
  const { value: asked, issues } = await withFailedRules(read.settings, read.catalogue)
  if (issues.length > 0) throw new Error(describeIssues(issues))
  if (!inject('watch') || asked.target.embedded) return { settings: asked, own: read.own }
  throw new Error(
    'vitest watches, and would judge the target again on every save: set TARGET_BASE_URL=embedded to watch, or judge once by npx vitest run',
  )
}

// oxlint-disable-next-line no-empty-pattern -- vitest reads from it which fixtures are wanted
beforeAll(async ({}, { tasks }) => {
  const run = tasks.flatMap(testsIn).filter(({ mode }) => mode === 'run')
  const selected = run.flatMap(({ name }) => ids.find((id) => id === name.split(': ')[0]) ?? [])
  const isWhole =
    run.length === ids.filter((id) => isSelected(settings.run.only, id)).length + 1 && !inject('watch')
  judging = new Judging(settings, selected, isWhole)
  await judging.begin()
})

function testsIn(task: Task): readonly Task[] {
  return task.tasks === undefined ? [task] : task.tasks.flatMap(testsIn)
}

for (const { title, rules } of suites) {
  const selected = rules.filter(({ id }) => isSelected(settings.run.only, id))
  if (selected.length === 0) continue
  describe(title, () => {
    for (const { id, entry } of selected) test(`${id}: ${entry.says}`, async (context) => tell(id, context))
  })
}

async function tell(id: RuleId, { skip }: TestContext): Promise<void> {
  const result = (await judging?.resultOf(id)) ?? null
  if (result === null) return skip('inconclusive: the run ended before')
  const { status, findings } = result
  if (status === 'failed') throw failure(findings.map(findingText).join('\n\n'))
  if (status !== 'passed' && status !== 'warned')
    skip(`${status}: ${becauseOf(result) ?? 'no reason was given'}`)
}

// A rule that was not judged must not pass.
test(lastTest, async () => {
  demand(await judging?.verdict())
})

// oxlint-disable-next-line no-empty-pattern -- as above
afterAll(async ({}, { tasks }) => {
  await judging?.end()
  const isLeftOut = tasks.some(({ name, mode }) => name === lastTest && mode !== 'run')
  if (isLeftOut) demand(await judging?.verdict())
})

function demand(verdict: Verdict | undefined): void {
  if (verdict === undefined) throw failure('the run was not begun')
  if (verdict.exitCode !== 0) throw failure([`${verdict.verdict}:`, ...verdict.because].join('\n'))
}

/** An error without our stack, which says nothing. */
function failure(message: string): Error {
  const error = new Error(message)
  error.stack = message
  return error
}
