import type { Baseline } from '../drift/baseline.ts'
import { judge } from '../engine/judge.ts'
import type { ReferenceService } from '../reference/service.ts'
import { readHistory } from '../report/history.ts'
import type { Connection, Verdict } from '../report/verdict.ts'
import { scrubberOf } from '../session/scrubber-of.ts'
import type { Settings } from '../settings/settings.ts'
import { keepBaseline } from './baseline.ts'
import type { Interruption } from './interruption.ts'
import type { ProgressDisplay } from './progress.ts'
import { RunProgress } from './run-progress.ts'

/** What judging a target needs besides its settings. */
export interface Judging {
  readonly startedAt: Date
  readonly interruption: Interruption
  /** What the baseline file holds, null where there is none. */
  readonly baseline: Baseline | null
  readonly connection: Connection | null
  /** Shows how far the run has come; null where nothing is to be shown. */
  readonly showing: ProgressDisplay | null
}

/** Judges the target of the settings, the embedded service included, keeps the baseline that was asked for, and gives the verdict. */
export async function judgeTarget(given: Settings, judging: Judging): Promise<Verdict> {
  const { startedAt, interruption, baseline, connection, showing } = judging
  const { waivers, history } = given.run
  const needsHistory = waivers.length > 0 || given.fixtures.disposableQuota !== null
  const { suites } = await import('../../suites/index.ts')
  const { settings, service } = await reached(given)
  const progress = new RunProgress()
  try {
    const { verdict, shapes } = await judge(settings, suites, {
      signal: interruption.signal,
      onEvent: (event) => {
        progress.note(event)
        if (event.kind === 'planned') showing?.watch(() => progress.now)
      },
      startedAt,
      baseline,
      earlier: needsHistory ? await readHistory(history) : [],
      connection,
    })
    const scrubber = scrubberOf(settings)
    return await keepBaseline(verdict, {
      asked: settings.run.baseline,
      known: baseline,
      seen: shapes,
      scrub: (text) => scrubber.scrub(text),
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
