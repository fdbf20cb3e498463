import type { Exchange } from '../http/exchange.ts'
import { headerSize } from '../http/request.ts'
import { closesConnection, type TransportError } from '../http/transport-error.ts'
import type { Clients } from './clients.ts'
import { isServedAlone, sendPlain, sharing, unanswered, type Core } from './core.ts'
import { NoAnswer } from './plan/errors.ts'
import type { TestRequest } from './plan/test-request.ts'
import { flawsOf, type Flaws } from './record/answers.ts'
import { isUnanswered, type SendOptions, type Unanswered } from './send/pace.ts'
import { isRejection, isUnreadable, mayBeTheRequestsFault, mayMeanRate } from './send/trouble.ts'

/** Similarity to unanswered requests. `same`: the same bytes, or flawed when several flaws go unanswered. `similar`: the same flaws or more. */
type Similarity = 'same' | 'similar'

/** The number of kinds of unanswered flaws after which no flawed request is expected to get an answer. */
const kindsOfFlaws = 3
/** Heads that are larger than a plain one by this many bytes may go unanswered because of their size alone, and each would cost a timeout. */
const oversized = 4_096
/** Further attempts, each after a health check, that prove a missing answer. Each may cost a timeout. */
const moreAttempts = { none: 2, similar: 1, same: 0 } as const

/** The plain valid requests in a trial, by stage, and the failures that mean trouble. A service that fails one request in ten passes 98 of 100 trials; one in three, 15. */
const trials = [
  { of: 10, failures: 5 },
  { of: 20, failures: 6 },
  { of: 30, failures: 8 },
] as const
/** The maximum chance that all plain valid requests in a slower trial are served even though failures are random. */
const chanceOfRate = 0.0005
/** The maximum number of plain valid requests in a slower trial. If more are needed, too few have failed to distinguish a rate from chance. */
const mostInTurn = 40

/** An exchange, `silent` or `rejected`, or the failures if nobody is known to be at fault. */
type Attributed = Exchange | Unanswered | NoAnswer

/** Requests that were never answered while others were. */
class UnansweredRequests {
  readonly #hashes = new Set<string>()
  readonly #kinds = new Map<string, { readonly endpoint: string; readonly flaws: Flaws }>()

  /** Remembers a request and its flaws; null if they are unknown. */
  add(request: TestRequest, flaws: Flaws | null): void {
    this.#hashes.add(request.hash)
    if (flaws === null || flaws.all.length === 0) return
    const { endpoint } = request.traits
    this.#kinds.set(`${endpoint} ${flaws.all.join(', ')}`, { endpoint, flaws })
  }

  get areNone(): boolean {
    return this.#hashes.size === 0
  }

