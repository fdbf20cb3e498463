import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Runs quick files first: the first failure ends a mutant, and most fail in many files. By itself vitest begins with the slow ones. A
 * module that one file mocks would stay mocked for those behind it: such a file comes last.
 */
class QuickFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const quickFirst = files.toSorted((one, other) => this.#duration(one) - this.#duration(other))
    const last = new Set(quickFirst.filter(mocks))
    return [...quickFirst.filter((file) => !last.has(file)), ...last]
  }

  #duration({ project, moduleId }: TestSpecification): number {
    const { cache, config } = this.ctx
    return cache.getFileTestResults(`${project.name}:${relative(config.root, moduleId)}`)?.duration ?? 0
  }
}

function mocks({ moduleId }: TestSpecification): boolean {
  return readFileSync(moduleId, 'utf8').includes('vi.mock(')
}

// What Stryker runs: the tests beside the files that it mutates, and nothing that needs the built program.
// oxlint-disable-next-line import/no-default-export -- what vitest wants
export default defineConfig({
  test: {
    include: [
      'lib/{judge,explain,drift,specification,verdict,redact}/**/*.test.ts',
      'lib/engine/plan/{fuzz,fuzz-check,rule}.test.ts',
      'lib/report/history/{changes,courses,history}.test.ts',
      'tests/catalogue.test.ts',
      'suites/cases/cases.test.ts',
      'lib/engine/{plan/shared-requests,send/run-state,send/retry,send/circuit-breaker}.test.ts',
      'lib/engine/run/{accusation,accuser,ask,confirm,driver,health,lockouts,no-response}.test.ts',
      'lib/engine/run/{preflight,quota-monitor,refining,rule-status,stage,suspects}.test.ts',
    ],
    // Seconds of what takes long: recursion avoided, and time that grows with the text alone.
    exclude: ['lib/drift/deep.test.ts', 'lib/redact/slow.test.ts'],
    setupFiles: ['lab/mutation/setup.ts'],
    sequence: { sequencer: QuickFirst },
    // A slow machine kills no mutant: only Stryker's own bound, which it measures first, ends one that hangs.
    testTimeout: 0,
    hookTimeout: 0,
    pool: 'threads',
    isolate: false,
  },
})
