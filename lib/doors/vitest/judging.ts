import type { Area } from '../../engine/plan/cases.ts'
import type { RuleResult } from '../../judge/record.ts'
import { setAside, type SetAside } from '../../report/folder/set-aside.ts'
import { beginAside, writeReports } from '../../report/write-reports.ts'
import { connectionOf, judgeTarget } from '../judge-target.ts'
import { failedVerdict, type RunInput } from '../run-start.ts'
import { packageVersion } from '../../settings/package-version.ts'
import type { RunSettings, Settings } from '../../settings/settings.ts'
import type { RuleId } from '../../specification/rules.ts'
import { errorText } from '../../text/printable.ts'
import { runMetadata, unfinishedVerdict } from '../../verdict/assemble.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import type { RunOutcome } from './picked-rules.ts'

/** What is judged. */
interface Judged {
  readonly settings: Settings
  readonly own: readonly Area[]
  readonly baseline: RunInput['baseline']
  /** The rules that vitest selected. */
  readonly selected: readonly RuleId[]
  /** Everything was selected, and once; other runs must not replace the reports of a whole run. */
  readonly whole: boolean
  /** The reports of an earlier run, if they are out of the way already. */
  readonly earlier: SetAside | null
}

/** The one run of the engine that all test files wait for. */
export interface Judging {
  /** Result of a rule; null if the run ended before. */
  readonly resultOf: (id: RuleId) => Promise<RuleResult | null>
  /** What the run came to, once the reports of a whole run are written. */
  readonly outcome: Promise<RunOutcome>
}

/** Begins the run. Throws if nothing can be judged. */
export async function beginJudging({
  settings: asked,
  own,
  baseline,
  selected,
  whole,
  earlier,
}: Judged): Promise<Judging> {
  const settings = whole ? asked : partly(asked, selected, baseline !== null)
  const startedAt = new Date()
  const connection = connectionOf(settings, process.env)
  const head = runMetadata(settings, { suiteVersion: packageVersion(), connection, startedAt, durationMs: 0 })
  const aside = whole ? (earlier ?? (await setAside(asked.run.reportsDir))) : null
  if (aside !== null) await beginAside(aside, unfinishedVerdict(head))

  const waiting = new Map<string, (result: RuleResult | null) => void>()
  const results = new Map(
    selected.map((id) => [id, new Promise<RuleResult | null>((resolve) => waiting.set(id, resolve))]),
  )
  const verdict = judgeTarget(settings, {
    startedAt,
    own,
    baseline,
    connection,
    aside,
    onEvent: (event) => {
      if (event.kind === 'rule-settled') waiting.get(event.result.id)?.(event.result)
    },
  })
    .catch((error: unknown) => failedVerdict(head, error))
    .finally(() => waiting.forEach((resolve) => resolve(null)))
  return {
    resultOf: async (id) => (await results.get(id)) ?? null,
    outcome: verdict.then((one) => concluded(one, aside, settings.run)),
  }
}

async function concluded(
  verdict: Verdict,
  aside: SetAside | null,
  { reportsDir: folder, history, signingKeyFile: keyFile }: RunSettings,
): Promise<RunOutcome> {
  const { exitCode, because } = verdict
  const trouble = exitCode === 0 ? null : [`${verdict.verdict}:`, ...because].join('\n')
  try {
    if (aside === null || (await aside.conclude(verdict))) return { verdict, trouble, whole: false, keyFile }
    await writeReports(verdict, { folder, history })
    return { verdict, trouble, whole: true, keyFile }
  } catch (error) {
    return { verdict: null, trouble: errorText(error), whole: false, keyFile }
  } finally {
    aside?.lock.release()
  }
}

/** A partial run compares with an existing baseline and writes none. */
function partly(settings: Settings, only: readonly RuleId[], hasBaseline: boolean): Settings {
  const { baseline } = settings.run
  const compared = hasBaseline && baseline !== null ? { ...baseline, mode: 'compare' as const } : null
  return { ...settings, run: { ...settings.run, only, baseline: compared } }
}
