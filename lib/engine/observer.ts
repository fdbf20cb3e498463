import { responseFields, type Exchange } from '../http/exchange.ts'
import { fieldsOf } from '../http/request.ts'
import { answeredBy, isSuccess } from '../judge/answered.ts'
import { outcomeOf } from '../judge/explain.ts'
import { certainFlaws } from '../judge/allowed.ts'
import { factNames, flawless, type Facts } from '../judge/facts.ts'
import { factsIfKnown } from '../judge/facts-of.ts'
import { isReadInOneWay } from '../judge/version-readings.ts'
import type { Knowledge } from '../judge/knowledge.ts'
import type { ShownExchange } from '../judge/record.ts'
import type { BaselineWatch } from './baseline-watch.ts'
import { FlawOrder } from './flaw-order.ts'
import type { RunLog } from './run-log.ts'
import type { TestRequest } from './test-request.ts'

/** What is wrong with a request, each flaw as `version absent`. */
export interface Flaws {
  readonly certain: readonly string[]
  /** These, and what may or may not be wrong. */
  readonly all: readonly string[]
}

/** Writes down what the specification leaves open, from every exchange of a run, at no request of its own. */
export class Observer {
  readonly #knowledge: Knowledge
  readonly #log: RunLog
  readonly #order = new FlawOrder()
  /** Learns the shapes of answers; null where nobody asked for a baseline. */
  readonly baseline: BaselineWatch | null

  constructor(knowledge: Knowledge, log: RunLog, baseline: BaselineWatch | null) {
    this.baseline = baseline
    this.#knowledge = knowledge
    this.#log = log
  }

  /** Looks at an exchange; those that are only observed, that servers may read in several ways, and those with repeated fields, say nothing here. */
  note(stimulus: TestRequest, exchange: Exchange, show: () => ShownExchange): void {
    const { request, traits } = stimulus
    const { response } = exchange
    if (traits.observed) return
    this.#noteForm(exchange)
    if (!isReadInOneWay(request)) return
    const facts = factsIfKnown(request, this.#knowledge)
    if (facts === null) return
    this.baseline?.note(stimulus, exchange, facts, show)

    const answered = answeredBy(response)
    if (!isSuccess(answered)) return this.#order.note(facts, answered.errorCode)
    if (facts.version !== 'served') {
      const version = fieldsOf(request, 'x-version')[0] ?? ''
      this.#log.note('versions-served', version === '' ? 'blank' : readable(version), 'success')
    }
  }

  /** What readers of HTTP and JSON may take in different ways. */
  #noteForm(exchange: Exchange): void {
    const { body } = exchange.response
    const names = body.kind === 'json' ? (body.duplicates ?? []) : []
    for (const name of names) this.#log.note('duplicate-members', name, outcomeOf(exchange))
    const labels = responseFields(exchange.response, 'content-type')
    if (labels.length < 2) return
    this.#log.note('repeated-content-type', labels.join(', ').slice(0, 80), outcomeOf(exchange))
  }

  /** What is wrong with a request; null where it is not known. */
  flawsOf({ request }: TestRequest): Flaws | null {
    const facts = factsIfKnown(request, this.#knowledge)
    if (facts === null) return null
    const says = (fact: keyof Facts): string => `${fact} ${facts[fact]}`
    return {
      certain: certainFlaws(facts).map(({ fact }) => says(fact)),
      all: factNames.filter((fact) => facts[fact] !== flawless[fact]).map(says),
    }
  }

  /** Writes the sums down; called whenever the run is told of. */
  sumUp(): void {
    this.#log.observe('flaw-order', this.#order.order())
    this.#log.observe('flaw-order-contradictions', this.#order.contradictions())
  }
}

/** The bytes of a value as text. */
function readable(value: string): string {
  return Buffer.from(value, 'latin1').toString('utf8').slice(0, 40)
}
