import type { Baseline } from '../../drift/baseline.ts'
import type { Exchange } from '../../http/exchange.ts'
import { isServed, isTransportRefusal } from '../../judge/answered.ts'
import { factsIfKnown } from '../../judge/facts.ts'
import { withHint, type Breach, type Judgement, type KnownPlaces } from '../../judge/judge.ts'
import type { TargetModel } from '../../judge/target-model.ts'
import { observedExemption, runWideChecks } from '../../judge/run-wide.ts'
import { hasMalformedLine, isReadInOneWay } from '../../judge/readings.ts'
import { isRuleId, ruleOf, runWideRules, type RuleId, type SpecRuleId } from '../../specification/rules.ts'
import type { BaselineWatch } from './baseline-watch.ts'
import { Inconclusive } from '../plan/errors.ts'
import type { FindingRecorder } from './findings.ts'
import type { Reproduced } from './recorded-finding.ts'
import type { Observations } from './observations.ts'
import type { SuccessCheck } from './success-checks.ts'
import type { Context, TestRequest } from '../plan/test-request.ts'
import type { PowerRecord } from './power-record.ts'
import { ruleOfChange, Tolerance, type Expectation, type Intolerance } from './tolerance.ts'

interface PassiveCheckOptions {
  readonly places: KnownPlaces
  readonly seed: number
  readonly model: TargetModel
  readonly findings: FindingRecorder
  readonly observations: Observations
  readonly power: PowerRecord
  readonly baseline: BaselineWatch | null
  readonly successCheck: SuccessCheck
  /** Sends a request again and counts how often it is answered wrongly. */
  readonly confirm: (
    request: TestRequest,
    context: Context,
    violates: (exchange: Exchange) => boolean,
  ) => Promise<Reproduced>
}

/** An exchange, and whose it is. */
export interface CaseExchange {
  readonly request: TestRequest
  readonly exchange: Exchange
  readonly context: Context
}

const tolerances = Object.values(ruleOfChange)

/** Maximum confirmed findings of an implied rule per kind of difference. */
const confirmedOfKind = 3

/** Checks that count every exchange of a run, whatever its purpose, without requests of their own. */
export class PassiveChecks {
  readonly #options: PassiveCheckOptions
  readonly #tolerance: Tolerance
  /** Confirmed findings of implied rules, by rule and kind of difference. */
  readonly #confirmed = new Map<string, number>()
  /** Why answers could not be judged, by rule. */
  readonly #unclear = new Map<RuleId, Set<string>>()

  constructor(options: PassiveCheckOptions) {
    this.#options = options
    this.#tolerance = new Tolerance(options.seed)
  }

  /** Why answers could not be judged by a rule, each reason once. */
  unclear(rule: RuleId): readonly Inconclusive[] {
    return Array.from(this.#unclear.get(rule) ?? [], (because) => new Inconclusive(because))
  }

  /** Records observations and learns the answer's shape, both only if the request can be read in one way. */
  observe({ request, exchange, context }: CaseExchange): void {
    const { observations, power, baseline, findings, model } = this.#options
    if (request.traits.observed) return
    observations.noteForm(exchange)
    const facts = isReadInOneWay(request.request) ? factsIfKnown(request.request, model) : null
    if (facts === null) return
    baseline?.note(request, exchange, facts, () => findings.shown(request, exchange))
    observations.noteOutcome(exchange, facts)
    if (context.purpose === undefined) power.met(request, exchange, facts)
  }

  /** Judges an exchange by the run-wide rules. */
  async judge(given: CaseExchange): Promise<void> {
    const { request, exchange, context } = given
    const { places, power, successCheck } = this.#options
    const { traits } = request
    if (context.purpose === undefined) power.answered(traits, exchange)
    if (traits.plain) {
      const check = await successCheck(traits.endpoint)
      await this.#judgeAs('endpoints/list-succeeds', check.judge, given)
      await this.#tolerate(given, check.judge)
    } else if (traits.described === true && isServed(given.exchange)) {
      const check = await successCheck(traits.endpoint)
      await this.#judgeAs('endpoints/list-succeeds', check.judge, given)
    }
    for (const rule of runWideRules) {
      const judge = (one: Exchange): Judgement | null =>
        observedExemption(one, traits, places) && !countsAlways(rule, one) ? null : runWideChecks[rule](one)
      await this.#judgeAs(rule, judge, given)
      // Opaque strings may hold anything, even a repeated secret.
      if (rule !== 'security/no-secret-echo') await this.#tolerate(given, judge)
    }
    this.#countTolerated(given)
  }

  /** Holds a case's own check against the same answer after each tolerated change, unless the user's own rule demands more than the specification. */
  tolerate(given: CaseExchange, expects: Expectation): Promise<void> | null {
    return isRuleId(given.context.rule) ? this.#tolerate(given, expects) : null
  }

  /** Judges the same answer again after each change that clients must tolerate; null if nothing has to wait. */
  #tolerate({ request, exchange, context }: CaseExchange, expects: Expectation): Promise<void> | null {
    const found = this.#tolerance.intolerances(exchange, expects)
    return found.length === 0 ? null : this.#recordEach(found, { request, context })
  }

