/** `node:timers/promises` with no time to pass at all; for `vi.mock` in tests that speak to a real server. */
export function setTimeout(
  _delayMs: number,
  value?: unknown,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    setImmediate(() => {
      if (signal?.aborted === true) reject(new Error('The operation was aborted'))
      else resolve(value)
    })
  })
}