  similarity(request: TestRequest, flaws: Flaws | null): Similarity | null {
    if (this.#hashes.has(request.hash)) return 'same'
    if (flaws === null) return null

    const kinds = [...this.#kinds.values()]
    const here = kinds.filter(({ endpoint }) => endpoint === request.traits.endpoint)
    if (here.some((kind) => isSimilar(kind.flaws, flaws))) return 'similar'
    const certain = new Set(kinds.map((kind) => kind.flaws.certain.join(', ')).filter((flaw) => flaw !== ''))
    return flaws.certain.length > 0 && certain.size >= kindsOfFlaws ? 'same' : null
  }
}

/** Whether the certain flaws are the same or a superset. */
function isSimilar(known: Flaws, flaws: Flaws): boolean {
  const isSame = known.certain.length > 0 && known.certain.join(', ') === flaws.certain.join(', ')
  return isSame || known.all.every((flaw) => flaws.all.includes(flaw))
}

function headSize({ request }: TestRequest): number {
  return request.target.length + headerSize(request)
}

/** Decides whose fault a missing answer is. The first proof takes many attempts; similar requests then need fewer. */
export class Silence {
  readonly #core: Core
  readonly #clients: Clients
  readonly #unanswered = new UnansweredRequests()
  /** The last retried request of each kind. */
  readonly #turns = new Map<string, Promise<unknown>>()
  /** Kinds of requests and failures that the transport rejected. */
  readonly #rejected = new Set<string>()
  /** The smallest head that went unanswered, in bytes, and how it failed. */
  #largest = { size: Number.POSITIVE_INFINITY, says: '' }
  readonly #trial = sharing(() => this.#runTrial())
  /** Rates that trials have not tried yet, in requests per second. */
  readonly #slowerRates = [10, 5, 2, 1]

  constructor(core: Core, clients: Clients) {
    this.#core = core
    this.#clients = clients
  }

  /** The trial in progress, or null. A trial shows whether the service is in trouble, and ends the run if it is. */
  get trialUnderWay(): Promise<void> | null {
    return this.#trial.underWay.get(null) ?? null
  }

  /** Throws `silent` if the service is to blame, `rejected` if the transport is, `trouble` if nobody is. */
  async send(
    request: TestRequest,
    { rule, purpose, case: name, connection, atOnce }: SendOptions,
  ): Promise<Exchange> {
    const { sender } = this.#core
    const { size, says } = this.#largest
    if (request.traits.transportMayRefuse && headSize(request) >= size)
      throw new NoAnswer('rejected', `not sent: a request of this size or smaller got no answer (${says})`)
    const similarity = this.#similarity(request)
    const expectsFailure = similarity !== null
    // Not spread: V8 would keep a copy for every request until it collects the whole heap.
    const how = { rule, purpose, case: name, connection, atOnce, once: true, expectsFailure }
    const failed = await sender.attempt(request, how)
    if (!isUnanswered(failed)) return failed
    if (isUnreadable(failed.error.kind)) throw unanswered(failed)
    return this.#counted(failed, this.#attributed(request, how, { failed, similarity }))
  }

  /** Counts failures as trouble, unless the request or a permitted rejection explains them. */
  async #counted({ attempts }: Unanswered, attributing: Promise<Attributed>): Promise<Exchange> {
    const { availability } = this.#core.sender
    const attributed = await attributing.catch((error: unknown) => {
      availability.failed(attempts)
      throw error
    })
    if (attributed instanceof NoAnswer) {
      availability.explained()
      throw attributed
    }
    if (!isUnanswered(attributed)) return attributed
    availability.failed(attributed.attempts)
    throw unanswered(attributed)
  }

  async #attributed(
    request: TestRequest,
    how: SendOptions,
    { failed, similarity }: { readonly failed: Unanswered; readonly similarity: Similarity | null },
  ): Promise<Attributed> {
    if (this.#core.sender.availability.isSuspicious()) await this.#trial(null)
    if (isRejection(request, failed.error.kind)) return this.#orRejected(request, how, failed)
    return similarity === null
      ? this.#inTurn(request, how, failed)
      : this.#prove(request, how, { failed, similarity })
  }

  /** When several requests of a kind fail concurrently, retries one while the others wait for its result. Closed connections count as one kind. */
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
    const { sender } = this.#core
    const failed = await sender.attempt(request, { ...how, once: false, purpose: 'retry', after })
    if (!isUnanswered(failed)) return failed
    if (isRejection(request, failed.error.kind)) return this.#orRejected(request, how, failed)
    return this.#prove(request, how, { failed, similarity: 'none' })
  }

