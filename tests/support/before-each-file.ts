import fc from 'fast-check'
import { beforeEach, expect, inject } from 'vitest'
import { fixedSeed } from './property-seed.ts'

// Without this, vitest compares buffers as arrays of numbers, which takes a second for two reports.
const areEqual = (one: unknown, other: unknown): boolean | undefined =>
  Buffer.isBuffer(one) && Buffer.isBuffer(other) ? one.equals(other) : undefined
expect.addEqualityTesters([areEqual])

/**
 * A concurrent test must use the `expect` of its context: the global one counts assertions for the test that began last. Reading the
 * context's `expect` makes vitest count with it, so that `requireAssertions` rejects a concurrent test that uses only the global one.
 */
beforeEach(({ task }) => {
  if (task.concurrent === true) void task.context.expect
})

declare module 'vitest' {
  interface ProvidedContext {
    /** Seed of each property that sets none. The product generates its cases from other seeds. */
    propertySeed: number
  }
}

const seed = inject('propertySeed')
// Repeating the same examples finds little: another seed draws ten times as many.
const numRuns = seed === fixedSeed ? 25 : 250
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed, numRuns })
