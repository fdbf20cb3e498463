import type { Exchange } from '../../http/exchange.ts'
import { closesConnection } from '../../http/transport-error.ts'
import { confirmNoResponse } from './confirm.ts'
import { isAnswered, isRejection, mayBeTheRequestsFault } from '../send/failures.ts'
import type { Availability } from '../send/availability.ts'
import type { Health } from './health.ts'
import { NoResponse, TransportRejected } from '../plan/errors.ts'
import type { Flaws } from '../record/observations.ts'
import { AttemptsFailed, type Send, type SendOptions } from '../send/retry.ts'
import type { TestRequest } from '../plan/test-request.ts'

/** Likeness to unanswered requests. `same`: same bytes, or flawed when several flaws go unanswered. `similar`: the same flaws or more. */
type Similarity = 'same' | 'similar'

/** Kinds of unanswered flaws after which no flawed request is expected to get a response. */
const kindsOfFlaws = 3

/** Requests that never got a response while others did. */
export class UnresponsiveRequests {
  readonly #hashes = new Set<string>()
  readonly #kinds = new Map<string, { readonly endpoint: string; readonly flaws: Flaws }>()

  /** Remembers a request and its flaws; null if they are not known. */
  add(request: TestRequest, flaws: Flaws | null): void {
    this.#hashes.add(request.hash)
    if (flaws === null || flaws.all.length === 0) return
    const { endpoint } = request.traits
    this.#kinds.set(`${endpoint} ${flaws.all.join(', ')}`, { endpoint, flaws })
  }

  /** Similarity to an unresponsive request, or null. `flawsOf` is called only if there are any. */
  similarity(request: TestRequest, flawsOf: (request: TestRequest) => Flaws | null): Similarity | null {
    if (this.#hashes.size === 0) return null
    if (this.#hashes.has(request.hash)) return 'same'
    const flaws = flawsOf(request)
    if (flaws === null) return null

    const kinds = [...this.#kinds.values()]
    const here = kinds.filter(({ endpoint }) => endpoint === request.traits.endpoint)
    if (here.some((kind) => isSimilar(kind.flaws, flaws))) return 'similar'
    const certain = new Set(kinds.map((kind) => kind.flaws.certain.join(', ')).filter((one) => one !== ''))
    return flaws.certain.length > 0 && certain.size >= kindsOfFlaws ? 'same' : null
  }
}

/** The same certain flaws, or a superset. */
function isSimilar(known: Flaws, flaws: Flaws): boolean {
  const isSame = known.certain.length > 0 && known.certain.join(', ') === flaws.certain.join(', ')
  return isSame || known.all.every((flaw) => flaws.all.includes(flaw))
}

/** Further attempts, each after a health check, that prove a missing response: each may cost a timeout. */
const moreAttempts = { none: 2, similar: 1, same: 0 } as const

interface AttributionParts {
  readonly health: Pick<Health, 'check' | 'checkAlone' | 'trial'>
  readonly availability: Availability
  readonly flawsOf: (request: TestRequest) => Flaws | null
}

/** Decides whose fault a missing response is. The first proof takes many attempts; similar requests then need fewer. */
export class Attribution {
  readonly #next: Send
  readonly #health: Pick<Health, 'check' | 'checkAlone' | 'trial'>
  readonly #availability: Availability
  readonly #flawsOf: (request: TestRequest) => Flaws | null
  readonly #unresponsive = new UnresponsiveRequests()
  /** The last retried request of each kind. */
  readonly #turns = new Map<string, Promise<unknown>>()
  /** Kinds of requests and failures that the transport rejected. */
  readonly #rejected = new Set<string>()

  constructor(next: Send, { health, availability, flawsOf }: AttributionParts) {
    this.#next = next
    this.#health = health
    this.#availability = availability
    this.#flawsOf = flawsOf
  }

  /** Throws {@link NoResponse} or {@link TransportRejected} if the service or the transport is to blame; else what the layer below throws. */
  readonly send: Send = async (request, options) => {
    const similarity = this.#similarity(request)
    const { rule, purpose, case: name, connection, atOnce } = options
    // Not spread: of every request, V8 would keep such a copy until it collects the whole heap.
    const how = {
      rule,
      purpose,
      case: name,
      connection,
      atOnce,
      once: true,
      expectsFailure: similarity !== null,
    }
    try {
      return await this.#next(request, how)
    } catch (error) {
      if (!(error instanceof AttemptsFailed) || isAnswered(error.error.kind)) throw error
      return this.#counted(error, () => this.#failed(request, how, { failed: error, similarity }))
    }
  }

  /** Counts failures as trouble, unless they turn out to be the request's own or permitted. */
  async #counted(failed: AttemptsFailed, attribute: () => Promise<Exchange>): Promise<Exchange> {
    try {
      return await attribute()
    } catch (error) {
      if (error instanceof NoResponse || error instanceof TransportRejected) this.#availability.explained()
      else this.#availability.failed((error instanceof AttemptsFailed ? error : failed).errors)
      throw error
    }
  }

  async #failed(
    request: TestRequest,
    how: SendOptions,
    { failed, similarity }: { readonly failed: AttemptsFailed; readonly similarity: Similarity | null },
  ): Promise<Exchange> {
    if (this.#availability.isSuspicious()) await this.#health.trial()
    if (isRejection(request, failed.error.kind)) return this.#orRejected(request, how, failed)
    return similarity === null
      ? this.#inTurn(request, how, failed)
      : this.#prove(request, how, { failed, similarity })
  }

  /** Of concurrent failures of a kind, one is retried while others wait for its result. Closed connections are one kind. */
  async #inTurn(request: TestRequest, how: SendOptions, failed: AttemptsFailed): Promise<Exchange> {
    const kind = closesConnection(failed.error.kind) ? 'closed' : this.#kindOf(request)
    const turn = (this.#turns.get(kind) ?? Promise.resolve()).then(() =>
      this.#similarity(request) === null ? this.#tryAgain(request, how, failed) : null,
    )
    this.#turns.set(
      kind,
      turn.catch(() => null),
    )
    const exchange = await turn
    if (exchange !== null) return exchange
    const similarity = this.#similarity(request) ?? 'none'
    return this.#prove(request, { ...how, expectsFailure: true }, { failed, similarity })
  }

