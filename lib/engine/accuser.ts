import type { Exchange } from '../http/exchange.ts'
import type { Drift } from '../drift/compare-baselines.ts'
import { secretsOf } from '../http/request.ts'
import type { Redactor } from '../redact/redact.ts'
import type { Secret } from '../redact/secret.ts'
import { isTransportRefusal } from '../judge/answered.ts'
import { curlLine } from '../judge/curl.ts'
import { replayLine } from '../judge/replay-line.ts'
import { withHint, type Breach, type Judgement } from '../judge/judge.ts'
import { observedExemption } from '../judge/observed.ts'
import { runWideChecks } from '../judge/run-wide.ts'
import type { Finding, ShownExchange } from '../judge/record.ts'
import { show } from '../judge/show.ts'
import { hasMalformedLine } from '../judge/version-readings.ts'
import { ruleOf, runWideRules, type RuleId } from '../spec/rules.ts'
import type { Confirmations } from './confirmations.ts'
import type { Context, TestRequest } from './test-request.ts'
import type { Observer } from './observer.ts'
import type { Reproduced, RunLog } from './run-log.ts'
import type { SuccessCheck } from './success-checks.ts'
import { ruleOfChange, Tolerance, type Expectation } from './tolerance.ts'

/** What booking breaches needs. */
export interface AccuserParts {
  readonly baseUrl: string
  /** The paths of known endpoints, below the base URL. */
  readonly paths: readonly string[]
  readonly caFile: string | null
  readonly seed: number
  /** What a line that replays a case needs besides its name. */
  readonly replayFlags: readonly string[]
  /** Whether what follows from HTTP or JSON only counts as a violation. */
  readonly strict: boolean
  readonly log: RunLog
  readonly redactor: Redactor
  readonly successCheck: SuccessCheck
  readonly observer: Pick<Observer, 'flawsOf'>
}

/** An exchange that is judged, and whose it is. */
export interface Judged {
  readonly stimulus: TestRequest
  readonly exchange: Exchange
  readonly context: Context
}

/** A breach and what belongs to it; `exchange` is null where no answer came. */
export interface BreachToBook {
  readonly stimulus: TestRequest
  readonly exchange: Exchange | null
  readonly context: Context
  readonly breach: Breach
  readonly confirm: () => Promise<Reproduced>
}

/** Findings of an implied run-wide rule that are confirmed, for each kind of difference. */
const confirmedOfKind = 3

/** Judges exchanges by the run-wide rules, and books breaches: confirmed, shown, without a credential. */
export class Accuser {
  readonly #parts: AccuserParts
  readonly #confirmations: Confirmations
  readonly #tolerance: Tolerance
  /** How many findings of an implied run-wide rule were confirmed, by rule and kind of difference. */
  readonly #confirmedOf = new Map<string, number>()

  constructor(parts: AccuserParts, confirmations: Confirmations) {
    this.#parts = parts
    this.#confirmations = confirmations
    this.#tolerance = new Tolerance(parts.seed)
  }

