import type { Baseline } from '../../drift/baseline.ts'
import type { Exchange } from '../../http/exchange.ts'
import { isServed } from '../../judge/answered.ts'
import type { Breach, Check } from '../../judge/judge.ts'
import type { Reproduced } from '../../judge/record.ts'
import { ruleOf, type RuleId } from '../../specification/rules.ts'
import type { Example } from '../plan/cases.ts'
import { GuessLeftOut, Inconclusive, notServed, type NoResponse } from '../plan/errors.ts'
import type { Context } from '../plan/test-request.ts'
import type { Occurrence } from '../record/finding-recorder.ts'
import { isWrongInLockout } from '../record/in-lockout.ts'
import type { CaseExchange } from '../record/baseline-watch.ts'
import type { Accusation } from '../record/passive-checks.ts'
import type { RunRecord } from '../record/run-record.ts'
import type { Expectation } from '../record/tolerance.ts'
import { isAboutLockout, served, type Confirm, type HealthBetween } from './confirm.ts'

/** How a breach is confirmed, once for all of its kind. */
export type Confirmation =
  /** The request is sent again, where it `isMany` only for the first few; `violates` says whether an answer shows the breach, too. */
  | { readonly kind: 'request'; readonly violates: (again: Exchange) => boolean; readonly isMany?: boolean }
  /** Several requests are sent again. */
  | { readonly kind: 'play'; readonly play: () => Promise<Reproduced> }
  /** It was sent again already, or is not to be. */
  | { readonly kind: 'known'; readonly reproduced: Reproduced }

const seenOnce: Reproduced = { seen: 1, of: 1 }

/** Maximum confirmed findings of an implied rule per kind of difference: many services label every answer wrongly. */
const confirmedOfKind = 3

/** Confirms breaches before they count; the only one that accuses the service. */
export class Accuser {
  readonly #record: RunRecord
  readonly #confirm: Pick<Confirm, 'request'>
  /** Confirmed findings of implied rules, by rule and kind of difference. */
  readonly #ofKind = new Map<RuleId, Map<string, number>>()

  constructor(record: RunRecord, confirm: Pick<Confirm, 'request'>) {
    this.#record = record
    this.#confirm = confirm
  }

  /** Judges an exchange by the rules that hold for every answer; null if nothing has to wait. */
  judge(given: CaseExchange): Promise<void> | null {
    return this.#accuseAll(this.#record.checks.judge(given), given)
  }

  /** Holds a case's own check against its answer after each tolerated change; null if nothing has to wait. */
  tolerate(given: CaseExchange, expects: Expectation): Promise<void> | null {
    return this.#accuseAll(this.#record.checks.tolerate(given, expects), given)
  }

  /** Records what departs from a baseline in the answers of the run so far. */
  compareWith(baseline: Baseline, context: Context): void {
    const { checks, findings, replay } = this.#record
    for (const met of checks.compare(baseline, context.rule)) {
      const id = findings.addDrift(met, context)
      replay?.met(id, met.first.shown)
    }
  }

  /** Records a breach, by default of the case's own rule; the first of its kind is confirmed. Gives the health check between, if there was one. */
  async accuse(
    found: Occurrence,
    how: Confirmation,
    rule: RuleId = found.context.rule,
  ): Promise<HealthBetween> {
    const { findings, answers, replay } = this.#record
    const { request, exchange } = found
    const { fingerprint, isFirst } = findings.add(found, rule)
    const id = { rule, fingerprint }
    replay?.met(id, answers.shown(request, exchange))
    if (!isFirst) return served
    try {
      const { health, ...reproduced } = await this.#confirmed(found, how, rule)
      findings.confirmed(id, reproduced)
      return health
    } catch (error) {
      // No lockout lets anybody in.
      if (error instanceof GuessLeftOut && exchange !== null && isServed(exchange)) return served
      if (isAboutLockout(error) && !isWrongInLockout(rule, found.breach)) findings.drop(id)
      throw error
    }
  }

  /** Records the breach of a case's check. Throws `Inconclusive` if a success that the check needs is missing, and a plain valid request fails, too. */
  async accuseOf(
    found: Occurrence & { readonly exchange: Exchange },
    { check, brokenIfServed }: Pick<Example, 'check' | 'brokenIfServed'>,
  ): Promise<void> {
    const { request, exchange, context, breach } = found
    const { plain } = request.traits
    // What else a success must hold is the rule's own matter.
    const lacksSuccess = needsSuccess(check) && !isServed(exchange)
    if (plain && lacksSuccess && !aboutPlain.has(context.rule))
      throw new Inconclusive(notServedEither, notServed(found))

    const how: Confirmation = {
      kind: 'request',
      violates: (again) => check.judge(again).kind === 'violates',
    }
    const health = await this.accuse(found, how)
    if (brokenIfServed !== undefined && isServed(exchange)) await this.accuse(found, how, brokenIfServed)

    if (health.kind === 'served' || !lacksSuccess || plain) return
    const { findings } = this.#record
    findings.drop(findings.idOf({ rule: context.rule, request, breach }))
    throw new Inconclusive(notServedEither, health.breach)
  }

  /** Records that a request was never answered, though plain valid ones were. */
  async accuseOfSilence(context: Context, failure: NoResponse, check: Check | null): Promise<void> {
    const { request, difference, reproduced, message } = failure
    const breach: Breach = { allowed: check?.allowed ?? [], answered: null, difference, summary: message }
    await this.accuse({ request, exchange: null, context, breach, failure }, { kind: 'known', reproduced })
  }

  async #confirmed(
    { request, context, breach }: Occurrence,
    how: Confirmation,
    rule: RuleId,
  ): Promise<Reproduced & { readonly health: HealthBetween }> {
    if (how.kind === 'known') return { ...how.reproduced, health: served }
    if (how.kind === 'play') return { ...(await how.play()), health: served }
    if (how.isMany === true && !this.#isOneOfFew(rule, breach)) return { ...seenOnce, health: served }
    return this.#confirm.request(request, context, how.violates)
  }

  #isOneOfFew(rule: RuleId, { difference }: Breach): boolean {
    const kinds = this.#ofKind.get(rule) ?? new Map<string, number>()
    this.#ofKind.set(rule, kinds)
    const before = kinds.get(difference) ?? 0
    kinds.set(difference, before + 1)
    return before < confirmedOfKind
  }

  #accuseAll(found: readonly Accusation[], given: CaseExchange): Promise<void> | null {
    return found.length === 0 ? null : this.#accuseEach(found, given)
  }

  async #accuseEach(found: readonly Accusation[], { request, context }: CaseExchange): Promise<void> {
    for (const { rule, exchange, breach, violates } of found) {
      const isMany = ruleOf(rule).level === 'implied'
      const how: Confirmation =
        violates === null ? { kind: 'known', reproduced: seenOnce } : { kind: 'request', violates, isMany }
      await this.accuse({ request, exchange, context, breach }, how, rule)
    }
  }
}

function needsSuccess({ allowed }: Check): boolean {
  return allowed.length > 0 && allowed.every(({ errorCode }) => errorCode === null)
}

/** The rules about a plain valid request itself, which report its failure for all others. */
const aboutPlain: ReadonlySet<RuleId> = new Set(['endpoints/list-succeeds', 'versioning/default-version'])
const notServedEither = 'a plain valid request did not succeed either (see endpoints/list-succeeds)'
