import { setMaxListeners } from 'node:events'
import type { Signal } from '../../http/abort-signal.ts'
import { fieldsOf } from '../../http/request.ts'
import { factsIfKnown } from '../../judge/facts.ts'
import type { TargetModel } from '../../judge/target-model.ts'
import type { ClientName } from '../../specification/client-rows.ts'
import { NoAnswer } from '../plan/errors.ts'
import type { TestRequest } from '../plan/test-request.ts'

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

/** How wrong credentials are sent. `one by one`: each only after a plain valid request has been served. */
type Pace = 'freely' | 'one by one' | 'not at all'

/** Permission to send one request with wrong credentials. */
interface Turn {
  /** Why the request must wait for another turn; null as long as it may be sent. */
  readonly refusal: () => TurnOver | null
  readonly end: (wasSent: boolean) => void
}

/** Thrown if a turn ended before its request was sent. */
class TurnOver extends Error {
  override readonly name = 'TurnOver'
}

interface WrongCredentialsOptions {
  readonly model: TargetModel
  /** Sends a plain valid request, and waits until a lockout is over. */
  readonly check: () => Promise<unknown>
  /** Whether the run may take a long time to send all of them. */
  readonly mayTakeLong: boolean
}

/** Requests with wrong credentials, which may lock a client out. The run never sends more at a time than the service has been seen to tolerate. */
export class WrongCredentials {
  readonly #options: WrongCredentialsOptions
  #pace: Pace = 'freely'
  /** How many times the pace has changed. */
  #changes = 0
  #lockouts = 0
  #last: Promise<unknown> = Promise.resolve()
  /** The number of requests since the client was last served. */
  #sent = 0
  /** The number of requests between the last two lockouts, and since the last one. */
  #threshold = 0
  #sinceLockout = 0
  #hasSent = false
  /** The clients whose keys have been sent. */
  readonly #keysOf = new Set<ClientName>()

  constructor(options: WrongCredentialsOptions) {
    this.#options = options
  }

  /** Whether a quota that seems used up may only have been suspended because of them, and the run may wait. */
  get maySuspend(): boolean {
    return this.#hasSent && this.#options.mayTakeLong
  }

  /** Whether any request contained the key of this client. */
  wereSentFor(client: ClientName): boolean {
    return this.#keysOf.has(client)
  }

  /** Sends a request in its turn, or at once if its credentials are right. Throws `left-out` once no more are sent. */
  async inTurn<Sent>(
    request: TestRequest,
    send: (refusal?: Turn['refusal']) => Promise<Sent>,
  ): Promise<Sent> {
    if (!this.#notes(request)) return send()
    for (;;) {
      const turn = this.#pace === 'freely' ? this.#turn(() => {}) : await this.#next()
      let wasSent = true
      try {
        return await send(turn.refusal)
      } catch (error) {
        wasSent = !(error instanceof TurnOver)
        if (wasSent) throw error
      } finally {
        turn.end(wasSent)
      }
    }
  }

  /** Notes that the client was served. */
  served(): void {
    this.#sent = 0
  }

  /** Notes a lockout, after which fewer are sent; waiting requests must ask for a turn again. */
  lockedOut(): void {
    this.#threshold = this.#sinceLockout
    this.#sinceLockout = 0
    this.#lockouts += 1
    const first = this.#options.mayTakeLong ? 'one by one' : 'freely'
    this.#change(this.#lockouts === 1 ? first : 'not at all')
  }

  /** Notes that a single such request locks the client out, so no more are sent. */
  leaveOut(): void {
    this.#threshold = 1
    this.#change('not at all')
  }

  /** Whether a request has wrong credentials; if so, its key is noted. */
  #notes({ request }: TestRequest): boolean {
    const { model } = this.#options
    if (!hasWrongCredentials(request, model)) return false
    const keys = fieldsOf(request, 'x-api-key')
    for (const { name, credentials } of model.clients)
      if (keys.includes(credentials.apiKey.reveal())) this.#keysOf.add(name)
    return true
  }

  #change(pace: Pace): void {
    this.#pace = pace
    this.#changes += 1
  }

  async #next(): Promise<Turn> {
    const before = this.#last
    let end = (): void => {}
    this.#last = new Promise<void>((resolve) => {
      end = resolve
    })
    await before
    try {
      if (this.#pace === 'one by one' && this.#sent > 0) await this.#options.check()
      if (this.#pace === 'not at all') throw new NoAnswer('left-out', leftOut(this.#threshold))
    } catch (error) {
      end()
      throw error
    }
    return this.#turn(end)
  }

  #turn(next: () => void): Turn {
    const end = (wasSent: boolean): void => {
      if (wasSent) {
        this.#sent += 1
        this.#sinceLockout += 1
        this.#hasSent = true
      }
      next()
    }
    const changes = this.#changes
    return { refusal: () => (this.#changes === changes ? null : new TurnOver()), end }
  }
}

function leftOut(threshold: number): string {
  const what = threshold === 1 ? 'one request' : `${threshold} requests`
  return `the client was locked out after ${what} with wrong credentials: no more are sent, so that the other rules can be judged`
}

/** Whether a request has credentials that do not match, including blank ones. These lock a client out or get its sender banned. */
function hasWrongCredentials(request: TestRequest['request'], model: TargetModel): boolean {
  const facts = factsIfKnown(request, model)
  if (facts === null) return true
  const isKnown = (fact: string): boolean => fact === 'valid' || fact === 'absent'
  return !isKnown(facts.apiKey) || !isKnown(facts.secretKey)
}
