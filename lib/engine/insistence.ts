import type { Exchange } from '../http/exchange.ts'
import { closesConnection, type TransportError } from '../http/transport-error.ts'
import type { Context, TestRequest } from './test-request.ts'
import { AttemptsFailed, type Sending } from './deliver.ts'
import type { Flaws } from './observations.ts'
import { mayBeRefusal, mayBeTheRequestsFault } from './sent-again.ts'
import { keyOf, Silences, type Likeness } from './silences.ts'
import { TransportRejected, NoResponse } from './no-response.ts'
import type { RunEnded } from './inconclusive.ts'

/** What insisting needs of the session. */
export interface InsistenceOptions {
  readonly deliver: (stimulus: TestRequest, context: Context, more: Partial<Sending>) => Promise<Exchange>
  /** Whether a plain valid request is served now; callers at the same time share one. Throws when the run ends. */
  readonly serves: () => Promise<boolean>
  /** The same, by one that is sent after the call. */
  readonly servesFromNow: () => Promise<boolean>
  /** The same on a connection of its own, with nothing else in flight. */
  readonly servesAlone: () => Promise<boolean>
  /** What is wrong with a request; null where it is not known. */
  readonly flawsOf: (stimulus: TestRequest) => Flaws | null
  /** Why nothing more is sent, or null. */
  readonly over: () => RunEnded | null
}

/** So often more a request is sent that met trouble with every retry, each time after a control. */
const moreTries = 2
/** Whose turn it is among all requests whose connection was closed. */
const anyClosed = 'closed'
/** Sent once: what to do about trouble is decided here. */
const once = { retries: 0 } as const
/** The same where trouble is nothing new. */
const onceAgain = { ...once, expectsTrouble: true } as const

/**
 * Sends what may meet trouble until it is known whose fault that is: the service's silence only if it serves others and stays
 * silent to this one. Proven once, with many tries, it is proven with fewer for requests that are like the first.
 */
export class Insistence {
  readonly #options: InsistenceOptions
  readonly #silences = new Silences()
  /** The flaws of which one request in trouble is being tried again. */
  readonly #trying = new Map<string, Promise<void>>()
  /** The flaws, each with a kind of trouble, of requests that the transport refused. */
  readonly #refused = new Set<string>()

  constructor(options: InsistenceOptions) {
    this.#options = options
  }

  /**
   * The exchange of a request. Throws {@link NoResponse} where it alone is never answered, {@link TransportRejected} where it
   * may be refused by the transport and is, and what delivering throws otherwise.
   */
  async send(stimulus: TestRequest, context: Context): Promise<Exchange> {
    const like = this.#likeness(stimulus)
    if (like === null) return this.#first(stimulus, context)

    const met = await this.#attempt(stimulus, context, { ...onceAgain, purpose: context.purpose ?? 'case' })
    if (!(met instanceof AttemptsFailed)) return met
    if (isRefusal(stimulus, met)) return this.#orRefused(stimulus, context, met)
    // Once proven, it is not proven again: each try may cost a whole timeout.
    if (like === 'the same') throw new NoResponse(stimulus, met, met.tries)
    return this.#insistLess(stimulus, context, { met, like })
  }

