import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'self',
          include: ['lib/**/*.test.ts', 'tests/**/*.test.ts'],
          globalSetup: ['tests/build-once.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
