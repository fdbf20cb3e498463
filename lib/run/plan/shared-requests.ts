import type { Exchange } from '../../http/exchange.ts'
import type { DeclaredRule } from '../../specification/catalogue.ts'
import { isRuleId, type Rule } from '../../specification/rules.ts'
import {
  sumByClient,
  type Case,
  type Example,
  type JudgedExchange,
  type Played,
  type Scenario,
  type Scene,
} from './cases.ts'
import type { Context, TestRequest } from './test-request.ts'

/**
 * Decides which requests and scenes rules share, so that each is sent once. Sharing never changes a result for a stateless service; for
 * other services, a request that fails when shared is sent alone before it is reported.
 */
export class SharedRequests {
  /** The number of planned uses of each request. */
  readonly #wanted = new Map<string, number>()
  /** Requests that scenarios send in their first play. */
  readonly #provided = new Set<string>()
  /** Requests in users' own rules, whose checks read the whole body. */
  readonly #readWhole = new Set<string>()
  readonly #scenes = new Set<Scene>()

  /** Notes the requests that scenarios send; called for all cases before {@link planned}. */
  announce(cases: readonly Case[]): void {
    for (const one of cases) {
      if (one.kind === 'scenario') for (const request of one.provides) this.#provided.add(request.key)
    }
  }

  /** The case without the requests that other cases also send. */
  planned({ id, entry }: DeclaredRule, one: Case): Case {
    if (!isRuleId(id)) {
      const sent = one.kind === 'scenario' ? one.wants : [one.request]
      for (const request of sent) this.#readWhole.add(request.key)
    }
    if (one.kind === 'scenario') return this.#plannedScenario(one)
    if (one.again === true || !shares(entry)) return { ...one, again: true }
    return this.#want(one.request) ? { ...one, requests: 0, least: 0 } : one
  }

  /** The generated case, free if another case also sends its request. A pair, or a case on a separate connection, stays as it is. */
  plannedDrawn(one: Example): Example {
    if (one.alone === true || one.pair !== undefined) return one
    const { again: _, ...shared } = one
    return this.#want(one.request) ? { ...shared, requests: 0, least: 0 } : shared
  }

  /** A new, empty store of answers for a run of this plan. */
  opened(): SharedAnswers {
    return new SharedAnswers(this.#wanted, this.#readWhole)
  }

  #plannedScenario(one: Scenario): Scenario {
    const known = one.wants.filter((request) => this.#want(request))
    const { scene } = one
    if (scene === null) {
      const [requests, least] = [one.requests - known.length, one.least - known.length]
      const saved = known.map(({ traits }) => ({ [traits.client]: -1 }))
      return { ...one, requests, least, byClient: sumByClient([one.byClient, ...saved]) }
    }
    if (this.#scenes.has(scene)) return { ...one, requests: 0, least: 0, byClient: {} }
    this.#scenes.add(scene)
    return one
  }

  /** Counts a use; returns whether another case also sends the request. */
  #want(request: TestRequest): boolean {
    const key = request.key
    const wanted = this.#wanted.get(key) ?? 0
    this.#wanted.set(key, wanted + 1)
    return wanted > 0 || this.#provided.has(key)
  }
}

/** Whether a rule accepts another rule's answer. It does not if its requests must be sent alone or in order. */
function shares({ phase }: Rule): boolean {
  return phase === 'together' || phase === 'summary'
}

/** The answers that cases share in a run. Because an answer may be large, it is dropped after its last planned use. */
export class SharedAnswers {
  /** The results of scenes, each played once for all rules that judge it. */
  readonly scenes = new Map<Scene, Promise<Played>>()
  /** The results of the first play of each scenario. */
  readonly plays = new Map<Scenario, Promise<readonly JudgedExchange[]>>()
  readonly #wanted: Map<string, number>
  readonly #readWhole: ReadonlySet<string>
  readonly #sent = new Map<string, Promise<Exchange>>()
  readonly #ofScenarios = new WeakSet<Exchange>()

  /** `wanted`: the number of planned uses of each request; `readWhole`: the requests whose whole body is read. */
  constructor(wanted: ReadonlyMap<string, number> = new Map(), readWhole: ReadonlySet<string> = new Set()) {
    this.#wanted = new Map(wanted)
    this.#readWhole = readWhole
  }

  /** The answer that another case gets; null if the caller must send the request and {@link keep} it. */
  take({ key }: TestRequest): Promise<Exchange> | null {
    const known = this.#sent.get(key) ?? null
    const stillWanted = (this.#wanted.get(key) ?? 1) - 1
    this.#wanted.set(key, stillWanted)
    if (stillWanted <= 0) this.#sent.delete(key)
    return known
  }

  /** Keeps an answer for the cases that still want it, and notes whether a scenario got it. */
  keep(
    { key }: TestRequest,
    sent: Promise<Exchange>,
    { atOnce = false }: Pick<Context, 'atOnce'> = {},
  ): void {
    if ((this.#wanted.get(key) ?? 0) <= 0) return
    this.#sent.set(key, sent)
    sent.then(
      (exchange) => atOnce && this.#ofScenarios.add(exchange),
      // A failure may be due to the caller, such as a spent allotment, so the next case sends the request itself.
      () => this.#sent.delete(key),
    )
  }

  /** Keeps the exchange from a scenario for cases that want the same request. */
  provide(request: TestRequest, exchange: Exchange): void {
    if (this.#wanted.size === 0 || this.#sent.has(request.key)) return
    this.keep(request, Promise.resolve(exchange), { atOnce: true })
  }

  /** Whether a check reads the whole body of the answer, however long it is. */
  isReadWhole(request: TestRequest, { rule }: Pick<Context, 'rule'>): boolean {
    return !isRuleId(rule) || (this.#readWhole.size > 0 && this.#readWhole.has(request.key))
  }

  /** Whether a scenario got this answer, in which case its order and connections may be the reason for it. */
  isOfScenario(exchange: Exchange): boolean {
    return this.#ofScenarios.has(exchange)
  }

  /** Forgets every answer, so that a repeated case is judged by new ones. */
  forget(): void {
    for (const known of [this.#sent, this.plays, this.scenes]) known.clear()
  }
}
