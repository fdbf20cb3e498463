import { stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import type { Plugin } from 'vitest/config'
import type { Reporter, TestSpecification, Vitest } from 'vitest/node'
import { writeChecksums } from '../../report/evidence/run-folder.ts'
import type { Selection } from './picked-rules.ts'

/** Makes vitest judge all files of rules by one run, whatever its flags say. */
export function oneRun(reports: string): Plugin {
  return {
    name: 'one run',
    configureVitest({ vitest, project }) {
      // Files share the run where they share a worker and its modules.
      Object.assign(project.config, { isolate: false, maxWorkers: 1 })
      // Last of all: its checksums cover what Allure's reporter writes.
      vitest.config.reporters.push(new RunReporter(vitest, resolve(reports)))
    },
  }
}

/** Tells the tests what vitest selected before the first of them, and seals the reports once more behind the last. */
class RunReporter implements Reporter {
  readonly #vitest: Vitest
  readonly #folder: string
  readonly #startedMs = Date.now()

  constructor(vitest: Vitest, folder: string) {
    this.#vitest = vitest
    this.#folder = folder
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    const pattern = this.#vitest.getGlobalTestNamePattern()
    const files = specifications.map((one) => ({
      file: basename(one.moduleId, '.ts'),
      pattern: one.testNamePattern ?? pattern,
      names: namesOf(one),
    }))
    this.#vitest.provide('selection', { watch: this.#vitest.config.watch, files } satisfies Selection)
  }

  async onTestRunEnd(): Promise<void> {
    const written = await stat(join(this.#folder, 'run.sha256')).catch(() => null)
    // A selection leaves no reports: what is there is of an earlier run.
    if (written === null || written.mtimeMs < this.#startedMs) return
    await writeChecksums(this.#folder)
  }
}

/** The tests that a page or an editor picked by their ids, which it knows from an earlier run. */
function namesOf({ testIds, testModule }: TestSpecification): readonly string[] | undefined {
  if (testIds === undefined || testModule === undefined) return undefined
  return [...testModule.children.allTests()].filter(({ id }) => testIds.includes(id)).map(({ name }) => name)
}
