import type { Exchange } from '../http/exchange.ts'
import type { Scrubber } from '../http/scrub.ts'
import { curlLine } from '../judge/curl.ts'
import { withHint, type Breach, type Judgement } from '../judge/judge.ts'
import { observedExemption } from '../judge/observed.ts'
import { runWideChecks } from '../judge/run-wide.ts'
import { show } from '../judge/show.ts'
import { runWideRules, type RuleId } from '../spec/rules.ts'
import type { Confirmations } from './confirmations.ts'
import type { Context } from './context.ts'
import type { Reproduced, RunLog } from './run-log.ts'
import type { Stimulus } from './stimulus.ts'
import type { SuccessCheck } from './success-checks.ts'

/** What booking breaches needs. */
export interface AccuserParts {
  readonly baseUrl: string
  /** The paths of known endpoints, below the base URL. */
  readonly paths: readonly string[]
  readonly caFile: string | null
  readonly seed: number
  readonly log: RunLog
  readonly scrubber: Scrubber
  readonly successCheck: SuccessCheck
  /** Called after everything that changes the log. */
  readonly changed: () => void
}

/** An exchange that is judged, and whose it is. */
export interface Judged {
  readonly stimulus: Stimulus
  readonly exchange: Exchange
  readonly context: Context
}

/** A breach and what belongs to it; `exchange` is null where no answer came. */
export interface BreachToBook {
  readonly stimulus: Stimulus
  readonly exchange: Exchange | null
  readonly context: Context
  readonly breach: Breach
  readonly confirm: () => Promise<Reproduced>
}

/** Judges exchanges by the run-wide rules, and books breaches: confirmed, shown, without a credential. */
export class Accuser {
  readonly #parts: AccuserParts
  readonly #confirmations: Confirmations

  constructor(parts: AccuserParts, confirmations: Confirmations) {
    this.#parts = parts
    this.#confirmations = confirmations
  }

  /** Judges an exchange by the rules that every exchange counts for. */
  async judgeRunWide(judged: Judged): Promise<void> {
    const { traits } = judged.stimulus
    if (traits.plain) {
      const check = await this.#parts.successCheck(traits.endpoint)
      await this.#judgeAs('endpoints/list-succeeds', (one) => check.judge(one), judged)
    }
    for (const rule of runWideRules) {
      const check = runWideChecks[rule]
      const judge = (one: Exchange): Judgement | null =>
        observedExemption(one, traits, this.#parts) && !countsAlways(rule, one) ? null : check(one)
      await this.#judgeAs(rule, judge, judged)
    }
  }

  /** Books a breach for a rule, by default the context's; confirmed once per rule and fingerprint. */
  async book(
    { stimulus, exchange, context, breach, confirm }: BreachToBook,
    rule = context.rule,
  ): Promise<void> {
    const sighting = {
      case: `${context.rule}:${this.#parts.seed}:${context.case}`,
      endpoint: stimulus.traits.endpoint,
      breach: this.#scrubbed(breach),
      show: () => ({ exchange: this.shown(stimulus, exchange), curl: this.#curl(stimulus) }),
    }
    await this.#parts.log.breach(rule, sighting, confirm)
    this.#parts.changed()
  }

  /** Takes a breach back that turned out to be nobody's fault. */
  withdraw({ rule }: Context, { traits }: Stimulus, breach: Breach): void {
    this.#parts.log.withdraw(rule, traits.endpoint, this.#scrubbed(breach))
  }

  /** Whether another rule tells the same breach of a scenario already. */
  isExplained({ rule }: Context, { traits }: Stimulus, breach: Breach): boolean {
    return this.#parts.log.isExplained(rule, traits.endpoint, this.#scrubbed(breach))
  }

  /** How a stimulus and its answer, if one came, are shown. */
  shown({ request }: Stimulus, exchange: Exchange | null): ReturnType<typeof show> {
    return show(exchange ?? { request, response: null, durationMs: 0 }, this.#parts)
  }

  async #judgeAs(
    rule: RuleId,
    judge: (exchange: Exchange) => Judgement | null,
    { stimulus, exchange, context }: Judged,
  ): Promise<void> {
    const judgement = judge(exchange)
    if (judgement === null) return

    this.#parts.log.judged(rule, () => this.shown(stimulus, exchange))
    if (judgement.kind !== 'violates') return
    const violates = (again: Exchange): boolean => judge(again)?.kind === 'violates'
    const confirm = (): Promise<Reproduced> => this.#confirmations.confirm(stimulus, context, violates)
    const breach = hinted(rule, stimulus, judgement.breach)
    await this.book({ stimulus, exchange, context, breach, confirm }, rule)
  }

  #curl({ request }: Stimulus): string | null {
    const line = curlLine(request, this.#parts)
    return line === null ? null : this.#parts.scrubber.scrub(line)
  }

  /** A code that a service made up may be anything, a credential too. */
  #scrubbed(breach: Breach): Breach {
    const { scrubber } = this.#parts
    const { answered, summary } = breach
    const errorCode = answered?.errorCode ?? null
    return {
      ...breach,
      summary: scrubber.scrub(summary),
      answered:
        answered === null || errorCode === null
          ? answered
          : { ...answered, errorCode: scrubber.scrub(errorCode) },
    }
  }
}

/** A second client that is not served may be no permitted client. */
function hinted(rule: RuleId, { traits }: Stimulus, breach: Breach): Breach {
  if (rule !== 'endpoints/list-succeeds' || traits.client !== 'second') return breach
  return withHint(breach, 'the client of FIXTURE_SECOND_API_KEY may not use the endpoint')
}

/** An echoed secret and a 5xx (501 excepted) count even where an exchange is only observed. */
function countsAlways(rule: RuleId, { response }: Exchange): boolean {
  if (rule === 'security/no-secret-echo') return true
  return rule === 'errors/documented-pairs' && response.status >= 500 && response.status !== 501
}
