import { beforeEach, expect } from 'vitest'

// Without this, vitest compares buffers as arrays of numbers, which takes a second for two reports.
expect.addEqualityTesters([
  (one, other) => (Buffer.isBuffer(one) && Buffer.isBuffer(other) ? one.equals(other) : undefined),
])

/**
 * A concurrent test must use the `expect` of its context: the global one counts assertions for the test that began last. Reading the
 * context's `expect` makes vitest count with it, so that `requireAssertions` rejects a concurrent test that uses only the global one.
 */
beforeEach(({ task }) => {
  if (task.concurrent === true) void task.context.expect
})
