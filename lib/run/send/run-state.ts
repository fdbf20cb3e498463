import { setMaxListeners } from 'node:events'
import type { Signal } from '../../http/abort-signal.ts'
import type { ClientName } from '../../specification/client-rows.ts'
import { NoAnswer } from '../plan/errors.ts'

/** The state of a run. `failures` counts consecutive attempts without an answer; times are those of `performance.now()`. */
export type RunState =
  | { readonly kind: 'running'; readonly failures: number }
  /** An outage: from `since` on, all requests wait while one at a time probes whether it is over. */
  | { readonly kind: 'probing'; readonly since: number; readonly waitMs: number; readonly probes: number }
  /** Nothing more is sent; the message of `reason` says why. */
  | { readonly kind: 'ended'; readonly reason: Error }

/** A change to the state of a run. */
export type RunChange =
  | { readonly kind: 'responded' }
  /** `waitMs` is the requested wait, or 0. */
  | { readonly kind: 'failed'; readonly sentAt: number; readonly now: number; readonly waitMs: number }
  | { readonly kind: 'ended'; readonly reason: Error }

/** The state of a client. `rejections` are responses without success since the last health check. */
export type ClientState =
  | { readonly kind: 'unknown'; readonly rejections: number }
  | { readonly kind: 'serving'; readonly rejections: number }
  | { readonly kind: 'exhausted' }
  | { readonly kind: 'locked-out' }

/** A change to the state of a client. */
export type ClientChange = 'served' | 'rejected' | 'checked' | 'exhausted' | 'locked-out'

/** The number of consecutive failures that count as an outage. */
const outage = 3

/** The waits before each new attempt, in milliseconds: in total longer than a gateway needs to find a restarted service. */
export const retryDelaysMs = [250, 750, 1_500] as const

const undisturbed: RunState = { kind: 'running', failures: 0 }

/** The next state of a run. The failure of a request sent before the outage changes nothing. */
export function nextRunState(state: RunState, change: RunChange): RunState {
  if (state.kind === 'ended') return state
  if (change.kind === 'ended') return change
  if (change.kind === 'responded') return undisturbed
  if (state.kind === 'running' && state.failures + 1 < outage)
    return { kind: 'running', failures: state.failures + 1 }
  if (state.kind === 'probing' && change.sentAt < state.since) return state

  const probes = state.kind === 'probing' ? state.probes + 1 : 1
  const delayMs = retryDelaysMs[probes - 1] ?? Math.max(...retryDelaysMs)
  return { kind: 'probing', since: change.now, waitMs: Math.max(change.waitMs, delayMs), probes }
}

/** The next state of a client. A used-up quota is final; a client that was never served cannot be locked out. */
export function nextClientState(state: ClientState, change: ClientChange): ClientState {
  if (state.kind === 'exhausted' || change === 'exhausted') return { kind: 'exhausted' }
  if (change === 'served') return { kind: 'serving', rejections: 0 }
  if (state.kind === 'locked-out') return state
  switch (change) {
    case 'rejected':
      return { kind: state.kind, rejections: state.rejections + 1 }
    case 'checked':
      return { kind: state.kind, rejections: 0 }
    case 'locked-out':
      return state.kind === 'serving' ? { kind: 'locked-out' } : state
  }
}

/** The states of a run and its clients. Once a run has ended, its end is final. */
export class RunLifecycle {
  /** Aborts when the run is cancelled, which also aborts requests in flight. */
  readonly cancelled: Signal
  readonly #ending = new AbortController()
  readonly #clients = new Map<ClientName, ClientState>()
  #state = undisturbed

  constructor(cancelled: Signal) {
    this.cancelled = cancelled
    // Every request in flight listens.
    setMaxListeners(0, cancelled, this.signal)
    cancelled.addEventListener('abort', () => this.#cancel(), { once: true })
    if (cancelled.aborted) this.#cancel()
  }

  /** Aborts when the run ends, with the reason: nothing more is sent, but requests in flight finish. */
  get signal(): Signal {
    return this.#ending.signal
  }

  get state(): RunState {
    return this.#state
  }

  change(change: RunChange): RunState {
    this.#state = nextRunState(this.#state, change)
    if (this.#state.kind === 'ended') this.#ending.abort(this.#state.reason)
    return this.#state
  }

  /** Ends the run unless it has already ended; returns the reason for the first end. */
  end(says: string, none: 'ended' | 'locked' = 'ended'): Error {
    const reason = new NoAnswer(none, says)
    const state = this.change({ kind: 'ended', reason })
    return state.kind === 'ended' ? state.reason : reason
  }

  client(name: ClientName): ClientState {
    return this.#clients.get(name) ?? { kind: 'unknown', rejections: 0 }
  }

  changeClient(name: ClientName, change: ClientChange): void {
    this.#clients.set(name, nextClientState(this.client(name), change))
  }

  /** Waits for this many milliseconds; rejects with the reason if the run ends. */
  async sleep(waitMs: number): Promise<void> {
    this.signal.throwIfAborted()
    if (waitMs > 0) await sleep(waitMs, this.signal)
  }

  #cancel(): void {
    const { reason } = this.cancelled
    this.change({ kind: 'ended', reason: reason instanceof Error ? reason : new Error('aborted') })
  }
}

/** Waits for this many milliseconds; rejects with the signal's reason if aborted. */
function sleep(waitMs: number, signal: AbortSignal): Promise<void> {
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
