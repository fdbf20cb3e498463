import type { Exchange } from '../http/exchange.ts'
import { ruleOf, type RuleId } from '../spec/rules.ts'
import type { Case } from './cases.ts'
import { wireHash } from './silences.ts'
import type { Stimulus } from './stimulus.ts'

/** Requests that rules have in common, each sent once. */
export class SharedRequests {
  readonly #sent = new Map<string, Promise<Exchange>>()

  /** The exchange of a request that counts for several rules: sent by the first one that asks. */
  once(stimulus: Stimulus, send: () => Promise<Exchange>): Promise<Exchange> {
    const key = keyOf(stimulus)
    const known = this.#sent.get(key)
    if (known !== undefined) return known
    const sent = send()
    this.#sent.set(key, sent)
    // A failure may be due to who asked, such as an allotment used up: the next one tries for itself.
    sent.catch(() => this.#sent.delete(key))
    return sent
  }
}

/** Whether a rule takes an answer that another rule asked for: not where it demands that a request be sent again, or alone. */
export function shares(rule: RuleId): boolean {
  return rule !== 'endpoints/list-succeeds' && ruleOf(rule).when === 'together'
}

/** The case, at no cost where the same bytes were planned for another rule already; remembers it otherwise. */
export function sharedWith(planned: Set<string>, rule: RuleId, one: Case): Case {
  if (one.kind !== 'example' || !shares(rule)) return one
  const key = keyOf(one.stimulus)
  if (planned.has(key)) return { ...one, isShared: true }
  planned.add(key)
  return one
}

/** Two requests with the same key are the same bytes, and are judged alike by the run-wide rules. */
function keyOf({ request, traits }: Stimulus): string {
  return `${wireHash(request)} ${JSON.stringify(traits)}`
}
