import type { FindingId, Reason, Replayed, ShownExchange } from '../../judge/record.ts'
import type { RuleId } from '../../specification/rules.ts'
import type { FindingRecorder } from './finding-recorder.ts'

/** Maximum exchanges kept: of all that were sent first, and of each finding. */
const keptExchanges = 3

interface Met {
  readonly times: Set<number>
  readonly exchanges: ShownExchange[]
}

/** A case that is sent again, perhaps many times: its exchanges, and how often each finding was seen. */
export class Replay {
  readonly #findings: FindingRecorder
  readonly #exchanges: ShownExchange[] = []
  readonly #met = new Map<string, Met>()
  readonly #unjudged = new Set<string>()
  #sent = 0
  /** Times that were judged to their end. */
  #judged = 0

  constructor(findings: FindingRecorder) {
    this.#findings = findings
  }

  /** Whether the case was judged to its end each time so far. */
  get isJudged(): boolean {
    return this.#unjudged.size === 0
  }

  /** Notes an exchange of the case. */
  answered(exchange: ShownExchange): void {
    this.#sent += 1
    if (this.#sent <= keptExchanges) this.#exchanges.push(exchange)
  }

  /** Notes the end of one time, and why it could not be judged, if so. */
  ended(reasons: readonly Reason[]): void {
    if (reasons.length === 0) this.#judged += 1
    for (const { text } of reasons) this.#unjudged.add(text)
  }

  /** Notes that a finding was met. */
  met({ rule, fingerprint }: FindingId, exchange: ShownExchange): void {
    const key = keyOf(rule, fingerprint)
    const met = this.#met.get(key) ?? { times: new Set(), exchanges: [] }
    this.#met.set(key, met)
    met.times.add(this.#judged)
    if (met.exchanges.length < keptExchanges) met.exchanges.push(exchange)
  }

  /** What came of the case; a finding was reproduced in so many of the times. */
  replayed(rules: Iterable<RuleId>): Replayed {
    const all = Array.from(rules, (rule) =>
      this.#findings.of(rule).findings.map((finding) => ({ rule, finding })),
    ).flat()
    const found = all.map((one) => ({ ...one, ...this.#metBy(one.rule, one.finding.fingerprint) }))
    const wrong = new Set(found.flatMap(({ times }) => [...times]))
    // A breach counts, even if the rest of its time could not be judged.
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

  #metBy(rule: RuleId, fingerprint: string): Met {
    return this.#met.get(keyOf(rule, fingerprint)) ?? { times: new Set(), exchanges: [] }
  }
}

function keyOf(rule: RuleId, fingerprint: string): string {
  return `${rule} ${fingerprint}`
}
