import { suites } from '../../../suites/index.ts'
import { judge } from '../../../lib/engine/run/run.ts'
import { answering, peakMiB } from '../measure/child.ts'
import { settingsFrom } from '../measure/settings.ts'

/** Targets to judge in one process, by the settings of their runs, and how many at once. */
export interface Targets {
  readonly settings: readonly Readonly<Record<string, string>>[]
  readonly atOnce: number
}

/** What judging them took. */
export interface TargetsResult {
  readonly seconds: number
  readonly peakMiB: number
}

answering<Targets, TargetsResult>(async ({ settings, atOnce }) => {
  const started = performance.now()
  const waiting = settings.values()
  const judgeSome = async (): Promise<void> => {
    for (const env of waiting) {
      const { verdict } = await judge(await settingsFrom(env), suites)
      if (verdict.exitCode !== 0) throw new Error(verdict.because.join('; '))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, judgeSome))
  return { seconds: (performance.now() - started) / 1_000, peakMiB: peakMiB() }
})
