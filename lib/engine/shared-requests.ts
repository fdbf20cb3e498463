import type { Exchange } from '../http/exchange.ts'
import { ruleOf, type RuleId } from '../spec/rules.ts'
import type { Case } from './cases.ts'
import type { TestRequest } from './test-request.ts'

/** Requests that rules share, each sent once. An answer may be large, so it is dropped after the last planned use. */
export class SharedRequests {
  /** Cases that have yet to ask for a request. */
  readonly #wanted = new Map<string, number>()
  readonly #sent = new Map<string, Promise<Exchange>>()

  /** The case, at no cost if another rule planned the same bytes; otherwise remembers it. */
  planned(rule: RuleId, one: Case): Case {
    if (one.kind !== 'example' || !shares(rule)) return one
    const key = keyOf(one.request)
    const wanted = this.#wanted.get(key) ?? 0
    this.#wanted.set(key, wanted + 1)
    return wanted === 0 ? one : { ...one, requests: 0, least: 0 }
  }

  /** The exchange of a planned request: the first caller sends it; after a failure, the next caller sends it again. */
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
      // A failure may be due to the caller, such as a spent allotment: the next one tries for itself.
      sent.catch(() => this.#sent.delete(key))
    }
    return sent
  }
}

/** Whether a rule accepts an answer that another rule asked for: not if its requests must be sent again or alone. */
function shares(rule: RuleId): boolean {
  return ruleOf(rule).phase === 'together'
}

/** Requests with the same key have the same bytes, and the run-wide rules judge them alike. */
function keyOf({ hash, traits }: TestRequest): string {
  return `${hash} ${JSON.stringify(traits)}`
}
