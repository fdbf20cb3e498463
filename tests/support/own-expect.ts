import { beforeEach, expect } from 'vitest'

// Byte by byte, as an array of numbers, two reports take a second.
expect.addEqualityTesters([
  (one, other) => (Buffer.isBuffer(one) && Buffer.isBuffer(other) ? one.equals(other) : undefined),
])

/**
 * A concurrent test must assert by the `expect` of its context: the global one counts assertions for the test that began last. Reading it
 * here makes vitest count by it, so that `requireAssertions` refuses a concurrent test that uses the global one only.
 */
beforeEach(({ task }) => {
  if (task.concurrent === true) void task.context.expect
})
