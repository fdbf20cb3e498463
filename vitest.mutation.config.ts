import { defineConfig } from 'vitest/config'

// What Stryker runs: the tests beside the files that it mutates, and nothing that needs the built program.
// oxlint-disable-next-line import/no-default-export -- what vitest wants
export default defineConfig({
  test: {
    include: ['lib/{oracle,judge,drift}/**/*.test.ts'],
    // Seconds of recursion avoided, which no mutant brings back.
    exclude: ['lib/drift/deep.test.ts'],
    setupFiles: ['tests/mutation-setup.ts'],
    // A slow machine kills no mutant: only Stryker's own bound, which it measures first, ends one that hangs.
    testTimeout: 0,
    hookTimeout: 0,
    pool: 'threads',
    isolate: false,
  },
})
