import { mkdirSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import AllureReporter from 'allure-vitest/reporter'
import type { Plugin } from 'vitest/config'
import type { Reporter, TestModule, Vitest } from 'vitest/node'
import { allureResults, attachTo, writeAllureResults, type AllureResult } from '../../report/allure/allure.ts'
import { readKey } from '../../report/evidence/statement.ts'
import { view } from '../../report/view.ts'
import { sealRun } from '../../report/write-reports.ts'
import { inputWith, readSources } from '../../settings/sources.ts'
import { asWritten } from '../../verdict/verdict.ts'
import { troubleIn, type RunOutcome, type Selection } from './picked-rules.ts'

/** Makes vitest judge all suites in one run, regardless of its flags. */
export function oneRun(): Plugin {
  const suites = resolve('suites')
  const files = (...names: readonly string[]) => names.map((name) => join(suites, `${name}.suite.ts`))
  const isFile = (id: string) => dirname(id) === suites && id.endsWith('.suite.ts')
  return {
    name: 'one run',
    enforce: 'pre',

    // Suites import each other unchanged. Vitest receives files with the same names, which register the rules as tests.
    resolveId(source, importer = '') {
      // Relative to the root of the checkout, as vitest requests files that are not on disk.
      const provided = files('own', 'verdict').find((file) => file.endsWith(source))
      if (source.startsWith('/') && provided !== undefined) return provided
      const imported = join(dirname(importer), source)
      return source.startsWith('.') && isFile(imported) ? `${imported}?rules` : null
    },

    load(id) {
      if (!isFile(id)) return null
      return `import { testRules } from ${JSON.stringify(resolve('lib/doors/vitest/rule-tests.ts'))}
        testRules(${JSON.stringify(id)})`
    },

    // oxlint-disable-next-line typescript/no-misused-promises -- vitest waits for the promise
    async configureVitest({ vitest, project }) {
      const { texts } = await readSources(inputWith({ env: process.env }))
      const { RUN_SUITES, RUN_REPORTS_DIR = 'reports', RUN_SIGNING_KEY_FILE: key = null } = texts
      // Files share the run if they share a worker and its modules.
      Object.assign(project.config, { isolate: false, maxWorkers: 1 })
      // Found once and kept, because requests add files that are not on disk.
      await project.globTestFiles()
      for (const file of files(...(RUN_SUITES === undefined ? [] : ['own']), 'verdict'))
        project.matchesTestGlob(file)
      vitest.config.reporters.push(runReporter(vitest, resolve(RUN_REPORTS_DIR), key && resolve(key)))
    },
  }
}

/**
 * Passes vitest's selection to the tests before the first one. After the last one, makes Allure's reporter write the same results as `run`,
 * and seals the reports again.
 */
function runReporter(vitest: Vitest, folder: string, keyFile: string | null): Reporter {
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
      const metas: readonly object[] = modules.map((module) => module.meta())
      const told: readonly { readonly run?: RunOutcome }[] = metas
      const run = told.find((meta) => meta.run !== undefined)?.run
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

function testsOf(modules: readonly TestModule[]) {
  return modules.flatMap(({ children }) => [...children.allTests()])
}

const verdictId = 'run/verdict'

/** The rule id of a test or a result. */
function idOf({ name = '' }: { readonly name?: string }) {
  return name === 'the verdict' ? verdictId : (name.split(': ')[0] ?? '')
}