  /** Judges an exchange by the rules that every exchange counts for. */
  async judgeRunWide(judged: Judged): Promise<void> {
    const { traits } = judged.stimulus
    if (traits.plain) {
      const check = await this.#parts.successCheck(traits.endpoint)
      await this.#judgeAs('endpoints/list-succeeds', (one) => check.judge(one), judged)
      await this.tolerates(judged, (one) => check.judge(one), null)
    }
    const isExempt = observedExemption(judged.exchange, traits, this.#parts)
    for (const rule of runWideRules) {
      const check = runWideChecks[rule]
      const exempts = (one: Exchange): boolean =>
        (one === judged.exchange ? isExempt : observedExemption(one, traits, this.#parts)) &&
        !countsAlways(rule, one)
      const judge = (one: Exchange): Judgement | null => (exempts(one) ? null : check(one))
      await this.#judgeAs(rule, judge, judged)
      // Strings that are opaque may be anything, so that what repeats a secret no longer does.
      if (rule !== 'security/no-secret-echo') await this.tolerates(judged, judge, isExempt ? null : rule)
    }
    if (judged.exchange.response.body.kind !== 'json') return
    for (const rule of Object.values(ruleOfChange)) {
      this.#parts.log.judged(rule, () => this.shown(judged.stimulus, judged.exchange))
    }
  }

  /** Holds what is expected of an answer against the same answer, changed in the ways that clients must tolerate. */
  async tolerates(
    { stimulus, exchange, context }: Judged,
    expects: Expectation,
    key: string | null,
  ): Promise<void> {
    const found = this.#tolerance.intolerances(exchange, expects, key) ?? []
    for (const { rule, breach, exchange: changed } of found) {
      const confirm = (): Promise<Reproduced> => Promise.resolve({ seen: 1, of: 1 })
      await this.book({ stimulus, exchange: changed, context, breach, confirm }, rule)
    }
  }

  /** Books a breach for a rule, by default the context's; confirmed once per rule and fingerprint. */
  async book(
    { stimulus, exchange, context, breach, confirm }: BreachToBook,
    rule = context.rule,
  ): Promise<void> {
    const name = `${context.rule}:${this.#parts.seed}:${context.case}`
    const sighting = {
      case: name,
      endpoint: stimulus.traits.endpoint,
      breach: this.#weighed(this.#redacted(breach, secretsOf(stimulus.request))),
      show: () => ({
        exchange: this.shown(stimulus, exchange),
        curl: this.#curlLine(stimulus),
        replay: context.replayable === false ? null : this.#replayLine(name),
        difference: this.#parts.redactor.besides(secretsOf(stimulus.request)).redact(breach.difference),
        sent: this.#sent(stimulus),
      }),
    }
    await this.#parts.log.breach(rule, sighting, confirm)
  }

  /** Books a departure from the baseline; what is missing or null in some items only is a warning. */
  async bookDrift(
    { stimulus, answer, path, kind, severity, says }: Drift,
    exchange: ShownExchange,
    context: Context,
  ): Promise<void> {
    const [status, errorCode] = answer.split('/')
    const sighting = {
      case: `${context.rule}:${this.#parts.seed}:${context.case}`,
      endpoint: stimulus,
      breach: this.#redacted(
        {
          allowed: [],
          answered: { status: Number(status), errorCode: errorCode || null, flaw: null },
          difference: `${kind} ${path ?? ''}`,
          summary: `${says} (${stimulus})`,
          ...(severity === 'warning' ? { warning: true as const } : {}),
        },
        [],
      ),
      show: () => ({ exchange, curl: null, replay: null }),
    }
    await this.#parts.log.breach(context.rule, sighting, () => Promise.resolve({ seen: 1, of: 1 }))
  }

  /** Takes a breach back that turned out to be nobody's fault. */
  withdraw({ rule }: Context, { traits, request }: TestRequest, breach: Breach): void {
    this.#parts.log.withdraw(rule, traits.endpoint, this.#redacted(breach, secretsOf(request)))
  }

  /** Whether another rule tells the same breach of a scenario already. */
  isExplained({ rule }: Context, { traits, request }: TestRequest, breach: Breach): boolean {
    return this.#parts.log.isExplained(rule, traits.endpoint, this.#redacted(breach, secretsOf(request)))
  }

  /** How a stimulus and its answer, if one came, are shown. */
  shown({ request }: TestRequest, exchange: Exchange | null): ReturnType<typeof show> {
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
    const confirm = (): Promise<Reproduced> =>
      this.#confirmedAs(rule, judgement.breach, () =>
        this.#confirmations.confirm(stimulus, context, violates),
      )
    const breach = excused(rule, { stimulus, exchange }, hinted(rule, stimulus, judgement.breach))
    await this.book({ stimulus, exchange, context, breach, confirm }, rule)
  }

  /** What only warns is confirmed for the first findings of its kind: a service that labels every answer wrongly needs no more. */
  async #confirmedAs(
    rule: RuleId,
    { difference }: Breach,
    confirm: () => Promise<Reproduced>,
  ): Promise<Reproduced> {
    if (ruleOf(rule).level !== 'implied') return confirm()
    const kind = `${rule} ${difference}`
    const confirmed = this.#confirmedOf.get(kind) ?? 0
    if (confirmed >= confirmedOfKind) return { seen: 1, of: 1 }
    this.#confirmedOf.set(kind, confirmed + 1)
    return confirm()
  }

  #sent(stimulus: TestRequest): NonNullable<Finding['sent']> {
    const { endpoint, client, plain } = stimulus.traits
    return { endpoint, client, plain, flaws: this.#parts.observer.flawsOf(stimulus)?.all ?? null }
  }

  #curlLine({ request }: TestRequest): string | null {
    const line = curlLine(request, this.#parts)
    return line === null ? null : this.#parts.redactor.redact(line)
  }

  #replayLine(name: string): string {
    const { replayFlags, redactor } = this.#parts
    return replayLine(
      name,
      replayFlags.map((flag) => redactor.redact(flag)),
    )
  }

  #weighed(breach: Breach): Breach {
    return breach.implied === true && !this.#parts.strict ? { ...breach, warning: true } : breach
  }

  /** A code that a service made up may be anything, a credential too, or what was made from one and sent. */
  #redacted(breach: Breach, sent: readonly Secret[]): Breach {
    const redactor = this.#parts.redactor.besides(sent)
    const { answered, summary } = breach
    const errorCode = answered?.errorCode ?? null
    return {
      ...breach,
      summary: redactor.redact(summary),
      answered:
        answered === null || errorCode === null
          ? answered
          : { ...answered, errorCode: redactor.redact(errorCode) },
    }
  }
}

/** A second client that is not served may be no permitted client. */
function hinted(rule: RuleId, { traits }: TestRequest, breach: Breach): Breach {
  if (rule !== 'endpoints/list-succeeds' || traits.client !== 'second') return breach
  return withHint(breach, 'the client of FIXTURE_SECOND_API_KEY may not use the endpoint')
}

/** A server that refuses a malformed line by itself, and repeats the line, does not know what it holds: a warning, however strict. */
function excused(
  rule: RuleId,
  { stimulus, exchange }: Pick<Judged, 'stimulus' | 'exchange'>,
  breach: Breach,
): Breach {
  const isOfServer =
    rule === 'security/no-secret-echo' &&
    hasMalformedLine(stimulus.request) &&
    isTransportRefusal(exchange.response)
  if (!isOfServer) return breach
  return {
    ...breach,
    warning: true,
    summary: `${breach.summary}, in its own refusal of the malformed line`,
  }
}

/** An echoed secret and a 5xx (501 excepted) count even where an exchange is only observed. */
function countsAlways(rule: RuleId, { response }: Exchange): boolean {
  if (rule === 'security/no-secret-echo') return true
  return rule === 'errors/documented-pairs' && response.status >= 500 && response.status !== 501
}
