import type { Exchange } from '../http/exchange.ts'
import { isRefusedForQuota, isServed } from '../judge/answered.ts'
import { answersOneOf, type Breach } from '../judge/judge.ts'
import type { ClientName } from '../spec/clients.ts'
import { success } from '../spec/answers.ts'

/** A client that was served before, and is refused right after another's quota ran out. */
export interface SharedQuota {
  readonly client: ClientName
  readonly exchange: Exchange
  readonly breach: Breach
  /** Whether it is still refused when it is asked once more, alone. */
  readonly lasts: boolean
}

/** What the watch needs of the session. */
export interface QuotaWatchOptions {
  /** Sends a plain valid request of a client, `alone` with nothing else in flight; null where it is not configured. */
  readonly plain: (client: ClientName, how: { readonly alone: boolean }) => Promise<Exchange> | null
  /** Books that a client served before is refused right after another's quota ran out. */
  readonly accuse: (shared: SharedQuota) => Promise<void>
}

/**
 * Knows whose daily quota is used up, and tells it from a quota that another client used up. A 1020 that a request did not ask
 * for counts as the client's quota only when a plain valid request of the same client gets it, too.
 */
export class QuotaWatch {
  readonly #options: QuotaWatchOptions
  readonly #usedUp = new Map<ClientName, Promise<boolean>>()
  readonly #others = new Map<ClientName, Promise<void>>()
  /** The clients that were served lately, by plain valid requests. */
  readonly #served = new Set<ClientName>()

  constructor(options: QuotaWatchOptions) {
    this.#options = options
  }

  /** Whether a client is known to be refused for its quota. */
  async isUsedUp(client: ClientName): Promise<boolean> {
    return (await this.#usedUp.get(client)) === true
  }

  /** Notes that a client was served a plain valid request. */
  notePlain(client: ClientName, exchange: Exchange): void {
    if (isServed(exchange)) this.#served.add(client)
  }

  /** After a 1020 that nobody asked for: whether the client's quota is used up. */
  async unasked(client: ClientName): Promise<boolean> {
    await Promise.all(this.#others.values())
    const known = this.#usedUp.get(client) ?? this.#check(client)
    this.#usedUp.set(client, known)
    const isUsedUp = await known
    if (!isUsedUp) this.#usedUp.delete(client)
    return isUsedUp
  }

  /** After the first 1020 of a client that is meant to get it: clients that were served before must still be served. */
  async ranOut(client: ClientName): Promise<void> {
    const known = this.#others.get(client) ?? this.#checkServed(client)
    this.#others.set(client, known)
    await known
  }

  async #check(client: ClientName): Promise<boolean> {
    const first = await this.#options.plain(client, { alone: false })
    return first !== null && isRefusedForQuota(first) && (await this.#isRefusedAlone(client))
  }

  async #isRefusedAlone(client: ClientName): Promise<boolean> {
    const alone = await this.#options.plain(client, { alone: true })
    return alone !== null && isRefusedForQuota(alone)
  }

  async #checkServed(exhausted: ClientName): Promise<void> {
    const others = [...this.#served].filter((client) => client !== exhausted && !this.#usedUp.has(client))
    await Promise.all(others.map((client) => this.#checkStillServed(client)))
  }

  async #checkStillServed(client: ClientName): Promise<void> {
    const exchange = await this.#options.plain(client, { alone: false })
    if (exchange === null || !isRefusedForQuota(exchange)) return

    const judgement = answersOneOf([success]).judge(exchange)
    if (judgement.kind !== 'violates') return
    const { breach } = judgement
    await this.#options.accuse({
      client,
      exchange,
      lasts: await this.#isRefusedAlone(client),
      breach: {
        ...breach,
        difference: 'refused for the quota of another client',
        summary: `${breach.summary}: this client was served just before, until another client's quota ran out, or its own ran out just then`,
      },
    })
  }
}