  async #recordEach(
    found: readonly Intolerance[],
    { request, context }: Pick<CaseExchange, 'request' | 'context'>,
  ): Promise<void> {
    for (const { rule, breach, exchange } of found)
      await this.#options.findings.record({ request, exchange, context, breach }, rule)
  }

  #countTolerated({ request, exchange }: CaseExchange): void {
    if (exchange.response.body.kind !== 'json') return
    for (const rule of tolerances) this.#options.findings.countAnswer(rule, request, exchange)
  }

  /** Records what departs from a baseline, and counts the answers that were compared. */
  async compareWith(baseline: Baseline, context: Context): Promise<void> {
    const { baseline: watch, findings } = this.#options
    if (watch === null) return
    for (const { drift, exchange } of watch.compare(baseline)) {
      if (exchange !== null) await findings.recordDrift(drift, exchange, context)
    }
    const answers = Object.values(watch.seen.stimuli).flatMap((one) => Object.values(one))
    findings.countAnswersOfRun(
      context.rule,
      answers.reduce((sum, { seen }) => sum + seen, 0),
    )
  }

  async #judgeAs(rule: SpecRuleId, judge: Expectation, given: CaseExchange): Promise<void> {
    const { request, exchange, context } = given
    const { findings } = this.#options
    const judgement = judge(exchange)
    if (judgement === null) return
    if (judgement.kind === 'unclear') {
      this.#unclear.set(rule, (this.#unclear.get(rule) ?? new Set()).add(judgement.because))
      return
    }

    findings.countAnswer(rule, request, exchange)
    if (judgement.kind !== 'violates') return
    const violates = (again: Exchange): boolean => judge(again)?.kind === 'violates'
    const confirm = (): Promise<Reproduced> => this.#confirm(rule, judgement.breach, given, violates)
    const breach = excused(rule, given, hinted(rule, request, judgement.breach))
    await findings.record({ request, exchange, context, breach, confirm }, rule)
  }

  /** Confirms a breach of an implied rule for the first findings of its kind only: many services label every answer wrongly. */
  async #confirm(
    rule: SpecRuleId,
    { difference }: Breach,
    { request, context }: CaseExchange,
    violates: (exchange: Exchange) => boolean,
  ): Promise<Reproduced> {
    if (ruleOf(rule).level === 'implied') {
      const kind = `${rule} ${difference}`
      const confirmed = this.#confirmed.get(kind) ?? 0
      if (confirmed >= confirmedOfKind) return { seen: 1, of: 1 }
      this.#confirmed.set(kind, confirmed + 1)
    }
    return this.#options.confirm(request, context, violates)
  }
}

/** A second client that is not served may not be permitted. */
function hinted(rule: SpecRuleId, { traits }: TestRequest, breach: Breach): Breach {
  if (rule !== 'endpoints/list-succeeds' || traits.client !== 'second') return breach
  return withHint(breach, 'the client of FIXTURE_SECOND_API_KEY may not use the endpoint')
}

/** A server that rejects a malformed line and repeats it does not know what the line holds: always a warning. */
function excused(rule: SpecRuleId, { request, exchange }: CaseExchange, breach: Breach): Breach {
  const isOfServer =
    rule === 'security/no-secret-echo' &&
    hasMalformedLine(request.request) &&
    isTransportRefusal(exchange.response)
  if (!isOfServer) return breach
  return {
    ...breach,
    warning: true,
    summary: `${breach.summary}, in its own refusal of the malformed line`,
  }
}

/** An echoed secret or a 5xx (except 501) counts even in an observed exchange. */
function countsAlways(rule: SpecRuleId, { response }: Exchange): boolean {
  if (rule === 'security/no-secret-echo') return true
  return rule === 'errors/documented-pairs' && response.status >= 500 && response.status !== 501
}
