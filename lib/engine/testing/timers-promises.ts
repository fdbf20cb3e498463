/**
 * `node:timers/promises` on the global timers, which vitest's fake timers replace; for `vi.mock`. Rejects as node does, with an
 * AbortError rather than the signal's reason.
 */
export function setTimeout<Value>(
  delayMs: number,
  value?: Value,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    const abandon = (): void => {
      clearTimeout(timer)
      reject(abortError(signal))
    }
    const timer = globalThis.setTimeout(() => {
      signal?.removeEventListener('abort', abandon)
      resolve(value)
    }, delayMs)
    if (signal?.aborted === true) abandon()
    else signal?.addEventListener('abort', abandon, { once: true })
  })
}

function abortError(signal: AbortSignal | undefined): Error {
  const error = new Error('The operation was aborted', { cause: signal?.reason })
  error.name = 'AbortError'
  return Object.assign(error, { code: 'ABORT_ERR' })
}
