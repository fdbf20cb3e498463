import { dirname, join, resolve } from 'node:path'
import type { Plugin } from 'vitest/config'
import { inputWith, readSources } from '../../settings/sources.ts'
import { runReporter } from './run-reporter.ts'

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
