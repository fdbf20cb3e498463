import type { Area } from '../../engine/plan/cases.ts'
import type { RuleResult } from '../../judge/record.ts'
import { OwnRuleError } from '../../engine/plan/errors.ts'
import type { RunEvent } from '../../engine/run/events.ts'
import { clearReports } from '../../report/folder/reports-folder.ts'
import { setAside, type SetAside } from '../../report/folder/set-aside.ts'
import { beginAside, writeReports } from '../../report/write-reports.ts'
import { knownBaseline } from '../baseline-file.ts'
import { connectionOf, judgeTarget } from '../judge-target.ts'
import { describeIssues } from '../../settings/issue.ts'
import { packageVersion } from '../../settings/package-version.ts'
import type { Settings } from '../../settings/settings.ts'
import type { RuleId } from '../../specification/rules.ts'
import { errorText } from '../../text/printable.ts'
import { errorVerdict, runMetadata, unfinishedVerdict } from '../../verdict/assemble.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import type { RunOutcome } from './picked-rules.ts'

/** What is judged. */
interface Judged {
  readonly settings: Settings
  readonly own: readonly Area[]
  /** The rules that vitest selected. */
  readonly selected: readonly RuleId[]
  /** Everything was selected, and once; other runs must not replace the reports of a whole run. */
  readonly whole: boolean
  /** The reports of an earlier run, if they are out of the way already. */
  readonly earlier: SetAside | null
}

/** The one run of the engine that all test files wait for. */
export class Judging {
  readonly #waiting = new Map<string, (result: RuleResult | null) => void>()
  readonly #results = new Map<string, Promise<RuleResult | null>>()
  readonly #judged: Judged
  readonly #settings: Settings
  #aside: SetAside | null = null
  #verdict: Promise<Verdict> | null = null
  #ended: Promise<RunOutcome> | null = null

  constructor(judged: Judged) {
    const { settings, selected, whole } = judged
    const { run } = settings
    this.#judged = judged
    this.#settings = whole ? settings : { ...settings, run: { ...run, only: selected } }
    for (const id of selected) this.#results.set(id, new Promise((resolve) => this.#waiting.set(id, resolve)))
  }

  async begin(): Promise<void> {
    const { own, whole, earlier } = this.#judged
    const startedAt = new Date()
    const { run } = this.#settings
    const connection = connectionOf(this.#settings, process.env)
    const { value: baseline, issues } = await knownBaseline(run)
    if (issues.length > 0) throw new Error(describeIssues(issues))
    const head = runMetadata(this.#settings, {
      suiteVersion: packageVersion(),
      connection,
      startedAt,
      durationMs: 0,
    })
    if (whole) {
      this.#aside = earlier ?? (await setAside(run.reportsDir))
      await beginAside(this.#aside, unfinishedVerdict(head))
    }
    const settings = whole ? this.#settings : onlyLooking(this.#settings, baseline !== null)
    const onEvent = (event: RunEvent): void => {
      if (event.kind === 'planned') this.#aside?.keep()
      if (event.kind === 'rule-settled') this.#waiting.get(event.result.id)?.(event.result)
    }
    this.#verdict = judgeTarget(settings, { startedAt, own, baseline, connection, onEvent }).catch(
      (error: unknown) => errorVerdict(head, error instanceof OwnRuleError ? 2 : 4, [errorText(error)]),
    )
    void this.#verdict.then(() => this.#waiting.forEach((resolve) => resolve(null)))
  }

  /** Result of a rule; null if the run ended before. Throws for a rule that the run does not judge. */
  async resultOf(id: RuleId): Promise<RuleResult | null> {
    const result = this.#results.get(id)
    if (result === undefined) throw new Error(`${id} was not selected when the run began`)
    return result
  }

  /** Waits for the end, and writes the reports of a whole run, once. */
  end(): Promise<RunOutcome> {
    return (this.#ended ??= this.#end())
  }

  async #end(): Promise<RunOutcome> {
    const aside = this.#aside
    try {
      const verdict = await this.#verdict
      if (verdict === null) throw new Error('the run was not begun')
      const { exitCode, because } = verdict
      const trouble = exitCode === 0 ? null : [`${verdict.verdict}:`, ...because].join('\n')
      const isSlip = exitCode === 2 && verdict.requests.sent === 0
      if (aside === null || (isSlip && (await aside.bringBack()))) return { verdict, trouble, whole: false }
      await this.#write(verdict, aside)
      return { verdict, trouble, whole: true }
    } catch (error) {
      return { verdict: null, trouble: errorText(error), whole: false }
    } finally {
      aside?.lock.release()
    }
  }

  async #write(verdict: Verdict, aside: SetAside): Promise<void> {
    const { reportsDir: folder, history } = this.#settings.run
    aside.keep()
    if (verdict.verdict === 'error') await clearReports(folder)
    await writeReports(verdict, { folder, history })
  }
}

/** A partial run compares with an existing baseline and writes none. */
function onlyLooking(settings: Settings, hasBaseline: boolean): Settings {
  const { baseline } = settings.run
  const compared = hasBaseline && baseline !== null ? { ...baseline, mode: 'compare' as const } : null
  return { ...settings, run: { ...settings.run, baseline: compared } }
}
