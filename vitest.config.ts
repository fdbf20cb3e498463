import { defineConfig } from 'vitest/config'
import { oneRun } from './lib/doors/vitest/plugin.ts'

// The specification as tests, an area a file and a rule a test: npx vitest run. The tests of the suite itself are tests/vitest.config.ts.
export default defineConfig({
  plugins: [oneRun()],
  test: {
    name: 'conformance',
    include: ['suites/*.suite.ts'],
    reporters: ['verbose'],
    // One run sends all requests; the tests only wait for it.
    testTimeout: 0,
    hookTimeout: 0,
    teardownTimeout: 30_000,
  },
})
