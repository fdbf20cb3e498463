import type { Area } from '../../engine/plan/cases.ts'
import type { RuleResult } from '../../judge/record.ts'
import type { FolderLock } from '../../report/folder/lock.ts'
import { beginRun, writeReports } from '../../report/write-reports.ts'
import { knownBaseline } from '../baseline-file.ts'
import { connectionOf, judgeTarget } from '../judge-target.ts'
import { describeIssues } from '../../settings/issue.ts'
import { packageVersion } from '../../settings/package-version.ts'
import type { Settings } from '../../settings/settings.ts'
import type { RuleId } from '../../specification/rules.ts'
import { runMetadata, unfinishedVerdict } from '../../verdict/assemble.ts'
import type { Verdict } from '../../verdict/verdict.ts'

/** What is judged. */
interface Judged {
  readonly settings: Settings
  readonly own: readonly Area[]
  /** The rules that vitest selected. */
  readonly selected: readonly RuleId[]
  /** Everything was selected, and once; other runs must not replace the reports of a whole run. */
  readonly whole: boolean
}

/** The one run of the engine that all test files wait for. */
export class Judging {
  readonly #waiting = new Map<string, (result: RuleResult | null) => void>()
  readonly #results = new Map<string, Promise<RuleResult | null>>()
  readonly #settings: Settings
  readonly #own: readonly Area[]
  readonly #whole: boolean
  #lock: FolderLock | null = null
  #verdict: Promise<Verdict> | null = null
  #ended: Promise<void> | null = null

  constructor({ settings, own, selected, whole }: Judged) {
    const { run } = settings
    this.#own = own
    this.#whole = whole
    this.#settings = whole ? settings : { ...settings, run: { ...run, only: selected } }
    for (const id of selected) this.#results.set(id, new Promise((resolve) => this.#waiting.set(id, resolve)))
  }

  async begin(): Promise<void> {
    const startedAt = new Date()
    const { run } = this.#settings
    const connection = connectionOf(this.#settings, process.env)
    const { value: baseline, issues } = await knownBaseline(run)
    if (issues.length > 0) throw new Error(describeIssues(issues))
    if (this.#whole) {
      const head = { suiteVersion: packageVersion(), connection, startedAt, durationMs: 0 }
      const first = unfinishedVerdict(runMetadata(this.#settings, head))
      this.#lock = await beginRun(run.reportsDir, first)
    }
    this.#verdict = judgeTarget(
      this.#whole ? this.#settings : onlyLooking(this.#settings, baseline !== null),
      {
        startedAt,
        own: this.#own,
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

  /** Result of a rule; null if the run ended before. Throws for a rule that the run does not judge. */
  async resultOf(id: RuleId): Promise<RuleResult | null> {
    const result = this.#results.get(id)
    if (result === undefined) throw new Error(`${id} was not selected when the run began`)
    return result
  }

  async verdict(): Promise<Verdict> {
    if (this.#verdict === null) throw new Error('the run was not begun')
    return this.#verdict
  }

  /** Waits for the end, and writes the reports of a whole run, once. */
  end(): Promise<void> {
    return (this.#ended ??= this.#end())
  }

  async #end(): Promise<void> {
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
