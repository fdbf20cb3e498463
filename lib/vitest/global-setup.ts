import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether vitest watches the sources, and runs again when one is saved. */
    watch: boolean
  }
}

/** Tells the tests what only vitest's own process knows. */
export function setup(project: TestProject): void {
  project.provide('watch', project.vitest.config.watch)
}
