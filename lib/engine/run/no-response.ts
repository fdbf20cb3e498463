import type { Exchange } from '../../http/exchange.ts'
import { headerSize } from '../../http/request.ts'
import { closesConnection } from '../../http/transport-error.ts'
import type { TargetModel } from '../../judge/target-model.ts'
import { NoResponse, TransportRejected } from '../plan/errors.ts'
import type { TestRequest } from '../plan/test-request.ts'
import { flawsOf, type Flaws } from '../record/observations.ts'
import type { Availability } from '../send/availability.ts'
import { isAnswered, isRejection, mayBeTheRequestsFault } from '../send/failures.ts'
import { isUnanswered, type SendOptions, type Unanswered } from '../send/send.ts'
import { AttemptsFailed, type Ask } from './ask.ts'
import type { Health } from './health.ts'
import type { Lockouts } from './lockouts.ts'

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

  get areNone(): boolean {
    return this.#hashes.size === 0
  }

  /** Similarity to an unresponsive request, or null. */
  similarity(request: TestRequest, flaws: Flaws | null): Similarity | null {
    if (this.#hashes.has(request.hash)) return 'same'
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

/** Heads that are so much larger than a plain one may go unanswered for their size alone, in bytes: each would cost a timeout. */
const oversized = 4_096

function headSize({ request }: TestRequest): number {
  return request.target.length + headerSize(request)
}

/** Further attempts, each after a health check, that prove a missing response: each may cost a timeout. */
const moreAttempts = { none: 2, similar: 1, same: 0 } as const

interface AttributionParts {
  readonly ask: Pick<Ask, 'first'>
  readonly health: Pick<Health, 'check'>
  readonly lockouts: Pick<Lockouts, 'isServedAlone' | 'trial'>
  readonly availability: Availability
  readonly model: TargetModel
  /** The plain valid request of the target client. */
  readonly plain: TestRequest
  /** A replay leaves nothing out. */
  readonly isReplay: boolean
}

/** What came of a request: an exchange, or whose fault it is that none did. */
type Attributed =
  | Exchange
  /** Whose fault it is is unknown. */
  | Unanswered
  /** The service's: this request alone never gets a response. */
  | NoResponse
  /** The transport's, which may reject it. */
  | TransportRejected

/** Decides whose fault a missing response is. The first proof takes many attempts; similar requests then need fewer. */
export class Attribution {
  readonly #parts: AttributionParts
  readonly #unresponsive = new UnresponsiveRequests()
  /** The last retried request of each kind. */
  readonly #turns = new Map<string, Promise<unknown>>()
  /** Kinds of requests and failures that the transport rejected. */
  readonly #rejected = new Set<string>()
  /** The smallest head that went unanswered, in bytes, and what was waited for. */
  #unanswered = { size: Number.POSITIVE_INFINITY, says: '' }

  constructor(parts: AttributionParts) {
    this.#parts = parts
  }

  /** Throws {@link NoResponse} or {@link TransportRejected} if the service or the transport is to blame, {@link AttemptsFailed} if nobody is. */
  async send(
    request: TestRequest,
    { rule, purpose, case: name, connection, atOnce }: SendOptions,
  ): Promise<Exchange> {
    const { size, says } = this.#unanswered
    if (request.traits.transportMayRefuse && headSize(request) >= size)
      throw new TransportRejected(`not sent: a request of this size or smaller got no answer (${says})`)
    const similarity = this.#similarity(request)
    const expectsFailure = similarity !== null
    // Not spread: of every request, V8 would keep such a copy until it collects the whole heap.
    const how = { rule, purpose, case: name, connection, atOnce, once: true, expectsFailure }
    const failed = await this.#parts.ask.first(request, how)
    if (!isUnanswered(failed)) return failed
    if (isAnswered(failed.error.kind)) throw new AttemptsFailed(failed)
    return this.#counted(failed, this.#failed(request, how, { failed, similarity }))
  }

  /** Counts failures as trouble, unless they turn out to be the request's own or permitted. */
  async #counted(failed: Unanswered, attributing: Promise<Attributed>): Promise<Exchange> {
    const { availability } = this.#parts
    let counted = failed
    try {
      const attributed = await attributing
      if (attributed instanceof NoResponse || attributed instanceof TransportRejected) {
        availability.explained()
        throw attributed
      }
      if (!isUnanswered(attributed)) return attributed
      counted = attributed
    } catch (error) {
      if (!(error instanceof NoResponse) && !(error instanceof TransportRejected))
        availability.failed(failed.attempts)
      throw error
    }
    availability.failed(counted.attempts)
    throw new AttemptsFailed(counted)
  }

  async #failed(
    request: TestRequest,
    how: SendOptions,
    { failed, similarity }: { readonly failed: Unanswered; readonly similarity: Similarity | null },
  ): Promise<Attributed> {
    const { availability, lockouts } = this.#parts
    if (availability.isSuspicious()) await lockouts.trial()
    if (isRejection(request, failed.error.kind)) return this.#orRejected(request, how, failed)
    return similarity === null
      ? this.#inTurn(request, how, failed)
      : this.#prove(request, how, { failed, similarity })
  }

  /** Of concurrent failures of a kind, one is retried while others wait for its result. Closed connections are one kind. */
  async #inTurn(request: TestRequest, how: SendOptions, failed: Unanswered): Promise<Attributed> {
    const kind = closesConnection(failed.error.kind) ? 'closed' : this.#kindOf(request)
    const turn = (this.#turns.get(kind) ?? Promise.resolve()).then(() =>
      this.#similarity(request) === null ? this.#tryAgain(request, how, failed) : null,
    )
    this.#turns.set(
      kind,
      turn.catch(() => null),
    )
    const attributed = await turn
    if (attributed !== null) return attributed
    const similarity = this.#similarity(request) ?? 'none'
    return this.#prove(request, { ...how, expectsFailure: true }, { failed, similarity })
  }

  async #tryAgain(request: TestRequest, how: SendOptions, after: Unanswered): Promise<Attributed> {
    const failed = await this.#parts.ask.first(request, { ...how, once: false, purpose: 'retry', after })
    if (!isUnanswered(failed)) return failed
    if (isRejection(request, failed.error.kind)) return this.#orRejected(request, how, failed)
    return this.#prove(request, how, { failed, similarity: 'none' })
  }

  /** Sends again until the fault is proven, each time after a health check that is served. */
  async #prove(
    request: TestRequest,
    how: SendOptions,
    { failed, similarity }: { readonly failed: Unanswered; readonly similarity: Similarity | 'none' },
  ): Promise<Attributed> {
    const { ask, health, lockouts, availability, model } = this.#parts
    const { kind } = failed.error
    if (!mayBeTheRequestsFault(kind)) {
      await health.check()
      return ask.first(request, { ...how, purpose: 'retry', after: failed })
    }
    if (similarity === 'same' && !(await health.check())) return failed
    let all = failed
    for (let time = 0; ; time += 1) {
      const attempts = availability.attemptsOfProof
      if (attempts === null) return all
      if (time >= moreAttempts[similarity] && all.attempts.length >= attempts) break
      if (!(await health.check())) return all
      const again = await ask.first(request, { ...how, purpose: 'confirming', after: all })
      if (!isUnanswered(again)) return again
      all = again
      if (!mayBeTheRequestsFault(all.error.kind)) return all
    }
    // A firewall that bans the sender may keep old connections open.
    const mayBeBan = similarity === 'none' && closesConnection(kind)
    if (request.traits.plain || (mayBeBan && !(await lockouts.isServedAlone()))) return failed
    this.#unresponsive.add(request, flawsOf(request, model))
    return new NoResponse(request, all)
  }

  /** A closed connection rejects at once; a gateway's error or silence must first happen twice while others are served. */
  async #orRejected(request: TestRequest, how: SendOptions, failed: Unanswered): Promise<Attributed> {
    if (closesConnection(failed.error.kind)) return new TransportRejected()
    if (!(await this.#parts.health.check())) return failed
    const like = `${failed.error.kind} ${this.#kindOf(request)}`
    if (!this.#rejected.has(like)) {
      const again = await this.#parts.ask.first(request, { ...how, purpose: 'retry', after: failed })
      if (!isUnanswered(again)) return again
      if (!isRejection(request, again.error.kind)) return again
      this.#rejected.add(like)
    }
    const { kind, message: says } = failed.error
    const size = headSize(request)
    const { plain, isReplay } = this.#parts
    const isOversized = !isReplay && size >= headSize(plain) + oversized
    if (kind === 'timeout' && isOversized && size < this.#unanswered.size) this.#unanswered = { size, says }
    return new TransportRejected(says)
  }

  #similarity(request: TestRequest): Similarity | null {
    if (this.#unresponsive.areNone) return null
    return this.#unresponsive.similarity(request, flawsOf(request, this.#parts.model))
  }

  /** A kind is the endpoint and its flaws, or every byte if they are unknown. */
  #kindOf(request: TestRequest): string {
    const flaws = flawsOf(request, this.#parts.model)
    const [certain = '', all = ''] = [flaws?.certain.join(', '), flaws?.all.join(', ')]
    return `${request.traits.endpoint} ${certain || all || request.hash}`
  }
}
