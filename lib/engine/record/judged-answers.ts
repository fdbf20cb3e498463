import type { Exchange } from '../../http/exchange.ts'
import type { ShownExchange } from '../../judge/record.ts'
import { show } from '../../verdict/show.ts'
import type { KnownEndpoint, TargetModel } from '../../judge/target-model.ts'
import type { RuleId } from '../../specification/rules.ts'
import { isFor } from '../plan/judged-endpoints.ts'
import type { TestRequest } from '../plan/test-request.ts'

/** The answers judged for a rule. */
interface Judged {
  count: number
  readonly sample: ShownExchange
  /** The field lists of the answers, which a truncated copy keeps: a shared answer counts once. */
  readonly counted: WeakSet<object>
  /** The labels of the endpoints that gave them. */
  readonly endpoints: Set<string>
}

type Options = Parameters<typeof show>[1] & { readonly model: TargetModel }

/** Counts the answers that were judged for each rule, and keeps one of them as it may be shown. */
export class JudgedAnswers {
  readonly #options: Options
  readonly #endpoints: ReadonlyMap<string, KnownEndpoint>
  readonly #judged = new Map<RuleId, Judged>()
  /** One exchange is the sample of many rules. */
  readonly #shown = new WeakMap<Exchange, ShownExchange>()

  constructor(options: Options) {
    this.#options = options
    this.#endpoints = new Map(options.model.endpoints.map((known) => [known.label, known]))
  }

  /** Counts an answer judged for a rule, once; the first is its sample. */
  countAnswer(rule: RuleId, request: TestRequest, exchange: Exchange | null): void {
    const answer = exchange?.response.fields ?? {}
    let judged = this.#judged.get(rule)
    if (judged === undefined) {
      const sample = this.shown(request, exchange)
      judged = { count: 0, sample, counted: new WeakSet(), endpoints: new Set() }
      this.#judged.set(rule, judged)
    }
    const { endpoint } = request.traits
    if (exchange !== null && !judged.endpoints.has(endpoint)) {
      const known = this.#endpoints.get(endpoint)
      if (known !== undefined && isFor(request, known)) judged.endpoints.add(endpoint)
    }
    if (judged.counted.has(answer)) return
    judged.counted.add(answer)
    judged.count += 1
  }

  /** Counts answers of the whole run for a rule that compares them; the sample is a plain valid request's. */
  countAnswersOfRun(rule: RuleId, count: number): void {
    const sample = this.sample('endpoints/list-succeeds')
    if (sample === null) return
    this.#judged.set(rule, { count, sample, counted: new WeakSet(), endpoints: new Set() })
  }

  answers(rule: RuleId): number {
    return this.#judged.get(rule)?.count ?? 0
  }

  /** The labels of the endpoints of which a rule judged an answer. */
  endpointsOf(rule: RuleId): ReadonlySet<string> {
    return this.#judged.get(rule)?.endpoints ?? new Set()
  }

  sample(rule: RuleId): ShownExchange | null {
    return this.#judged.get(rule)?.sample ?? null
  }

  shown({ request }: TestRequest, exchange: Exchange | null): ShownExchange {
    if (exchange === null) return show({ request, response: null, durationMs: 0 }, this.#options)
    const shown = this.#shown.get(exchange) ?? show(exchange, this.#options)
    this.#shown.set(exchange, shown)
    return shown
  }
}
