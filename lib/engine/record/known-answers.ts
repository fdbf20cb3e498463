import { responseFields, type Exchange } from '../../http/exchange.ts'
import { runWideChecks } from '../../judge/run-wide.ts'
import { runWideRules, type RunWideRuleId } from '../../specification/rules.ts'
import type { Tolerance } from './tolerance.ts'

/** The run-wide rules that look at nothing but status, labels and content of an answer. */
export const rulesOfAnswer: readonly RunWideRuleId[] = runWideRules.filter(
  (rule) => rule !== 'security/no-secret-echo',
)

/** An answer by all that {@link rulesOfAnswer} look at besides its text. */
interface KnownAnswer {
  readonly status: number
  readonly labels: string
  /** The rules that hold, also after every tolerated change; null if one does not. */
  readonly hold: readonly RunWideRuleId[] | null
}

/** Maximum length of a known text, and of all, in characters: a service repeats short answers. */
const longest = 4 * 1_024
const keptText = 1_024 * 1_024

/** Remembers answers that every run-wide rule accepted, since a service repeats few of them thousands of times. */
export class KnownAnswers {
  readonly #tolerance: Tolerance
  /** By text, which shows all of a body that is JSON. */
  readonly #known = new Map<string, KnownAnswer[]>()
  #kept = 0

  constructor(tolerance: Tolerance) {
    this.#tolerance = tolerance
  }

  /** The rules that hold for an answer, if none is broken by it or by a tolerated change of it; else null. Pure. */
  rulesThatHold(exchange: Exchange): readonly RunWideRuleId[] | null {
    const { response } = exchange
    const { status, text, body, cutFrom } = response
    if (body.kind !== 'json' || cutFrom !== undefined || text.length > longest) return null

    const labels = responseFields(response, 'content-type').join('\n')
    const alike = this.#known.get(text)
    const known = alike?.find((one) => one.status === status && one.labels === labels)
    if (known !== undefined) return known.hold

    const hold = this.#judged(exchange)
    this.#keep(text, { status, labels, hold })
    return hold
  }

  #judged(exchange: Exchange): readonly RunWideRuleId[] | null {
    const judged = rulesOfAnswer.map((rule) => ({ rule, judgement: runWideChecks[rule](exchange) }))
    if (judged.some(({ judgement }) => judgement !== null && judgement.kind !== 'holds')) return null
    const isTolerant = rulesOfAnswer.every(
      (rule) => this.#tolerance.intolerances(exchange, runWideChecks[rule]).length === 0,
    )
    return isTolerant ? judged.flatMap(({ rule, judgement }) => (judgement === null ? [] : [rule])) : null
  }

  #keep(text: string, answer: KnownAnswer): void {
    this.#kept += text.length + answer.labels.length
    if (this.#kept > keptText) {
      this.#known.clear()
      this.#kept = 0
    }
    const alike = this.#known.get(text)
    if (alike === undefined) this.#known.set(text, [answer])
    else alike.push(answer)
  }
}
