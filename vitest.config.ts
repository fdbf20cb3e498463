import AllureReporter from 'allure-vitest/reporter'
import { defineConfig } from 'vitest/config'
import { oneRun } from './lib/doors/vitest/plugin.ts'

const reports = process.env['RUN_REPORTS_DIR'] ?? 'reports'

// The specification as tests, an area a file and a rule a test: npx vitest run. The tests of the suite itself are tests/vitest.config.ts.
export default defineConfig({
  plugins: [oneRun(reports)],
  test: {
    name: 'conformance',
    include: ['lib/doors/vitest/areas/*.ts'],
    reporters: [
      'verbose',
      // By its name Vite would not find it: an optional peer of a package that has exports.
      new AllureReporter({ resultsDir: `${reports}/allure-results` }),
    ],
    // One run sends all requests; the tests only wait for it.
    testTimeout: 0,
    hookTimeout: 0,
    teardownTimeout: 30_000,
  },
})
