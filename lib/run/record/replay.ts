import type { Finding, FindingId, Reason, Replayed, ShownExchange } from '../../judge/record.ts'
import type { RuleId } from '../../specification/rules.ts'
import { findingKey } from '../../verdict/power.ts'

/** Maximum number of exchanges kept for a replay, and for each finding. */
const keptExchanges = 3

interface Met {
  readonly times: Set<number>
  readonly exchanges: ShownExchange[]
}

/** A replayed case: its exchanges, and how many times each finding was seen. */
export class Replay {
  readonly #exchanges: ShownExchange[] = []
  readonly #met = new Map<string, Met>()
  readonly #unjudged = new Set<string>()
  #sent = 0
  /** The number of repetitions that were judged completely. */
  #judged = 0

  /** Whether every repetition so far has been judged completely. */
  get isJudged(): boolean {
    return this.#unjudged.size === 0
  }

  /** Notes an exchange of the case. */
  answered(exchange: ShownExchange): void {
    this.#sent += 1
    if (this.#sent <= keptExchanges) this.#exchanges.push(exchange)
  }

  /** Notes why a repetition could not be judged. */
  left(reasons: readonly Reason[]): void {
    for (const { text } of reasons) this.#unjudged.add(text)
  }

  /** Notes the end of a repetition. */
  ended(): void {
    if (this.isJudged) this.#judged += 1
  }

  /** Notes a finding. */
  met({ rule, fingerprint }: FindingId, exchange: ShownExchange): void {
    const key = findingKey(rule, fingerprint)
    const met = this.#met.get(key) ?? { times: new Set(), exchanges: [] }
    this.#met.set(key, met)
    met.times.add(this.#judged)
    if (met.exchanges.length < keptExchanges) met.exchanges.push(exchange)
  }

  /** The result of the replay, with the number of repetitions that show each of these findings. */
  replayed(all: readonly { readonly rule: RuleId; readonly finding: Finding }[]): Replayed {
    const found = all.map((one) => ({
      ...one,
      ...(this.#met.get(findingKey(one.rule, one.finding.fingerprint)) ?? unmet),
    }))
    const wrong = new Set(found.flatMap(({ times }) => [...times]))
    // A breach counts even if its repetition was not judged completely.
    const times = this.#judged + (wrong.has(this.#judged) ? 1 : 0)
    return {
      times,
      wrong: wrong.size,
      sent: this.#sent,
      exchanges: this.#exchanges,
      found: found.map(({ rule, finding, times: { size: seen }, exchanges }) => ({
        rule,
        finding: { ...finding, reproduced: `${seen} of ${times}` },
        exchanges,
      })),
      unjudged: [...this.#unjudged],
    }
  }
}

const unmet = { times: new Set<number>(), exchanges: [] }
