import { defineConfig } from 'vitest/config'

// The tests of the suite itself.
export default defineConfig({
  test: {
    name: 'self',
    include: ['lib/**/*.test.ts', 'tests/**/*.test.ts'],
    globalSetup: ['tests/build-once.ts'],
    // The built program is loaded as it is installed.
    server: { deps: { external: [/\/\.build\//] } },
    // Many files mostly wait for programs that they started: more run side by side than there are cores.
    maxWorkers: 3,
    // A test that asserts nothing tests nothing; tests/assertions.test.ts sees to those that run beside others.
    expect: { requireAssertions: true },
    // Tests that run beside others wait for their turn, and every program that they start has a limit of its own.
    testTimeout: 600_000,
    hookTimeout: 120_000,
  },
})
