let ahead = 0
const now = performance.now.bind(performance)
performance.now = () => now() + ahead

/** What that clock says. */
export const jumpingNow = (): number => performance.now()

/** `sleep.ts` without any time passing: the clock jumps ahead. For `vi.mock` in tests with a real server. */
export async function sleep(waitMs: number, signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
  ahead += waitMs
  signal.throwIfAborted()
}
