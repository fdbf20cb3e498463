import type { Baseline } from '../drift/baseline.ts'
import { judge, type RunEvent } from '../engine/run.ts'
import type { ReferenceService } from '../reference/service.ts'
import { readHistory } from '../report/history.ts'
import type { Connection, Verdict } from '../verdict/verdict.ts'
import { redactorOf } from '../engine/redactor-of.ts'
import type { Settings } from '../settings/settings.ts'
import { keepBaseline } from './baseline.ts'

/** What judging a target needs besides its settings. */
export interface Judging {
  readonly startedAt: Date
  /** What the baseline file holds, null where there is none. */
  readonly baseline: Baseline | null
  readonly connection: Connection | null
  /** Ends the run. */
  readonly signal?: AbortSignal
  readonly onEvent?: (event: RunEvent) => void
}

/** Judges the target of the settings, the embedded service included, keeps the baseline that was asked for, and gives the verdict. */
export async function judgeTarget(given: Settings, judging: Judging): Promise<Verdict> {
  const { baseline, ...more } = judging
  const { waivers, history } = given.run
  const needsHistory = waivers.length > 0 || given.fixtures.disposableQuota !== null
  const { suites } = await import('../../suites/index.ts')
  const { settings, service } = await reached(given)
  try {
    const { verdict, shapes } = await judge(settings, suites, {
      ...more,
      baseline,
      earlier: needsHistory ? await readHistory(history) : [],
    })
    const redactor = redactorOf(settings)
    return await keepBaseline(verdict, {
      asked: settings.run.baseline,
      known: baseline,
      seen: shapes,
      redact: (text) => redactor.redact(text),
    })
  } finally {
    await service?.close()
  }
}

async function reached(
  settings: Settings,
): Promise<{ readonly settings: Settings; readonly service: ReferenceService | null }> {
  if (!settings.target.embedded) return { settings, service: null }

  const { startEmbedded } = await import('./embedded.ts')
  return startEmbedded(settings)
}
