import { join } from 'node:path'
import { createDefaultWriter, ReporterRuntime } from 'allure-js-commons/sdk/reporter'
import AllureVitestReporter from 'allure-vitest/reporter'
import type { TestModule, Vitest } from 'vitest/node'
import { allureWriting } from '../report/allure.ts'
import { ReportsFolderError } from '../report/reports-folder.ts'
import type { Verdict } from '../report/verdict.ts'

/** A run that has ended, as vitest knows it, and where its results go. */
export interface EndedRun {
  readonly vitest: Vitest
  /** Empty where vitest did not come to its end. */
  readonly modules: readonly TestModule[]
  readonly reportsDir: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Writes Allure's results of a run: allure-vitest those of the tests that it knows, which the verdict puts right, and then those of
 * rules that were never begun, which it would leave out. Throws {@link ReportsFolderError}.
 */
export function writeAllureResults(verdict: Verdict, { vitest, modules, reportsDir, env }: EndedRun): void {
  const resultsDir = join(reportsDir, 'allure-results')
  try {
    const { config, unwritten } = allureWriting(verdict, resultsDir, env)
    // After the run, so that it sets nothing up in the workers: there it would take every expect for a step.
    const reporter = new AllureVitestReporter(config)
    reporter.onInit(vitest)
    reporter.onTestRunEnd(modules)

    const runtime = new ReporterRuntime({ ...config, writer: createDefaultWriter({ resultsDir }) })
    const start = Date.parse(verdict.startedAt)
    for (const name of unwritten()) {
      const uuid = runtime.startTest({ name, start })
      runtime.stopTest(uuid, { stop: start })
      runtime.writeTest(uuid)
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ReportsFolderError(
      `Allure's results cannot be written to ${resultsDir}: ${reason}; name another folder with RUN_REPORTS_DIR (--reports-dir)`,
      { cause: error },
    )
  }
}
