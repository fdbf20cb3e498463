/** Waits, in milliseconds; rejects with the signal's reason on abort. A file of its own, so that tests can replace it. */
export function sleep(waitMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abandon = (): void => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abandon)
      resolve()
    }, waitMs)
    signal.addEventListener('abort', abandon, { once: true })
  })
}
