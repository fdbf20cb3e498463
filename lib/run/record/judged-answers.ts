import type { Exchange } from '../../http/exchange.ts'
import type { ShownExchange } from '../../judge/record.ts'
import type { KnownEndpoint, TargetModel } from '../../judge/target-model.ts'
import type { Redactor } from '../../redact/redact.ts'
import type { RunSettings } from '../../settings/settings.ts'
import type { Catalogue } from '../../specification/catalogue.ts'
import type { RuleId } from '../../specification/rules.ts'
import { show } from '../../verdict/show.ts'
import { isFor } from '../plan/plan.ts'
import type { TestRequest } from '../plan/test-request.ts'

/** What the records of a run know about it. */
export interface RunInput {
  readonly settings: RunSettings
  readonly baseUrl: string
  readonly model: TargetModel
  readonly redactor: Redactor
  readonly catalogue: Catalogue
}

/** The answers judged for a rule. */
interface Judged {
  count: number
  readonly sample: ShownExchange
  /** The field lists of the answers. A truncated copy keeps them, so a shared answer is counted only once. */
  readonly counted: WeakSet<object>
  /** The labels of the endpoints that gave them. */
  readonly endpoints: Set<string>
}

/** Counts the judged answers for each rule, and keeps one as a sample. */
export class JudgedAnswers {
  readonly #input: Pick<RunInput, 'baseUrl' | 'redactor'>
  readonly #endpoints: ReadonlyMap<string, KnownEndpoint>
  readonly #judged = new Map<RuleId, Judged>()
  /** The exchanges as shown; many rules share a sample. */
  readonly #shown = new WeakMap<Exchange, ShownExchange>()

  constructor(input: Pick<RunInput, 'baseUrl' | 'redactor' | 'model'>) {
    this.#input = input
    this.#endpoints = new Map(input.model.endpoints.map((known) => [known.label, known]))
  }

  /** Counts a judged answer for a rule once; the first is the rule's sample. */
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

  /** Counts the answers compared by a rule about the whole run; the sample is that of `endpoints/list-succeeds`. */
  countAnswersOfRun(rule: RuleId, count: number): void {
    const sample = this.sample('endpoints/list-succeeds')
    if (sample === null) return
    this.#judged.set(rule, { count, sample, counted: new WeakSet(), endpoints: new Set() })
  }

  answers(rule: RuleId): number {
    return this.#judged.get(rule)?.count ?? 0
  }

  /** The labels of the endpoints whose answers a rule has judged. */
  endpointsOf(rule: RuleId): ReadonlySet<string> {
    return this.#judged.get(rule)?.endpoints ?? new Set()
  }

  sample(rule: RuleId): ShownExchange | null {
    return this.#judged.get(rule)?.sample ?? null
  }

  shown({ request }: TestRequest, exchange: Exchange | null): ShownExchange {
    if (exchange === null) return show({ request, response: null, durationMs: 0 }, this.#input)
    const shown = this.#shown.get(exchange) ?? show(exchange, this.#input)
    this.#shown.set(exchange, shown)
    return shown
  }
}
