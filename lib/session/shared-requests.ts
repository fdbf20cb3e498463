import type { Exchange } from '../http/exchange.ts'
import { ruleOf, type RuleId } from '../spec/rules.ts'
import type { Case } from './cases.ts'
import { wireHash } from './silences.ts'
import type { Stimulus } from './stimulus.ts'

/** Requests that rules have in common, each sent once. An answer is kept until the last rule that planned it has asked: it may be large. */
export class SharedRequests {
  readonly #planned = new Set<string>()
  /** How many cases are yet to ask for a request. */
  readonly #wanted: Map<string, number>
  readonly #sent = new Map<string, Promise<Exchange>>()

  /** `asked`: the keys of all requests that rules will ask for, each as often as one does; see {@link keysOf}. */
  constructor(asked: readonly string[] = []) {
    this.#wanted = new Map()
    for (const key of asked) this.#wanted.set(key, (this.#wanted.get(key) ?? 0) + 1)
  }

  /** The case, at no cost where the same bytes were planned for another rule already; remembers it otherwise. */
  planned(rule: RuleId, one: Case): Case {
    if (one.kind !== 'example' || !shares(rule)) return one
    const key = keyOf(one.stimulus)
    if (this.#planned.has(key)) return { ...one, isShared: true }
    this.#planned.add(key)
    return one
  }

  /** The exchange of a planned request: sent by the first one that asks, and again for the next one where that failed. */
  once(rule: RuleId, stimulus: Stimulus, send: () => Promise<Exchange>): Promise<Exchange> {
    if (!shares(rule)) return send()
    const key = keyOf(stimulus)
    const known = this.#sent.get(key)
    const stillWanted = (this.#wanted.get(key) ?? 1) - 1
    this.#wanted.set(key, stillWanted)
    if (stillWanted <= 0) this.#sent.delete(key)
    if (known !== undefined) return known

    const sent = send()
    if (stillWanted > 0) {
      this.#sent.set(key, sent)
      // A failure may be due to who asked, such as an allotment used up: the next one tries for itself.
      sent.catch(() => this.#sent.delete(key))
    }
    return sent
  }
}

/** The keys of the requests of these cases that other rules may have in common with this one. */
export function keysOf(rule: RuleId, cases: readonly Case[]): readonly string[] {
  return shares(rule) ? cases.flatMap((one) => (one.kind === 'example' ? [keyOf(one.stimulus)] : [])) : []
}

/** Whether a rule takes an answer that another rule asked for: not where it demands that a request be sent again, or alone. */
function shares(rule: RuleId): boolean {
  return ruleOf(rule).phase === 'together'
}

/** Two requests with the same key are the same bytes, and are judged alike by the run-wide rules. */
function keyOf({ request, traits }: Stimulus): string {
  return `${wireHash(request)} ${JSON.stringify(traits)}`
}
