import type { Baseline } from '../../drift/baseline.ts'
import type { Exchange } from '../../http/exchange.ts'
import { isServed, isTransportRefusal } from '../../judge/answered.ts'
import { factsIfKnown } from '../../judge/facts.ts'
import { isExempt, type KnownPlaces } from '../../judge/excuses.ts'
import { weakened, withHint, type Breach, type Judgement } from '../../judge/judge.ts'
import { hasMalformedLine, isReadInOneWay } from '../../judge/readings.ts'
import { runWideChecks } from '../../judge/run-wide.ts'
import type { TargetModel } from '../../judge/target-model.ts'
import {
  areaOf,
  isRuleId,
  runWideRules,
  type RuleId,
  type RunWideRuleId,
  type SpecRuleId,
} from '../../specification/rules.ts'
import type { TestRequest } from '../plan/test-request.ts'
import type { BaselineWatch, CaseExchange, MetDrift } from './baseline-watch.ts'
import type { JudgedAnswers } from './judged-answers.ts'
import type { Observations } from './observations.ts'
import type { PowerRecord } from './power-record.ts'
import type { SuccessChecks } from './success-checks.ts'
import { ruleOfChange, Tolerance, type Expectation, type Intolerance } from './tolerance.ts'

interface PassiveCheckOptions {
  readonly places: KnownPlaces
  readonly seed: number
  readonly model: TargetModel
  readonly answers: JudgedAnswers
  readonly observations: Observations
  readonly power: PowerRecord
  readonly baseline: BaselineWatch | null
  readonly successes: SuccessChecks
}

/** A breach of a rule that holds for every answer. */
export interface Accusation extends Intolerance {
  /** Whether another answer shows it, too; null where nothing is to be sent again, since the service is not to blame. */
  readonly violates: ((again: Exchange) => boolean) | null
}

const tolerances = Object.values(ruleOfChange)

/** Checks that count every exchange of a run, whatever its purpose. */
export class PassiveChecks {
  readonly #options: PassiveCheckOptions
  readonly #tolerance: Tolerance
  /** Why answers could not be judged, by rule. */
  readonly #unclear = new Map<RuleId, Set<string>>()

  constructor(options: PassiveCheckOptions) {
    this.#options = options
    this.#tolerance = new Tolerance(options.seed)
  }

  /** Why answers could not be judged by a rule, each reason once. */
  unclear(rule: RuleId): readonly string[] {
    return [...(this.#unclear.get(rule) ?? [])]
  }

  /** Records observations and learns the answer's shape, both only if the request can be read in one way. */
  observe({ request, exchange, context }: CaseExchange): void {
    const { observations, power, baseline, answers, model } = this.#options
    if (request.traits.observed) return
    observations.noteForm(exchange)
    const facts = isReadInOneWay(request.request) ? factsIfKnown(request.request, model) : null
    if (facts === null) return
    if (request.traits.conditions === undefined)
      baseline?.note({ request, exchange, context }, facts, () => answers.shown(request, exchange))
    observations.noteOutcome(exchange, facts)
    if (context.purpose === undefined) power.met(request, exchange, facts)
  }

  /** The breaches of run-wide rules that an exchange shows; counts it for those that judge it. */
  judge(given: CaseExchange): readonly Accusation[] {
    const { request, exchange, context } = given
    const { places, power, answers, successes } = this.#options
    const { traits } = request
    const { plain, described = false } = traits
    if (context.purpose === undefined) power.answered(traits, exchange)
    const found: Accusation[] = []
    if (plain || (described && isServed(exchange))) {
      const check = successes.check(traits.endpoint)
      found.push(...this.#judgedAs('endpoints/list-succeeds', check.judge, given))
      if (plain) found.push(...this.#intolerances(exchange, check.judge))
    }
    for (const rule of runWideRules) {
      const judge = (one: Exchange): Judgement | null =>
        isExempt(one, traits, places) && !countsAlways(rule, one) ? null : runWideChecks[rule](one)
      found.push(...this.#judgedAs(rule, judge, given))
      if (readsBody(rule)) found.push(...this.#intolerances(exchange, judge))
    }
    if (exchange.response.body.kind === 'json')
      for (const rule of tolerances) answers.countAnswer(rule, request, exchange)
    return found
  }

  /** Holds a case's own check against the same answer after each tolerated change, unless the user's own rule demands more than the specification. */
  tolerate({ exchange, context }: CaseExchange, expects: Expectation): readonly Accusation[] {
    return isRuleId(context.rule) ? this.#intolerances(exchange, expects) : []
  }

  /** What departs from a baseline in the answers of the run so far, with the first answer that shows it; counts those that were compared. */
  compare(baseline: Baseline, rule: RuleId): readonly MetDrift[] {
    const { baseline: watch, answers } = this.#options
    if (watch === null) return []
    const seen = Object.values(watch.seen.stimuli).flatMap((one) => Object.values(one))
    answers.countAnswersOfRun(
      rule,
      seen.reduce((sum, one) => sum + one.seen, 0),
    )
    return watch.compare(baseline)
  }

  #intolerances(exchange: Exchange, expects: Expectation): readonly Accusation[] {
    return this.#tolerance.intolerances(exchange, expects).map((found) => ({ ...found, violates: null }))
  }

  #judgedAs(rule: SpecRuleId, judge: Expectation, given: CaseExchange): readonly Accusation[] {
    const { request, exchange } = given
    const judgement = judge(exchange)
    if (judgement === null) return []
    if (judgement.kind === 'unclear') {
      this.#unclear.set(rule, (this.#unclear.get(rule) ?? new Set()).add(judgement.because))
      return []
    }
    this.#options.answers.countAnswer(rule, request, exchange)
    if (judgement.kind !== 'violates') return []
    const { weakness } = request.traits
    const breach = weakened(excused(rule, given, hinted(rule, request, judgement.breach)), weakness)
    return [{ rule, exchange, breach, violates: (again) => judge(again)?.kind === 'violates' }]
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
    rule === 'security/no-secret-echo' && hasMalformedLine(request.request) && isTransportRefusal(exchange)
  if (!isOfServer) return breach
  return {
    ...breach,
    warning: true,
    summary: `${breach.summary}, in its own refusal of the malformed line`,
  }
}

/** An echoed secret or a 5xx (except 501, and 505 to HTTP/1.0) counts even in an observed exchange. */
function countsAlways(rule: SpecRuleId, exchange: Exchange): boolean {
  if (rule === 'security/no-secret-echo') return true
  const { status } = exchange.response
  const isFailure = status >= 500 && status !== 501 && !isTransportRefusal(exchange)
  return rule === 'errors/documented-pairs' && isFailure
}

/** Whether a tolerated change could break a rule. Opaque strings may hold anything, even a repeated secret. */
function readsBody(rule: RunWideRuleId): boolean {
  return areaOf(rule) !== 'security' && rule !== 'conventions/json-content-type'
}
