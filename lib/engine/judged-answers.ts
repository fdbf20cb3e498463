import type { Exchange } from '../http/exchange.ts'
import type { ShownExchange } from '../judge/record.ts'
import { show } from '../judge/show.ts'
import type { RuleId } from '../spec/rules.ts'
import type { TestRequest } from './test-request.ts'

/** The answers judged for a rule. */
interface Judged {
  count: number
  readonly sample: ShownExchange
  /** The field lists of the answers, which a truncated copy keeps: a shared answer counts once. */
  readonly counted: WeakSet<object>
}

/** Counts the answers that were judged for each rule, and keeps one of them as it may be shown. */
export class JudgedAnswers {
  readonly #options: Parameters<typeof show>[1]
  readonly #judged = new Map<RuleId, Judged>()
  /** One exchange is the sample of many rules. */
  readonly #shown = new WeakMap<Exchange, ShownExchange>()

  constructor(options: Parameters<typeof show>[1]) {
    this.#options = options
  }

  /** Counts an answer judged for a rule, once; the first is its sample. */
  countAnswer(rule: RuleId, request: TestRequest, exchange: Exchange | null): void {
    const answer = exchange?.response.fields ?? {}
    let judged = this.#judged.get(rule)
    if (judged === undefined) {
      judged = { count: 0, sample: this.shown(request, exchange), counted: new WeakSet() }
      this.#judged.set(rule, judged)
    }
    if (judged.counted.has(answer)) return
    judged.counted.add(answer)
    judged.count += 1
  }

  /** Counts answers of the whole run for a rule that compares them; the sample is a plain valid request's. */
  countAnswersOfRun(rule: RuleId, count: number): void {
    const sample = this.sample('endpoints/list-succeeds')
    if (sample !== null) this.#judged.set(rule, { count, sample, counted: new WeakSet() })
  }

  answers(rule: RuleId): number {
    return this.#judged.get(rule)?.count ?? 0
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
