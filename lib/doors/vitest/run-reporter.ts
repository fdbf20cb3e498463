import { mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import AllureReporter from 'allure-vitest/reporter'
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node'
import { allureResults, attachTo, writeAllureResults, type AllureResult } from '../../report/allure/allure.ts'
import { sealRun } from '../../report/evidence/run-folder.ts'
import { readKey } from '../../report/evidence/statement.ts'
import { view } from '../../report/view.ts'
import { asWritten } from '../../verdict/verdict-json.ts'
import { troubleIn, type Selection } from './picked-rules.ts'

/**
 * Passes vitest's selection to the tests before the first one. After the last one, makes Allure's reporter write the same results as `run`,
 * and seals the reports again.
 */
export function runReporter(vitest: Vitest, folder: string, keyFile: string | null): Reporter {
  const resultsDir = join(folder, 'allure-results')
  const results = new Map<string, AllureResult>()
  const beforeTestResultWrite = (result: { name?: string }) => {
    const id = idOf(result)
    Object.assign(result, results.get(id))
    results.delete(id)
  }
  const allure = new AllureReporter({ resultsDir, listeners: [{ beforeTestResultWrite }] })

  return {
    onInit: () => allure.onInit(vitest),

    onTestRunStart(specifications) {
      const pattern = vitest.getGlobalTestNamePattern()
      const files = specifications.map((specification) => ({
        file: basename(specification.moduleId, '.suite.ts'),
        pattern: specification.testNamePattern ?? pattern,
      }))
      vitest.provide('selection', { watch: vitest.config.watch, files } satisfies Selection)
    },

    async onTestRunEnd(modules) {
      const run = modules.map((module) => module.meta().run).find((outcome) => outcome !== undefined)
      if (run === undefined) return
      const { verdict, isWritten } = run
      const trouble = troubleIn(verdict)
      if (trouble !== null) {
        process.exitCode = 1
        // A selection has no verdict test that would report this.
        if (!testsOf(modules).some((test) => idOf(test) === verdictId && !test.ok()))
          process.stderr.write(`${trouble}\n`)
      }
      // A selection writes no reports, so any that exist belong to an earlier run.
      if (!isWritten) return
      if (verdict.rules.length > 0) {
        mkdirSync(resultsDir, { recursive: true })
        const shown = view(asWritten(verdict))
        for (const result of allureResults(shown, attachTo(resultsDir)))
          results.set(result.testCaseId ?? '', result)
        for (const test of testsOf(modules))
          if (!results.has(idOf(test))) Object.assign(test.meta(), { allureSkip: true })
        allure.onTestRunEnd(modules)
        writeAllureResults(shown, folder, results.values())
      }
      // The mistake may be the key.
      const isSigned = keyFile !== null && verdict.exitCode !== 2
      await sealRun(folder, asWritten(verdict), isSigned ? await readKey(keyFile, 'private') : null)
    },
  }
}

function testsOf(modules: readonly TestModule[]): readonly TestCase[] {
  return modules.flatMap(({ children }) => [...children.allTests()])
}

const verdictId = 'run/verdict'

/** The rule id of a test or a result. */
function idOf({ name = '' }: { readonly name?: string }) {
  return name === 'the verdict' ? verdictId : (name.split(': ')[0] ?? '')
}
