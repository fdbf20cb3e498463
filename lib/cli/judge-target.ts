import { setTimeout as delay } from 'node:timers/promises'
import type { Baseline } from '../drift/baseline.ts'
import type { ReferenceService } from '../reference/service.ts'
import { assemble, type RunHead } from '../report/assemble.ts'
import { readHistory } from '../report/history.ts'
import { wasOverrunBefore } from '../report/quota-overruns.ts'
import type { Progress } from '../report/progress.ts'
import type { Verdict } from '../report/verdict.ts'
import { scrubberOf } from '../session/scrubber-of.ts'
import type { Settings } from '../settings/settings.ts'
import { utcDay } from '../settings/waivers.ts'
import { keepBaseline } from './baseline.ts'
import { Deadline } from './deadline.ts'
import type { Interruption } from './interruption.ts'
import { loadSuites, type Suites } from './suites.ts'

/** What judging a target needs besides its settings. */
export interface Judging {
  readonly startedAt: Date
  readonly interruption: Interruption
  /** What the baseline file holds, null where there is none. */
  readonly baseline: Baseline | null
  /** Called when the first request is about to be sent, with what tells how far the run has come. */
  readonly begins: (progress: () => Progress) => void
  /** What the verdict says of the settings, once the target is known. */
  readonly head: (settings: Settings) => RunHead
}

/** A verdict, and what is written of it elsewhere than from it alone. */
export interface Judged {
  readonly verdict: Verdict
  /** Writes Allure's results as a verdict of this run has them. Throws ReportsFolderError. */
  readonly writeAllure: (verdict: Verdict) => void
}

/** How long a vitest may take to end whose worker died: it waits for what never comes. */
const closingMs = 2_000

/** Runs the suites against the target of the settings, the embedded service included, and gives the verdict. */
export async function judgeTarget(given: Settings, judging: Judging): Promise<Judged> {
  const deadline = new Deadline(given.run.maxMinutes)
  const { settings, service } = await reached(given)
  try {
    return await judgeReached(settings, judging, deadline)
  } finally {
    deadline.clear()
    await service?.close()
  }
}

async function judgeReached(
  settings: Settings,
  { startedAt, interruption, baseline, begins, head }: Judging,
  deadline: Deadline,
): Promise<Judged> {
  const { waivers, history } = settings.run
  const { disposableQuota: quota } = settings.fixtures
  const earlier = waivers.length === 0 && quota === null ? [] : await readHistory(history)
  const suites = await loadSuites({
    settings,
    now: startedAt,
    allure: true,
    baseline,
    quotaWasOverrun:
      quota !== null && wasOverrunBefore(earlier, { target: head(settings), quota, startedAt }),
  })
  try {
    const endings = [interruption, deadline]
    const endedBecause = (): string | null =>
      endings.map(({ reason }) => reason).find((reason) => reason !== null) ?? null
    for (const ending of endings) ending.ends(() => void suites.cancel())
    const runs = suites.mishaps.length === 0 && endedBecause() === null
    if (runs) begins(suites.progress)
    const death = runs ? await runToItsEnd(suites) : []
    const { shapes, ...collected } = suites.collected()

    const verdict = assemble(head(settings), {
      planned: suites.plan.map(({ id }) => id),
      collected: { ...collected, mishaps: [...suites.mishaps, ...death, ...collected.mishaps] },
      news: suites.news(),
      cancelled: endedBecause(),
      waivers,
      today: utcDay(startedAt),
      earlier,
    })
    const scrubber = scrubberOf(settings)
    const kept = await keepBaseline(verdict, {
      asked: settings.run.baseline,
      known: baseline,
      seen: shapes,
      scrub: (text) => scrubber.scrub(text),
    })
    return { verdict: kept, writeAllure: suites.writeAllure }
  } finally {
    await Promise.race([suites.close(), delay(closingMs)])
  }
}

/**
 * Runs the suites and gives what ended them before their time. A worker that dies is told of twice, the second time when
 * nobody in vitest listens any more.
 */
async function runToItsEnd(suites: Suites): Promise<readonly string[]> {
  return new Promise((resolve) => {
    const ended = (error: unknown): void => resolve([error instanceof Error ? error.message : String(error)])
    process.on('uncaughtException', ended)
    process.on('unhandledRejection', ended)
    suites.run().then(() => resolve([]), ended)
  })
}

async function reached(
  settings: Settings,
): Promise<{ readonly settings: Settings; readonly service: ReferenceService | null }> {
  if (!settings.target.embedded) return { settings, service: null }

  const { startEmbedded } = await import('./embedded.ts')
  return startEmbedded(settings)
}
