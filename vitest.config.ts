import { defineConfig } from 'vitest/config'
import { SuiteSequencer } from './lib/suite/suite-sequencer.ts'

export default defineConfig({
  test: {
    sequence: { sequencer: SuiteSequencer },
    projects: [
      {
        test: {
          // The specification as tests. The program starts them by itself; this is for working on them.
          name: 'conformance',
          include: ['suites/*.suite.ts'],
          globalSetup: ['lib/cli/vitest-global-setup.ts'],
          pool: 'threads',
          isolate: false,
          fileParallelism: false,
          maxConcurrency: 1_000,
          testTimeout: 0,
          hookTimeout: 0,
        },
      },
      {
        test: {
          // The tests of the suite itself.
          name: 'self',
          include: ['lib/**/*.test.ts', 'tests/**/*.test.ts'],
          globalSetup: ['tests/build-once.ts'],
          // Many files mostly wait for programs that they started: more run side by side than there are cores.
          maxWorkers: 3,
          // A test that asserts nothing tests nothing; tests/assertions.test.ts sees to those that run beside others.
          expect: { requireAssertions: true },
          // Tests that run beside others wait for their turn, and every program that they start has a limit of its own.
          testTimeout: 600_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
