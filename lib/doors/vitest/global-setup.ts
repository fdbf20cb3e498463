import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether vitest watches the sources and repeats runs. */
    watch: boolean
  }
}

/** Provides the tests with facts that only vitest's own process knows. */
export function setup(project: TestProject): void {
  project.provide('watch', project.vitest.config.watch)
}
