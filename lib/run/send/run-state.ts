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

/** An attempt without an answer; `waitMs` is the requested wait, or 0. */
export interface Failure {
  readonly sentAt: number
  readonly now: number
  readonly waitMs: number
}

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

/** The state of a run after a failure. The failure of a request sent before the outage changes nothing. */
export function afterFailure(state: RunState, { sentAt, now, waitMs }: Failure): RunState {
  if (state.kind === 'running' && state.failures + 1 < outage)
    return { kind: 'running', failures: state.failures + 1 }
  if (state.kind === 'probing' && sentAt < state.since) return state

  const probes = state.kind === 'probing' ? state.probes + 1 : 1
  const delayMs = retryDelaysMs[probes - 1] ?? Math.max(...retryDelaysMs)
  return { kind: 'probing', since: now, waitMs: Math.max(waitMs, delayMs), probes }
}

/** The next state of a client. A used-up quota is final; a client that was never served cannot be locked out. */
export function nextClientState(state: ClientState, change: ClientChange): ClientState {
  if (state.kind === 'exhausted' || change === 'exhausted') return { kind: 'exhausted' }
  if (change === 'served') return { kind: 'serving', rejections: 0 }
  if (state.kind === 'locked-out') return state
  if (change === 'locked-out') return state.kind === 'serving' ? { kind: 'locked-out' } : state
  return { kind: state.kind, rejections: change === 'rejected' ? state.rejections + 1 : 0 }
}

/** The states of a run and its clients. Once a run has ended, its end is final. */
export class RunLifecycle {
  /** Aborts when the run is cancelled, which also aborts requests in flight. */
  readonly cancelled: Signal
  readonly #ending = new AbortController()
  /** Aborts when the run ends, with the reason: nothing more is sent, but requests in flight finish. */
  readonly signal: Signal = this.#ending.signal
  readonly #clients = new Map<ClientName, ClientState>()
  state = undisturbed

  constructor(cancelled: Signal) {
    this.cancelled = cancelled
    // Every request in flight listens.
    setMaxListeners(0, cancelled, this.signal)
    const cancel = (): void => this.#ending.abort(cancelled.reason)
    cancelled.addEventListener('abort', cancel, { once: true })
    if (cancelled.aborted) cancel()
  }

  responded(): void {
    this.state = undisturbed
  }

  failed(failure: Failure): RunState {
    this.state = afterFailure(this.state, failure)
    return this.state
  }

  /** Ends the run unless it has already ended; returns the reason for the first end. */
  end(says: string, none: 'ended' | 'locked' = 'ended'): Error {
    this.#ending.abort(new NoAnswer(none, says))
    return this.signal.reason
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

interface WrongCredentialsOptions {
  readonly model: TargetModel
  /** Sends a plain valid request, and waits until a lockout is over. */
  readonly check: () => Promise<unknown>
  /** Whether the run may take a long time to send all of them. */
  readonly mayTakeLong: boolean
}

/** Says why a request must wait for another turn; null as long as it may be sent. */
type Refusal = () => Error | null

const turnOver = new Error('a lockout ended the turn before the request was sent')

export type WrongCredentials = ReturnType<typeof openWrongCredentials>

/** Requests with wrong credentials, which may lock a client out. The run never sends more at a time than the service has been seen to tolerate. */
export function openWrongCredentials({ model, check, mayTakeLong }: WrongCredentialsOptions) {
  let pace: Pace = 'freely'
  /** How many times the pace has changed. */
  let changes = 0
  let lockouts = 0
  let last: Promise<unknown> = Promise.resolve()
  /** The number of requests so far, when the client was last served, and at its last lockout. */
  let [sent, sentWhenServed, sentWhenLocked] = [0, 0, 0]
  /** The number of requests between the last two lockouts. */
  let threshold = 0
  /** The clients whose keys have been sent. */
  const keysOf = new Set<ClientName>()

  /** Whether a request has wrong credentials; if so, its key is noted. */
  const notes = ({ request }: TestRequest): boolean => {
    if (!hasWrongCredentials(request, model)) return false
    const keys = fieldsOf(request, 'x-api-key')
    for (const { name, credentials } of model.clients)
      if (keys.includes(credentials.apiKey.reveal())) keysOf.add(name)
    return true
  }

  const change = (to: Pace): void => {
    pace = to
    changes += 1
  }

  /** Sends a request; null if a lockout ended the turn first. */
  const turn = async <Sent>(send: (refusal: Refusal) => Promise<Sent>): Promise<Sent | null> => {
    const before = changes
    let wasSent = true
    try {
      return await send(() => (changes === before ? null : turnOver))
    } catch (error) {
      if (error !== turnOver) throw error
      wasSent = false
      return null
    } finally {
      if (wasSent) sent += 1
    }
  }

  const turnOfOne = async <Sent>(send: (refusal: Refusal) => Promise<Sent>): Promise<Sent | null> => {
    if (pace === 'one by one' && sent > sentWhenServed) await check()
    if (pace === 'not at all') throw new NoAnswer('left-out', leftOut(threshold))
    return turn(send)
  }

  return {
    /** Whether a quota that seems used up may only have been suspended because of them, and the run may wait. */
    maySuspend: () => sent > 0 && mayTakeLong,

    /** Whether any request contained the key of this client. */
    wereSentFor: (client: ClientName) => keysOf.has(client),

    /** Sends a request in its turn, or at once if its credentials are right. Throws `left-out` once no more are sent. */
    async inTurn<Sent extends object>(
      request: TestRequest,
      send: (refusal?: Refusal) => Promise<Sent>,
    ): Promise<Sent> {
      if (!notes(request)) return send()
      for (;;) {
        const isFree = pace === 'freely'
        const sending = isFree ? turn(send) : last.then(() => turnOfOne(send))
        if (!isFree) last = sending.catch(() => {})
        const result = await sending
        if (result !== null) return result
      }
    },

    /** Notes that the client was served. */
    served(): void {
      sentWhenServed = sent
    },

    /** Notes a lockout, after which fewer are sent; waiting requests must ask for a turn again. */
    lockedOut(): void {
      threshold = sent - sentWhenLocked
      sentWhenLocked = sent
      lockouts += 1
      const first = mayTakeLong ? 'one by one' : 'freely'
      change(lockouts === 1 ? first : 'not at all')
    },

    /** Notes that a single such request locks the client out, so no more are sent. */
    leaveOut(): void {
      threshold = 1
      change('not at all')
    },
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
