import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { propertySeed } from './support/property-seed.ts'

/** All paths are relative to the root of the checkout. */
const root = fileURLToPath(new URL('..', import.meta.url))

/** Tests that judge many services, start other programs, or pack and install: `npm run test:programs`. */
const programs = [
  ...'baseline bundle canary compare connections corpus documents-run early-end endpoints-file'.split(' '),
  ...'gateways/* init-terminal leash library own-rules package page/* progress proxy'.split(' '),
  ...'recipes/* replay reports-folder staging/* start-up trace two-doors waivers'.split(' '),
]
  .map((name) => `tests/${name}`)
  .concat(['lab/judge/rates', 'lab/second-judge/planted'])
  .map((name) => `${name}.test.ts`)

const { TESTS_SEED } = process.env
const seed = propertySeed(TESTS_SEED)
if (TESTS_SEED === 'random')
  process.stdout.write(`Properties use seed ${seed}. Set TESTS_SEED=${seed} to repeat them.\n`)

const common = {
  root,
  globalSetup: ['tests/support/before-all.ts'],
  // Load the built program in its installed form.
  server: { deps: { external: [/\/\.build\//] } },
  // Each worker loads all modules again, so more than two workers are slower.
  maxWorkers: 2,
  // A test without assertions fails, even a concurrent one. The timeout of polls is long enough for any machine.
  expect: { requireAssertions: true, poll: { timeout: 30_000 } },
  setupFiles: ['tests/support/before-each-file.ts'],
  provide: { propertySeed: seed },
  // Concurrent tests wait their turn, and every program that they start has its own time limit.
  testTimeout: 1_800_000,
  hookTimeout: 600_000,
}

// The tests of the suite itself.
export default defineConfig({
  test: {
    // The pool reads only this one. On a busy machine a worker takes a while to stop.
    teardownTimeout: 120_000,
    projects: [
      {
        test: {
          ...common,
          // Modules are loaded once for all files, because loading takes longer than most tests. A loaded module cannot be mocked.
          name: 'unit',
          include: ['{lib,suites,tests,lab}/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...programs],
          pool: 'threads',
          isolate: false,
        },
      },
      {
        test: {
          ...common,
          name: 'programs',
          include: programs,
          isolate: false,
          // Many files mostly wait for programs that they started, so more files run at once than there are cores.
          maxWorkers: 4,
          globalSetup: [...common.globalSetup, 'tests/support/before-programs.ts'],
        },
      },
    ],
  },
})
