import { setMaxListeners } from 'node:events'
import { factsIfKnown } from '../../judge/facts.ts'
import { fieldsOf } from '../../http/request.ts'
import type { TargetModel } from '../../judge/target-model.ts'
import type { ClientName } from '../../specification/client-rows.ts'
import { GuessLeftOut } from '../plan/errors.ts'
import type { TestRequest } from '../plan/test-request.ts'

/** How wrong credentials are sent. `one by one`: each after a plain valid request was served. */
type Pace = 'freely' | 'one by one' | 'not at all'

/** A request with wrong credentials may be sent. */
export interface Turn {
  /** Aborts when it is to wait for another turn, unless it was sent already. */
  readonly until: AbortSignal
  readonly end: (wasSent: boolean) => void
}

/** A turn was over before its request was sent, which then waits for another one. */
export class TurnOver extends Error {
  override readonly name = 'TurnOver'
}

interface GuessParts {
  readonly model: TargetModel
  /** Sends a plain valid request; a lockout that it meets is waited for. */
  readonly check: () => Promise<unknown>
  /** Whether the run may take long, to send all of them even so. */
  readonly mayTakeLong: boolean
}

/** Requests with wrong credentials, which may lock the client: no more at a time than it was seen to tolerate. */
export class Guesses {
  readonly #parts: GuessParts
  #pace: Pace = 'freely'
  /** Aborts when the pace changes. */
  #changing = new AbortController()
  #lockouts = 0
  #last: Promise<unknown> = Promise.resolve()
  /** Those sent since the client was last served. */
  #sent = 0
  /** Those sent before the last lockout, since the one before it, and those sent since. */
  #threshold = 0
  #sinceLockout = 0
  #hasSent = false
  /** Whose keys they named. */
  readonly #keysOf = new Set<ClientName>()

  constructor(parts: GuessParts) {
    this.#parts = parts
    this.#change('freely')
  }

  /** The turn of a request, null for one without wrong credentials. Rejects with {@link GuessLeftOut}. */
  admit({ request }: TestRequest): Turn | Promise<Turn> | null {
    const { model } = this.#parts
    if (!isGuess(request, model)) return null
    const keys = fieldsOf(request, 'x-api-key')
    for (const { name, credentials } of model.clients)
      if (keys.includes(credentials.apiKey.reveal())) this.#keysOf.add(name)
    return this.#pace === 'freely' ? this.#turn(() => {}) : this.#inTurn()
  }

  /** Whether a quota that seems used up may be suspended for them, and waiting is worth while. */
  get maySuspend(): boolean {
    return this.#hasSent && this.#parts.mayTakeLong
  }

  /** Whether any named the key of this client. */
  wereSentFor(client: ClientName): boolean {
    return this.#keysOf.has(client)
  }

  /** The client was served. */
  served(): void {
    this.#sent = 0
  }

  /** After a lockout, fewer are sent; those that wait to be sent are admitted anew. */
  lockedOut(): void {
    this.#threshold = this.#sinceLockout
    this.#sinceLockout = 0
    this.#lockouts += 1
    const first = this.#parts.mayTakeLong ? 'one by one' : 'freely'
    this.#change(this.#lockouts === 1 ? first : 'not at all')
  }

  /** A single one locks the client: none is sent any more. */
  leaveOut(): void {
    this.#threshold = 1
    this.#change('not at all')
  }

  #change(pace: Pace): void {
    this.#pace = pace
    this.#changing.abort(new TurnOver())
    this.#changing = new AbortController()
    // Every request that waits listens.
    setMaxListeners(0, this.#changing.signal)
  }

  async #inTurn(): Promise<Turn> {
    const before = this.#last
    let end = (): void => {}
    this.#last = new Promise<void>((resolve) => {
      end = resolve
    })
    await before
    try {
      if (this.#pace === 'one by one' && this.#sent > 0) await this.#parts.check()
      if (this.#pace === 'not at all') throw new GuessLeftOut(this.#threshold)
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
    return { until: this.#changing.signal, end }
  }
}

/** Whether a request brings credentials that do not fit, blank ones included: what locks a client, or has its sender banned. */
function isGuess(request: TestRequest['request'], model: TargetModel): boolean {
  const facts = factsIfKnown(request, model)
  if (facts === null) return true
  const isKnown = (fact: string): boolean => fact === 'valid' || fact === 'absent'
  return !isKnown(facts.apiKey) || !isKnown(facts.secretKey)
}
