import type { Exchange } from '../../http/exchange.ts'
import { entryOf, specCatalogue, type Catalogue } from '../../specification/catalogue.ts'
import { isRuleId, type Rule, type RuleId } from '../../specification/rules.ts'
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
 * Which requests and scenes rules share, each sent once. For a service whose answer follows from the request alone, each rule comes
 * out as if it had sent alone; for others, what fails when shared is sent alone before anything is told.
 */
export class SharedRequests {
  readonly #catalogue: Catalogue
  /** Uses of a request that are yet to come. */
  readonly #wanted = new Map<string, number>()
  /** Requests that the first play of a scenario sends. */
  readonly #provided = new Set<string>()
  /** Requests of rules of the user's own, whose checks read the whole body. */
  readonly #readWhole = new Set<string>()
  readonly #scenes = new Set<Scene>()

  constructor(catalogue: Catalogue = specCatalogue) {
    this.#catalogue = catalogue
  }

  /** Announces the requests that the scenarios send anyway; called for all cases before {@link planned}. */
  announce(cases: readonly Case[]): void {
    for (const one of cases) {
      if (one.kind === 'scenario') for (const request of one.provides) this.#provided.add(request.key)
    }
  }

  /** The case, cheaper by what other cases send anyway. */
  planned(rule: RuleId, one: Case): Case {
    if (!isRuleId(rule)) {
      const sent = one.kind === 'scenario' ? one.wants : [one.request]
      for (const request of sent) this.#readWhole.add(request.key)
    }
    if (one.kind === 'scenario') return this.#plannedScenario(one)
    if (one.again === true || !shares(entryOf(this.#catalogue, rule))) return { ...one, again: true }
    return this.#want(one.request) ? { ...one, requests: 0, least: 0 } : one
  }

  /** The generated case, free if another case sends its request anyway; one with a pair or a connection of its own stays as it is. */
  plannedDrawn(one: Example): Example {
    if (one.alone === true || one.pair !== undefined) return one
    const { again: _, ...shared } = one
    return this.#want(one.request) ? { ...shared, requests: 0, least: 0 } : shared
  }

  /** What a run shares by this plan; nothing is known yet. */
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

  /** Counts a use; whether the request is sent for another one anyway. */
  #want(request: TestRequest): boolean {
    const key = request.key
    const wanted = this.#wanted.get(key) ?? 0
    this.#wanted.set(key, wanted + 1)
    return wanted > 0 || this.#provided.has(key)
  }
}

/** Whether a rule accepts an answer that another rule asked for: not if its requests must be sent alone or in order. */
function shares({ phase }: Rule): boolean {
  return phase === 'together' || phase === 'summary'
}

/** The answers that cases share in a run. One may be large, so it is dropped after its last planned use. */
export class SharedAnswers {
  /** What came of scenes, each played once for all rules that judge it. */
  readonly scenes = new Map<Scene, Promise<Played>>()
  /** What came of scenarios the first time. */
  readonly plays = new Map<Scenario, Promise<readonly JudgedExchange[]>>()
  readonly #wanted: Map<string, number>
  readonly #readWhole: ReadonlySet<string>
  readonly #sent = new Map<string, Promise<Exchange>>()
  readonly #ofScenarios = new WeakSet<Exchange>()

  /** `wanted`: uses of each request that are yet to come; `readWhole`: those whose whole body is read. */
  constructor(wanted: ReadonlyMap<string, number> = new Map(), readWhole: ReadonlySet<string> = new Set()) {
    this.#wanted = new Map(wanted)
    this.#readWhole = readWhole
  }

  /** Uses the answer that another case gets; null if the caller is to send the request, and to {@link keep} it. */
  take({ key }: TestRequest): Promise<Exchange> | null {
    const known = this.#sent.get(key) ?? null
    const stillWanted = (this.#wanted.get(key) ?? 1) - 1
    this.#wanted.set(key, stillWanted)
    if (stillWanted <= 0) this.#sent.delete(key)
    return known
  }

  /** Keeps what is sent for the cases that still want it; what a scenario sends is known as such. */
  keep(
    { key }: TestRequest,
    sent: Promise<Exchange>,
    { atOnce = false }: Pick<Context, 'atOnce'> = {},
  ): void {
    if ((this.#wanted.get(key) ?? 0) <= 0) return
    this.#sent.set(key, sent)
    sent.then(
      (exchange) => atOnce && this.#ofScenarios.add(exchange),
      // A failure may be due to the caller, such as a spent allotment: the next one tries for itself.
      () => this.#sent.delete(key),
    )
  }

  /** Keeps the exchange of a scenario for the cases that want the same request. */
  provide(request: TestRequest, exchange: Exchange): void {
    if (this.#wanted.size === 0 || this.#sent.has(request.key)) return
    this.keep(request, Promise.resolve(exchange), { atOnce: true })
  }

  /** Whether a check reads the whole body of the answer, however long it is. */
  isReadWhole(request: TestRequest, { rule }: Pick<Context, 'rule'>): boolean {
    return !isRuleId(rule) || (this.#readWhole.size > 0 && this.#readWhole.has(request.key))
  }

  /** Whether a scenario sent it, whose order and connections may be why it was answered so. */
  isOfScenario(exchange: Exchange): boolean {
    return this.#ofScenarios.has(exchange)
  }

  /** Forgets every answer: what is sent again is judged by what comes then. */
  forget(): void {
    for (const known of [this.#sent, this.plays, this.scenes]) known.clear()
  }
}
