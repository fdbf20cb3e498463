/** Who waits for the end of each signal. One listener for all of them: thousands of requests listen to the same signal. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>()

/** Calls back when a signal ends that has not ended yet; what it gives takes that back. */
export function whenAborted(signal: AbortSignal, callBack: () => void): () => void {
  const all = waiting.get(signal) ?? listening(signal)
  all.add(callBack)
  return () => void all.delete(callBack)
}

function listening(signal: AbortSignal): Set<() => void> {
  const all = new Set<() => void>()
  waiting.set(signal, all)
  signal.addEventListener('abort', () => all.forEach((callBack) => callBack()), { once: true })
  return all
}