  /**
   * Of several requests with the same flaws that meet trouble at the same time, one is tried again and again; the others wait
   * for what comes of it. Where the connection is closed, that goes for all requests: each try costs the budget, and none takes long.
   */
  async #first(stimulus: TestRequest, context: Context): Promise<Exchange> {
    const turn: { end: (() => void) | null } = { end: null }
    const isFirst = async (met: TransportError): Promise<boolean> => {
      turn.end ??= await this.#turn(stimulus, closesConnection(met.kind) ? anyClosed : this.#keyOf(stimulus))
      const over = this.#options.over()
      if (over !== null) throw over
      return this.#likeness(stimulus) === null
    }
    try {
      const purpose = context.purpose ?? 'case'
      const met = await this.#attempt(stimulus, context, { purpose, retryWhen: isFirst })
      if (!(met instanceof AttemptsFailed)) return met
      if (isRefusal(stimulus, met)) return await this.#orRefused(stimulus, context, met)
      const like = (await isFirst(met.trouble)) ? null : this.#likeness(stimulus)
      return like === null
        ? await this.#insist(stimulus, context, met)
        : await this.#insistLess(stimulus, context, { met, like })
    } finally {
      turn.end?.()
    }
  }

  /** Waits while another request with these flaws is tried. Gives what ends the turn, or null where it is no first one any more. */
  async #turn(stimulus: TestRequest, key: string): Promise<(() => void) | null> {
    for (let other = this.#trying.get(key); other !== undefined; other = this.#trying.get(key)) await other
    if (this.#likeness(stimulus) !== null) return null

    let end = (): void => {}
    const turn = new Promise<void>((resolve) => {
      end = () => {
        this.#trying.delete(key)
        resolve()
      }
    })
    this.#trying.set(key, turn)
    return end
  }

  /** What is like a request that is never answered: a control after each try but the last, at once and without holding up others. */
  async #insistLess(
    stimulus: TestRequest,
    context: Context,
    { met, like }: { readonly met: AttemptsFailed; readonly like: Likeness },
  ): Promise<Exchange> {
    // A service that leaves every refusal unanswered is not asked twice for each, but must still serve others.
    if (like === 'some flaw' && !(await this.#options.servesFromNow())) throw met
    let { tries } = met
    for (let more = 0; more < triesMore[like]; more += 1) {
      // One that is on its way already may have been served before whatever happened to this request.
      if (!(await this.#options.servesFromNow())) throw met
      const again = await this.#attempt(stimulus, context, { ...onceAgain, purpose: 'retry' })
      if (!(again instanceof AttemptsFailed)) return again
      if (![met, again].every(({ trouble }) => mayBeTheRequestsFault(trouble.kind))) throw again
      tries += again.tries
    }
    return this.#accuse(stimulus, met, tries)
  }

  async #insist(stimulus: TestRequest, context: Context, met: AttemptsFailed): Promise<Exchange> {
    if (!mayBeTheRequestsFault(met.trouble.kind)) {
      await this.#options.serves()
      return this.#options.deliver(stimulus, context, { purpose: 'retry', ...once })
    }
    let { tries } = met
    for (let more = 0; more < moreTries; more += 1) {
      const serves = await this.#options.serves()
      const again = await this.#attempt(stimulus, context, { purpose: 'confirming', ...once })
      if (!(again instanceof AttemptsFailed)) return again
      if (!serves) throw again
      tries += again.tries
    }
    // A firewall that bans the sender may let old connections live.
    if (closesConnection(met.trouble.kind) && !(await this.#options.servesAlone())) throw met
    return this.#accuse(stimulus, met, tries)
  }

  #accuse(stimulus: TestRequest, met: AttemptsFailed, tries: number): never {
    if (stimulus.traits.plain) throw met
    this.#silences.add(stimulus, this.#options.flawsOf(stimulus))
    throw new NoResponse(stimulus, met, tries)
  }

  /** A closed connection is the transport's refusal at once; a gateway's error, or silence, only while others are served. */
  async #orRefused(stimulus: TestRequest, context: Context, met: AttemptsFailed): Promise<Exchange> {
    if (closesConnection(met.trouble.kind)) throw new TransportRejected()

    if (!(await this.#options.servesFromNow())) throw met
    const like = `${met.trouble.kind} ${this.#keyOf(stimulus)}`
    if (!this.#refused.has(like)) {
      const again = await this.#attempt(stimulus, context, { ...once, purpose: 'retry' })
      if (!(again instanceof AttemptsFailed)) return again
      if (!isRefusal(stimulus, again)) throw again
      this.#refused.add(like)
    }
    throw new TransportRejected()
  }

  /** The exchange, or the trouble that came every time. */
  async #attempt(
    stimulus: TestRequest,
    context: Context,
    more: Partial<Sending>,
  ): Promise<Exchange | AttemptsFailed> {
    try {
      return await this.#options.deliver(stimulus, context, more)
    } catch (error) {
      if (error instanceof AttemptsFailed) return error
      throw error
    }
  }

  #likeness(stimulus: TestRequest): Likeness | null {
    return this.#silences.isEmpty ? null : this.#silences.likeness(stimulus, this.#options.flawsOf(stimulus))
  }

  #keyOf(stimulus: TestRequest): string {
    return keyOf(stimulus, this.#options.flawsOf(stimulus))
  }
}

/** How often more a request is sent that is like one that is never answered. */
const triesMore: Readonly<Record<Likeness, number>> = {
  'the same': 0,
  'the same flaws': 1,
  'more flaws': 2,
  'some flaw': 0,
}

/** Whether trouble may be the transport's own way of refusing a request. */
function isRefusal({ traits }: TestRequest, { trouble }: AttemptsFailed): boolean {
  return traits.transportMayRefuse && mayBeRefusal(trouble.kind)
}
