import type { RuleId } from '../spec/rules.ts'
import { BudgetSpent } from './errors.ts'

/**
 * What a request is sent for: the stimulus of a case, a control, the same once more after trouble, to confirm a breach, or to
 * find a simpler case of it.
 */
export type Purpose = 'case' | 'health-check' | 'retry' | 'confirming' | 'shrinking'

/** How many requests each rule may send for its cases, allotted before the first one. */
export type Allotment = Readonly<Partial<Record<RuleId, number>>>

/**
 * The hard bound on all requests of a run. Each rule draws its cases from what was allotted to it, so that what one rule
 * spends on retries or confirmations never takes another's cases; those are paid from what nobody was allotted.
 */
export class Budget {
  readonly limit: number
  readonly #left: Map<string, number>
  #common: number
  readonly #forControls: number
  readonly #forConfirming: number
  /** What rules were allotted and did not need. */
  #surplus = 0
  #sent = 0
  #retried = 0
  #confirming = 0
  readonly #byRule = new Map<RuleId, number>()

  constructor(limit: number, allotment: Allotment) {
    this.limit = limit
    const entries = Object.entries(allotment)
    this.#left = new Map(entries)
    this.#common = limit - entries.reduce((sum, [, requests]) => sum + requests, 0)
    // A control is due every 25 refusals, and some cases send more to a service that answers wrongly.
    this.#forControls = Math.min(Math.ceil(limit / 25), Math.max(0, Math.floor(this.#common / 3)))
    this.#forConfirming = Math.max(0, Math.floor(this.#common / 2))
    if (this.#common < 0) throw new RangeError(`more was allotted than the budget of ${limit} holds`)
  }

  /** Books one request, or throws {@link BudgetSpent} when none is left for it. */
  take(rule: RuleId, purpose: Purpose): void {
    const own = this.#left.get(rule) ?? 0
    if (purpose === 'case' && own > 0) this.#left.set(rule, own - 1)
    else if (this.#common + this.#surplus <= this.#keptFrom(purpose))
      throw new BudgetSpent(this.limit, purpose)
    else if (this.#common > 0) this.#common -= 1
    else this.#surplus -= 1

    this.#sent += 1
    if (purpose === 'retry') this.#retried += 1
    if (purpose === 'confirming' || purpose === 'shrinking') this.#confirming += 1
    this.#byRule.set(rule, (this.#byRule.get(rule) ?? 0) + 1)
  }

  /**
   * What a request must leave in common: retries and confirmations what controls need, without which nothing more could be
   * judged, and shrinking besides what confirmations may need.
   */
  #keptFrom(purpose: Purpose): number {
    if (purpose === 'shrinking') return this.#forControls + this.#forConfirming
    return purpose === 'retry' || purpose === 'confirming' ? this.#forControls : 0
  }

  /** How many of the case requests that were allotted to a rule it has not sent yet. */
  allottedTo(rule: RuleId): number {
    return this.#left.get(rule) ?? 0
  }

  /** Allots requests to a rule that the plan did not know, as far as they are there. */
  reserve(rule: RuleId, requests: number): void {
    if (this.#left.has(rule)) return
    const given = Math.min(requests, this.#common)
    this.#common -= given
    this.#left.set(rule, given)
  }

  /** Gives back what a rule was allotted and did not need: to rules that were allotted too little, else to whoever asks. */
  release(rule: RuleId): void {
    this.#surplus += this.#left.get(rule) ?? 0
    this.#left.delete(rule)
  }

  /** Allots more to a rule that was allotted too little, of what others did not need. */
  topUp(rule: RuleId, wanted: number): void {
    const own = this.#left.get(rule) ?? 0
    const given = Math.max(0, Math.min(wanted - own, this.#surplus))
    this.#surplus -= given
    this.#left.set(rule, own + given)
  }

  /** How many requests were sent so far. */
  get sent(): number {
    return this.#sent
  }

  /** What was spent so far. */
  spent(): {
    readonly sent: number
    readonly retried: number
    readonly confirming: number
    readonly byRule: Record<string, number>
  } {
    return {
      sent: this.#sent,
      retried: this.#retried,
      confirming: this.#confirming,
      byRule: Object.fromEntries(this.#byRule),
    }
  }
}
