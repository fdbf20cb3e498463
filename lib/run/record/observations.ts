import type { Exchange } from '../../http/exchange.ts'
import { fieldsOf } from '../../http/request.ts'
import { answeredBy, isSuccess } from '../../judge/answered.ts'
import { outcomeOf } from '../../judge/differences.ts'
import { certainFlaws, factsIfKnown, hasUncertainFlaw } from '../../judge/facts.ts'
import type { Observation, RunSnapshot } from '../../judge/record.ts'
import type { TargetModel } from '../../judge/target-model.ts'
import { documentedPairs } from '../../specification/answers.ts'
import { factNames, flawless, type Facts } from '../../specification/flaws.ts'
import type { RuleId } from '../../specification/rules.ts'
import type { TestRequest } from '../plan/test-request.ts'

/** The flaws in a request, each in the form `version absent`. */
export interface Flaws {
  readonly certain: readonly string[]
  /** Certain and uncertain flaws. */
  readonly all: readonly string[]
}

/** The flaws in a request; null if they are unknown. */
export function flawsOf({ request }: Pick<TestRequest, 'request'>, model: TargetModel): Flaws | null {
  const facts = factsIfKnown(request, model)
  if (facts === null) return null
  const says = (fact: keyof Facts): string => `${fact} ${facts[fact]}`
  return {
    certain: certainFlaws(facts).map(({ fact }) => says(fact)),
    all: factNames.filter((fact) => facts[fact] !== flawless[fact]).map(says),
  }
}

/** Maximum number of subjects per observation, and of outcomes per subject. */
const keptSubjects = 100
const keptOutcomes = 5

/** What a run records but never judges: latencies, and behaviour that the specification leaves open. Sends nothing. */
export class Observations {
  readonly #values = new Map<string, unknown>()
  readonly #notes = new Map<string, Map<string, Set<string>>>()
  readonly #precedence = new ErrorPrecedence()
  /** How many answers took each number of tenths of a millisecond. */
  readonly #latencies = new Map<number, number>()
  readonly #msByRule = new Map<RuleId, number>()

  /** Records a value; the last value for an id counts. */
  observe(id: string, value: unknown): void {
    this.#values.set(id, value)
  }

  /** Adds an outcome for a subject of an observation; earlier outcomes are kept. */
  note(id: string, subject: string, outcome: string): void {
    const subjects = this.#notes.get(id) ?? new Map<string, Set<string>>()
    this.#notes.set(id, subjects)
    const outcomes = subjects.get(subject) ?? new Set<string>()
    if (subjects.size < keptSubjects) subjects.set(subject, outcomes)
    if (outcomes.size < keptOutcomes) outcomes.add(outcome)
  }

  /** Notes names that occur twice in a JSON object. */
  noteForm(exchange: Exchange): void {
    const { body } = exchange.response
    const names = body.kind === 'json' ? (body.duplicates ?? []) : []
    for (const name of names) this.note('duplicate-members', name, outcomeOf(exchange))
  }

  /** Notes which of several errors is reported, and which unknown versions are served. */
  noteOutcome({ request, response }: Exchange, facts: Facts): void {
    const answered = answeredBy(response)
    if (!isSuccess(answered)) return this.#precedence.note(facts, answered.errorCode)
    if (facts.version === 'served') return
    const version = fieldsOf(request, 'x-version')[0] ?? ''
    const text = Buffer.from(version, 'latin1').toString('utf8').slice(0, 40)
    this.note('versions-served', text === '' ? 'blank' : text, 'success')
  }

  /** Records the latency of an answer, in milliseconds. */
  took(rule: RuleId, durationMs: number): void {
    const tenths = Math.round(durationMs * 10)
    this.#latencies.set(tenths, (this.#latencies.get(tenths) ?? 0) + 1)
    this.#msByRule.set(rule, (this.#msByRule.get(rule) ?? 0) + durationMs)
  }

  /** The total latency for each rule, in milliseconds. */
  msByRule(): RunSnapshot['msByRule'] {
    return Object.fromEntries(this.#msByRule)
  }

  /** Percentiles of all latencies so far, in milliseconds; null if there are no answers. */
  latencyMs(): RunSnapshot['latencyMs'] {
    const sorted = [...this.#latencies].toSorted(([a], [b]) => a - b)
    const answers = sorted.reduce((sum, [, count]) => sum + count, 0)
    if (answers === 0) return null

    const at = (share: number): number => {
      let left = Math.ceil(share * answers)
      return (sorted.find(([, count]) => (left -= count) <= 0)?.[0] ?? 0) / 10
    }
    return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) }
  }

  /** All observations so far, in an order that does not depend on the order of exchanges. */
  all(): readonly Observation[] {
    const notes = [...this.#notes].map(([id, subjects]) => {
      const entries = [...subjects].map(
        ([subject, outcomes]) => [subject, [...outcomes].toSorted().join('; ')] as const,
      )
      return { id, value: Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1))) }
    })
    const values = [...this.#values].map(([id, value]) => ({ id, value }))
    const precedence = { id: 'flaw-order', value: this.#precedence.order() }
    return [...values, precedence, ...notes].toSorted((a, b) => (a.id < b.id ? -1 : 1))
  }
}

/** The order in which a service reports several flaws in a request, inferred from pairs. The specification sets no order. */
export class ErrorPrecedence {
  /** How many times a code was reported when another was possible. */
  readonly #before = new Map<string, Map<string, number>>()

  /** Learns from the refusal of a request with several certain flaws. */
  note(facts: Facts, errorCode: string | null): void {
    if (errorCode === null || hasUncertainFlaw(facts)) return
    const flaws = certainFlaws(facts)
    if (!flaws.some(({ codes }) => codes.some((code) => code === errorCode))) return

    for (const { codes } of flaws) {
      const [only, ...more] = codes
      if (only === undefined || more.length > 0 || only === errorCode) continue
      const after = this.#before.get(errorCode) ?? new Map<string, number>()
      this.#before.set(errorCode, after.set(only, this.#times(errorCode, only) + 1))
    }
  }

  /** The codes in the order shown by the pairs, otherwise in numerical order. */
  order(): readonly string[] {
    const met = new Set([...this.#before].flatMap(([first, after]) => [first, ...after.keys()]))
    let left = documentedPairs.map(({ errorCode }): string => errorCode).filter((code) => met.has(code))
    const order: string[] = []
    while (left.length > 0) {
      const ahead = (code: string): number => left.filter((other) => this.#comesFirst(other, code)).length
      const next = left.toSorted((a, b) => ahead(a) - ahead(b))[0] ?? ''
      order.push(next)
      left = left.filter((code) => code !== next)
    }
    return order
  }

  #comesFirst(a: string, b: string): boolean {
    return this.#times(a, b) > this.#times(b, a)
  }

  #times(first: string, second: string): number {
    return this.#before.get(first)?.get(second) ?? 0
  }
}