  /** Sends the request again until the fault is proven, each time only after a health check has been served. */
  async #prove(
    request: TestRequest,
    how: SendOptions,
    { failed, similarity }: { readonly failed: Unanswered; readonly similarity: Similarity | 'none' },
  ): Promise<Attributed> {
    const { sender, model } = this.#core
    const { kind } = failed.error
    if (!mayBeTheRequestsFault(kind)) {
      await this.#clients.check()
      return sender.attempt(request, { ...how, purpose: 'retry', after: failed })
    }
    if (similarity === 'same' && !(await this.#clients.check())) return failed
    let all = failed
    for (let time = 0; ; time += 1) {
      const attempts = sender.availability.attemptsOfProof
      if (attempts === null) return all
      if (time >= moreAttempts[similarity] && all.attempts.length >= attempts) break
      if (!(await this.#clients.check())) return all
      const again = await sender.attempt(request, { ...how, purpose: 'confirming', after: all })
      if (!isUnanswered(again)) return again
      all = again
      if (!mayBeTheRequestsFault(all.error.kind)) return all
    }
    // A firewall that bans the sender may keep old connections open.
    const mayBeBan = similarity === 'none' && closesConnection(kind)
    if (request.traits.plain || (mayBeBan && !(await isServedAlone(this.#core)))) return failed
    this.#unanswered.add(request, flawsOf(request, model))
    return silent(request, all)
  }

  /** A closed connection counts as a rejection at once; a gateway's error or silence must first happen twice while others are served. */
  async #orRejected(request: TestRequest, how: SendOptions, failed: Unanswered): Promise<Attributed> {
    const { sender, plain, isReplay } = this.#core
    if (closesConnection(failed.error.kind)) return new NoAnswer('rejected', 'connection closed')
    if (!(await this.#clients.check())) return failed
    const like = `${failed.error.kind} ${this.#kindOf(request)}`
    if (!this.#rejected.has(like)) {
      const again = await sender.attempt(request, { ...how, purpose: 'retry', after: failed })
      if (!isUnanswered(again)) return again
      if (!isRejection(request, again.error.kind)) return again
      this.#rejected.add(like)
    }
    const { kind, message: says } = failed.error
    const size = headSize(request)
    const isOversized = !isReplay && size >= headSize(plain) + oversized
    if (kind === 'timeout' && isOversized && size < this.#largest.size) this.#largest = { size, says }
    return new NoAnswer('rejected', says)
  }

  #similarity(request: TestRequest): Similarity | null {
    if (this.#unanswered.areNone) return null
    return this.#unanswered.similarity(request, flawsOf(request, this.#core.model))
  }

  /** The endpoint and its flaws, or all bytes if the flaws are unknown. */
  #kindOf(request: TestRequest): string {
    const flaws = flawsOf(request, this.#core.model)
    const [certain = '', all = ''] = [flaws?.certain.join(', '), flaws?.all.join(', ')]
    return `${request.traits.endpoint} ${certain || all || request.hash}`
  }

  /** Sends plain valid requests, each once. If many of them also go unanswered, the service is in trouble and the run ends. */
  async #runTrial(): Promise<void> {
    const { sender, lifecycle } = this.#core
    let sent = 0
    const troubles: { readonly because: string; readonly error?: TransportError }[] = []
    for (const { of, failures } of trials) {
      const more = Array.from({ length: of - sent }, () => this.#sendPlain())
      for (const outcome of await Promise.all(more)) if (outcome.kind === 'failed') troubles.push(outcome)
      sent = of
      const failed = troubles.length
      // The next health check will show an outage.
      if (failed === 0 || failed === sent) return
      const inTurn = Math.ceil(Math.log(chanceOfRate) / Math.log(1 - failed / sent))
      const mayBeRate = inTurn <= mostInTurn && troubles.every(({ error }) => mayMeanRate(error))
      if (mayBeRate && (await this.#endsWhenSlower(inTurn))) return sender.availability.rateRefused()
      if (failed < failures) continue
      throw lifecycle.end(
        `the service is in trouble: ${failed} of ${sent} plain valid requests got no answer, each sent once: ${troubles.at(-1)?.because ?? ''}`,
      )
    }
  }

  /** Whether this many requests are all served at a lower rate, which the run then keeps. Each rate is tried only once per run. */
  async #endsWhenSlower(requests: number): Promise<boolean> {
    const { limiter } = this.#core.sender
    for (let rps = this.#slowerRates.shift(); rps !== undefined; rps = this.#slowerRates.shift()) {
      const lift = limiter.limitRate(rps)
      if (lift === null) continue
      if (await this.#areServedInTurn(requests)) return true
      lift()
    }
    return false
  }

  async #areServedInTurn(requests: number): Promise<boolean> {
    this.#core.sender.limiter.pause(1_000)
    for (let left = requests; left > 0; left -= 1) {
      const { kind } = await this.#sendPlain()
      if (kind === 'failed') return false
    }
    return true
  }

  #sendPlain(): ReturnType<typeof sendPlain> {
    const { sender, plain } = this.#core
    return sendPlain(sender.send, plain, { once: true, expectsFailure: true })
  }
}

function silent(request: TestRequest, { error, attempts: { length } }: Unanswered): NoAnswer {
  const reproduced = { seen: length, of: length }
  return new NoAnswer('silent', `no answer came while plain valid requests were answered: ${error.message}`, {
    silence: { request, difference: `no answer: ${error.kind}`, reproduced },
  })
}