  async #tryAgain(request: TestRequest, how: SendOptions, after: AttemptsFailed): Promise<Exchange> {
    const failed = await this.#attempt(request, { ...how, once: false, purpose: 'retry', after })
    if (!(failed instanceof AttemptsFailed)) return failed
    if (isRejection(request, failed.error.kind)) return this.#orRejected(request, how, failed)
    return this.#prove(request, how, { failed, similarity: 'none' })
  }

  /** Retries until the fault is proven, while health checks are served. */
  async #prove(
    request: TestRequest,
    how: SendOptions,
    { failed, similarity }: { readonly failed: AttemptsFailed; readonly similarity: Similarity | 'none' },
  ): Promise<Exchange> {
    const health = this.#health
    const { kind } = failed.error
    if (!mayBeTheRequestsFault(kind)) {
      await health.check()
      return this.#next(request, { ...how, purpose: 'retry', after: failed })
    }
    if (similarity === 'same' && !(await health.check())) throw failed
    const outcome = await confirmNoResponse(failed, {
      times: moreAttempts[similarity],
      needed: () => this.#availability.attemptsOfProof,
      health,
      again: (after) => this.#attempt(request, { ...how, purpose: 'confirming', after }),
    })
    if (!(outcome instanceof AttemptsFailed)) return outcome
    // A firewall that bans the sender may keep old connections open.
    const mayBeBan = similarity === 'none' && closesConnection(kind)
    if (request.traits.plain || (mayBeBan && !(await health.checkAlone()))) throw failed
    this.#unresponsive.add(request, this.#flawsOf(request))
    throw new NoResponse(request, outcome)
  }

  /** A closed connection rejects at once; a gateway's error or silence must first happen twice while others are served. */
  async #orRejected(request: TestRequest, how: SendOptions, failed: AttemptsFailed): Promise<Exchange> {
    if (closesConnection(failed.error.kind)) throw new TransportRejected()
    if (!(await this.#health.check())) throw failed
    const like = `${failed.error.kind} ${this.#kindOf(request)}`
    if (!this.#rejected.has(like)) {
      const again = await this.#attempt(request, { ...how, purpose: 'retry', after: failed })
      if (!(again instanceof AttemptsFailed)) return again
      if (!isRejection(request, again.error.kind)) throw again
      this.#rejected.add(like)
    }
    throw new TransportRejected()
  }

  async #attempt(request: TestRequest, options: SendOptions): Promise<Exchange | AttemptsFailed> {
    try {
      return await this.#next(request, options)
    } catch (error) {
      if (error instanceof AttemptsFailed) return error
      throw error
    }
  }

  #similarity(request: TestRequest): Similarity | null {
    return this.#unresponsive.similarity(request, this.#flawsOf)
  }

  /** A kind is the endpoint and its flaws, or every byte if they are unknown. */
  #kindOf(request: TestRequest): string {
    const flaws = this.#flawsOf(request)
    const [certain = '', all = ''] = [flaws?.certain.join(', '), flaws?.all.join(', ')]
    return `${request.traits.endpoint} ${certain || all || request.hash}`
  }
}
