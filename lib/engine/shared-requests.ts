import type { Exchange } from '../http/exchange.ts'
import { ruleOf, type RuleId } from '../spec/rules.ts'
import type { Case } from './cases.ts'
import type { TestRequest } from './test-request.ts'

/** Requests that rules have in common, each sent once. An answer is kept until the last rule that planned it has asked: it may be large. */
export class SharedRequests {
  /** How many cases are yet to ask for a request. */
  readonly #wanted = new Map<string, number>()
  readonly #sent = new Map<string, Promise<Exchange>>()

  /** The case, at no cost where the same bytes were planned for another rule already; remembers it otherwise. */
  planned(rule: RuleId, one: Case): Case {
    if (one.kind !== 'example' || !shares(rule)) return one
    const key = keyOf(one.request)
    const wanted = this.#wanted.get(key) ?? 0
    this.#wanted.set(key, wanted + 1)
    return wanted === 0 ? one : { ...one, requests: 0, least: 0 }
  }

  /** The exchange of a planned request: sent by the first one that asks, and again for the next one where that failed. */
  once(rule: RuleId, request: TestRequest, send: () => Promise<Exchange>): Promise<Exchange> {
    if (!shares(rule)) return send()
    const key = keyOf(request)
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

/** Whether a rule takes an answer that another rule asked for: not where it demands that a request be sent again, or alone. */
function shares(rule: RuleId): boolean {
  return ruleOf(rule).phase === 'together'
}

/** Two requests with the same key are the same bytes, and are judged alike by the run-wide rules. */
function keyOf({ hash, traits }: TestRequest): string {
  return `${hash} ${JSON.stringify(traits)}`
}
