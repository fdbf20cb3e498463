import AllureReporter from 'allure-vitest/reporter'
import { defineConfig } from 'vitest/config'
import { ChecksumsReporter } from './lib/doors/vitest/checksums-reporter.ts'

const reports = process.env['RUN_REPORTS_DIR'] ?? 'reports'

// The specification as tests, a test a rule: npx vitest run. The tests of the suite itself are tests/vitest.config.ts.
export default defineConfig({
  test: {
    name: 'conformance',
    include: ['lib/doors/vitest/rule-tests.ts'],
    globalSetup: ['lib/doors/vitest/global-setup.ts'],
    reporters: [
      'verbose',
      // By its name Vite would not find it: an optional peer of a package that has exports.
      new AllureReporter({ resultsDir: `${reports}/allure-results` }),
      // Behind it, since it covers its results.
      new ChecksumsReporter(reports),
    ],
    // One run sends all requests; the tests only wait for it.
    testTimeout: 0,
    hookTimeout: 0,
    teardownTimeout: 30_000,
  },
})
