import { join } from 'node:path'
import { createDefaultWriter, ReporterRuntime } from 'allure-js-commons/sdk/reporter'
import { allureWriting } from './allure.ts'
import { ReportsFolderError } from './reports-folder.ts'
import type { Verdict } from '../verdict/verdict.ts'

/** Writes Allure's results of a verdict into its reports folder. The environment names the build. Throws {@link ReportsFolderError}. */
export function writeAllureResults(
  verdict: Verdict,
  {
    reportsDir,
    env,
  }: { readonly reportsDir: string; readonly env: Readonly<Record<string, string | undefined>> },
): void {
  const resultsDir = join(reportsDir, 'allure-results')
  try {
    const { config, names } = allureWriting(verdict, resultsDir, env)
    const runtime = new ReporterRuntime({ ...config, writer: createDefaultWriter({ resultsDir }) })
    runtime.writeEnvironmentInfo()
    runtime.writeCategoriesDefinitions()
    const start = Date.parse(verdict.startedAt)
    for (const name of names) {
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
