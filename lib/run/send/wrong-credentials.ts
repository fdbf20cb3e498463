import { fieldsOf } from '../../http/request.ts'
import { factsIfKnown } from '../../judge/facts.ts'
import type { TargetModel } from '../../judge/target-model.ts'
import type { ClientName } from '../../specification/client-rows.ts'
import { NoAnswer } from '../plan/errors.ts'
import type { TestRequest } from '../plan/test-request.ts'

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
