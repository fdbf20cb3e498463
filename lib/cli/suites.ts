import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { BroadcastChannel } from 'node:worker_threads'
import type { Reporter, TestModule, Vitest } from 'vitest/node'
import type { Baseline } from '../drift/baseline.ts'
import { Collector, type Collected } from '../report/collector.ts'
import { casesDone, type Progress } from '../report/progress.ts'
import type { Verdict } from '../report/verdict.ts'
import { allot, type PlannedRule } from '../session/plan.ts'
import { sealSettings } from '../settings/seal-settings.ts'
import type { Settings } from '../settings/settings.ts'
import { utcDay } from '../settings/waivers.ts'
import { cancelWord, type RunNews } from '../suite/channel.ts'
import type { ReplayedCase } from '../suite/suite-context.ts'
import { packageVersion, programExtension, programRoot } from './package-info.ts'

/** How the suites are started. */
export interface SuitesOptions {
  readonly settings: Settings
  readonly now: Date
  /** Whether Allure's results will be written. */
  readonly allure: boolean
  /** The one case that is sent again; all cases without it. */
  readonly replayed?: ReplayedCase
  /** The baseline to compare with; none without it. */
  readonly baseline?: Baseline | null
  /** Whether an earlier run was served more often than the declared quota allows, too, and no reset explains both; false without it. */
  readonly quotaWasOverrun?: boolean
}

/** The suites, loaded but not yet run. */
export interface Suites {
  readonly plan: readonly PlannedRule[]
  /** What went wrong while they were loaded. */
  readonly mishaps: readonly string[]
  /** Judges every planned rule. */
  readonly run: () => Promise<void>
  /** Ends the run: nothing more is sent. */
  readonly cancel: () => Promise<void>
  readonly collected: () => Collected
  readonly news: () => RunNews | null
  /** How far the run has come. */
  readonly progress: () => Progress
  /** Writes Allure's results into the reports folder, as this verdict of the run has them; also after the end. Throws ReportsFolderError. */
  readonly writeAllure: (verdict: Verdict) => void
  readonly close: () => Promise<void>
}

/** Loads the suites into vitest, so that every rule has said what it would send; nothing is sent yet. */
export async function loadSuites({
  settings,
  now,
  allure,
  replayed,
  baseline,
  quotaWasOverrun,
}: SuitesOptions): Promise<Suites> {
  const collector = new Collector()
  const channelName = `card-switch-conformance-${randomUUID()}`
  const ran = new EndedModules()
  const vitest = await startVitest([collector, ran], {
    run: {
      settings: sealSettings(settings),
      channel: channelName,
      version: packageVersion(),
      today: utcDay(now),
      replayed: replayed ?? null,
      baseline: baseline ?? null,
      quotaWasOverrun: quotaWasOverrun ?? false,
    },
    allotment: {},
    asked: [],
  })

  // Allure is loaded while the worker loads the suites.
  const [{ testModules, unhandledErrors }, allureResults] = await Promise.all([
    vitest.collect(),
    allure ? import('./allure-results.ts') : null,
  ])
  const metas = testModules.flatMap((module) => [...module.children.allTests()].map((test) => test.meta()))
  const plan = metas.flatMap(({ planned }) => planned ?? [])
  const asked = metas.flatMap((meta) => meta.asked ?? [])
  const listener = listen(channelName)

  return {
    plan,
    mishaps: [
      ...testModules.flatMap((module) =>
        module.errors().map(({ message }) => `${module.relativeModuleId}: ${message}`),
      ),
      ...unhandledErrors.map((error) => (error instanceof Error ? error.message : String(error))),
    ],
    run: async () => {
      vitest.provide('allotment', allot(plan, settings.run.maxRequests))
      vitest.provide('asked', asked)
      await vitest.start()
    },
    cancel: async () => {
      listener.cancel()
      await vitest.cancelCurrentRun('keyboard-input')
    },
    collected: () => collector.collected(),
    news: listener.latest,
    progress: () => {
      const { results, record } = collector.collected()
      const news = listener.latest()
      const ended = new Set<string>(results.map(({ id }) => id))
      return {
        area: collector.area,
        cases: casesDone(plan, ended, news?.cases ?? {}),
        requests: {
          sent: Math.max(record?.sent ?? 0, news?.record.sent ?? 0),
          budget: settings.run.maxRequests,
        },
      }
    },
    writeAllure: (verdict) => {
      const { modules } = ran
      const { reportsDir } = settings.run
      allureResults?.writeAllureResults(verdict, { vitest, modules, reportsDir, env: process.env })
    },
    close: async () => {
      listener.close()
      await vitest.close()
    },
  }
}

/** The program's own modules, wherever it is installed; its suites are not among them. */
const compiledModules = new RegExp(`^${literally(join(programRoot, 'lib'))}/`)

function literally(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
}

/** What vitest ran, once it came to its end. */
class EndedModules implements Reporter {
  modules: readonly TestModule[] = []

  onTestRunEnd(modules: readonly TestModule[]): void {
    this.modules = modules
  }
}

async function startVitest(reporters: readonly Reporter[], provide: object): Promise<Vitest> {
  const { createVitest } = await import('vitest/node')
  const { SuiteSequencer } = await import('../suite/suite-sequencer.ts')
  const before = endingListeners()
  const vitest = await createVitest(
    'test',
    {
      config: false,
      root: programRoot,
      include: [`suites/*.suite.${programExtension}`],
      exclude: [],
      watch: false,
      // A suite of which no rule is selected is empty.
      passWithNoTests: true,
      cache: false,
      // Compiled modules are loaded as they are; vitest need not look at them.
      server: { deps: { external: programExtension === 'js' ? [compiledModules] : [] } },
      pool: 'threads',
      isolate: false,
      fileParallelism: false,
      maxConcurrency: 1_000,
      testTimeout: 0,
      hookTimeout: 0,
      sequence: { sequencer: SuiteSequencer },
      reporters: [...reporters],
      provide,
    },
    { envDir: false, logLevel: 'silent' },
  )
  keepListeners(before)
  return vitest
}

const signals = ['SIGINT', 'SIGTERM'] as const

function endingListeners() {
  const rejection = process.listeners('unhandledRejection')
  return { SIGINT: process.listeners('SIGINT'), SIGTERM: process.listeners('SIGTERM'), rejection }
}

/** By what vitest would end the process, a run ends with its verdict: these events are ours. */
function keepListeners(before: ReturnType<typeof endingListeners>): void {
  for (const signal of signals) {
    for (const listener of process.listeners(signal)) {
      if (!before[signal].includes(listener)) process.removeListener(signal, listener)
    }
  }
  for (const listener of process.listeners('unhandledRejection')) {
    if (!before.rejection.includes(listener)) process.removeListener('unhandledRejection', listener)
  }
}

function listen(name: string): {
  readonly latest: () => RunNews | null
  readonly cancel: () => void
  readonly close: () => void
} {
  const channel = new BroadcastChannel(name)
  let latest: RunNews | null = null
  // Only our own worker knows the channel's name, and it posts nothing else.
  channel.addEventListener('message', (event: Event & { readonly data?: RunNews }) => {
    latest = event.data ?? latest
  })
  return { latest: () => latest, cancel: () => channel.postMessage(cancelWord), close: () => channel.close() }
}
