let ahead = 0
const now = performance.now.bind(performance)
performance.now = () => now() + ahead

/**
 * `node:timers/promises` with no time to pass at all: the clock jumps ahead. For `vi.mock` in tests that speak to a real server.
 */
export function setTimeout(
  delayMs: number,
  value?: unknown,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    setImmediate(() => {
      ahead += delayMs
      if (signal?.aborted === true) reject(new Error('The operation was aborted'))
      else resolve(value)
    })
  })
}
