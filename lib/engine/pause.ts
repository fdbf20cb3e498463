import { setTimeout as delay } from 'node:timers/promises'

/** Waits so long; rejects with the signal's own reason when that is aborted. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(milliseconds, undefined, { signal })
  } catch (error) {
    signal.throwIfAborted()
    throw error
  }
}
