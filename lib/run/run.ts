import { setTimeout as sleep } from 'node:timers/promises'
import type { Baseline } from '../drift/baseline.ts'
import type { Signal } from '../http/abort-signal.ts'
import type { Transport } from '../http/transport.ts'
import type { Reason, Replayed, RuleResult } from '../judge/record.ts'
import { packageVersion } from '../settings/package-version.ts'
import { profiles } from '../settings/profiles.ts'
import type { Settings } from '../settings/settings.ts'
import { utcDay } from '../settings/waivers.ts'
import { catalogueOf, isRuleId, type Catalogue, type RuleId } from '../specification/rules.ts'
import { assemble, runMetadata } from '../verdict/assemble.ts'
import type { HistoryLine } from '../verdict/history-line.ts'
import type { TargetConnection, Verdict } from '../verdict/verdict.ts'
import type { OnEvent } from './events.ts'
import { inconclusiveReason, judgeRule, playScenarios } from './judge-rule.ts'
import { endOf, openRun, snapshotOf, type OpenRun } from './open-run.ts'
import type { Area, SuiteRule } from './plan/cases.ts'
import { NoAnswer, OwnRuleError, describeError, withoutCredentials } from './plan/errors.ts'
import { redactorOf } from './plan/model-of-settings.ts'
import { endpointRecords, planRun, turnsOf, type PlannedWork } from './plan/plan.ts'
import { suiteContext, type ReplayedCase } from './plan/suite-context.ts'
import { userAgent } from './plan/test-request.ts'
import { ruleStatus, type RuleOutcome } from './rule-status.ts'

/** The options for a run. */
export interface JudgeOptions {
  /** Cancels the run; rules judged so far keep their status. The verdict contains the redacted message of the signal's reason. */
  readonly signal?: Signal
  readonly onEvent?: OnEvent
  /** When the run begins; now by default. */
  readonly startedAt?: Date
  /** The baseline to compare with, or null. */
  readonly baseline?: Baseline | null
  /** Earlier runs against any target, oldest first. */
  readonly earlier?: readonly HistoryLine[]
  /** The only case to send; all by default. */
  readonly replayed?: ReplayedCase
  /** The proxy between this program and the target, as named in the verdict. */
  readonly connection?: TargetConnection | null
  /** Replaces connections to the target. */
  readonly transport?: Transport
}

/** The result of a run. */
export interface Judged {
  readonly verdict: Verdict
  /** The shapes of all answers if the settings name a baseline; otherwise null. */
  readonly shapes: Baseline | null
  /** The replayed case; null in a normal run. */
  readonly replayed: Replayed | null
  /** Whether the run ended before everything was judged. */
  readonly ended: boolean
}

/** Runs the suites against the target and returns the verdict. Uses no files, environment or signals, and runs may overlap. Needs an address and a client. */
export async function judge(
  settings: Settings,
  suites: readonly Area[],
  options: JudgeOptions = {},
): Promise<Judged> {
  const ending = new AbortController()
  const { signal } = options
  const interrupt = (): void =>
    ending.abort(withoutCredentials(errorOf(signal?.reason), redactorOf(settings)))
  signal?.addEventListener('abort', interrupt, { once: true })
  if (signal?.aborted === true) interrupt()
  const { maxMinutes } = settings.run
  const deadline = setTimeout(() => {
    const span = maxMinutes === 1 ? '1 minute' : `${maxMinutes} minutes`
    ending.abort(new Error(`the run took longer than ${span} (RUN_MAX_MINUTES)`))
  }, maxMinutes * 60_000)
  try {
    return await new Run(settings, suites, options, ending.signal).judge()
  } catch (error) {
    throw withoutCredentials(error, redactorOf(settings))
  } finally {
    clearTimeout(deadline)
    signal?.removeEventListener('abort', interrupt)
  }
}

class Run {
  readonly #settings: Settings
  readonly #suites: readonly Area[]
  readonly #catalogue: Catalogue
  readonly #options: JudgeOptions
  readonly #tell: OnEvent
  /** Aborted at the end of the run: nothing more is sent. */
  readonly #ending: Signal
  readonly #startedAt: Date
  readonly #started = performance.now()
  readonly #results = new Map<RuleId, RuleResult>()
  readonly #errors: string[] = []
  /** Mistakes in users' own rules. */
  readonly #ownErrors: string[] = []

  constructor(settings: Settings, suites: readonly Area[], options: JudgeOptions, ending: Signal) {
    this.#settings = settings
    this.#suites = suites
    this.#catalogue = catalogueOf(suites)
    this.#options = options
    this.#tell = options.onEvent ?? (() => {})
    this.#ending = ending
    this.#startedAt = options.startedAt ?? new Date()
  }

  async judge(): Promise<Judged> {
    const { works, run } = await this.#open()
    const { baseline, replay, findings } = run.record
    try {
      for (const one of works) if (!this.#ending.aborted) await this.#playScenarios(one, run)
      await this.#judgeTimes(works, run)
      // Errors that a user's own rule throws within the next 20 ms are still attributed to it.
      if (works.some(({ planned }) => !isRuleId(planned.id))) await sleep(20)
      const verdict = this.#verdict(works, run)
      this.#tell({ kind: 'run-ended', verdict })
      const found = [...this.#catalogue.keys()].flatMap((rule) =>
        findings.of(rule).findings.map((finding) => ({ rule, finding })),
      )
      return {
        verdict,
        shapes: baseline?.seen ?? null,
        replayed: replay?.replayed(found) ?? null,
        ended: endOf(run) !== null,
      }
    } finally {
      await run.sender.transport.close()
    }
  }

  async #open(): Promise<{ readonly works: readonly PlannedWork[]; readonly run: OpenRun }> {
    const { replayed = null, baseline = null, transport } = this.#options
    const { run } = this.#settings
    const agent = userAgent(packageVersion())
    const catalogue = this.#catalogue
    const context = suiteContext(this.#settings, agent, { catalogue, replayed, baseline })
    const { works, shared } = planRun(this.#suites, context, this.#tell)
    const rules = works.map(({ planned }) => planned)
    this.#tell({ kind: 'planned', rules, budget: run.maxRequests })
    const opened = await openRun({
      settings: this.#settings,
      allotment: Object.fromEntries(rules.map(({ id, allotted }) => [id, allotted])),
      catalogue,
      userAgent: agent,
      signal: this.#ending,
      shared,
      baseline: run.baseline?.mode === 'compare' ? baseline : null,
      isReplay: replayed !== null,
      onEvent: this.#tell,
      ...(transport && { transport }),
    })
    return { works, run: opened }
  }

  /** Plays the scenarios of a rule before the cases that use their answers. They are judged later. */
  async #playScenarios(one: PlannedWork, run: OpenRun): Promise<void> {
    const { id, entry } = one.rule
    if (entry.phase !== 'alone') return
    await playScenarios(run, one).catch((error: unknown) => this.#failed(id, error, run))
  }

  async #judgeAll(works: readonly PlannedWork[], run: OpenRun): Promise<void> {
    for (const group of turnsOf(works)) {
      if (this.#ending.aborted) break
      await this.#judgeGroup(group, run)
    }
  }

  /** Judges rules concurrently, or in plan order if the concurrency is 1, so that the order of requests is fixed. */
  async #judgeGroup(group: readonly PlannedWork[], run: OpenRun): Promise<void> {
    const isInTurn = this.#settings.run.concurrency === 1
    let before: Promise<unknown> = Promise.resolve()
    const judging = new Map<RuleId, Promise<readonly Reason[]>>()
    for (const work of group) {
      const judged = isInTurn ? before.then(() => this.#judgeRule(work, run)) : this.#judgeRule(work, run)
      before = judged.catch(() => {})
      judging.set(work.planned.id, judged)
    }
    await Promise.all(group.map((work) => this.#settle(work.rule, run, group, judging)))
  }

  /** Judges everything once, or a replayed case as many times as requested for as long as it can be judged. */
  async #judgeTimes(works: readonly PlannedWork[], run: OpenRun): Promise<void> {
    const { replay, baseline } = run.record
    const { times = 1 } = this.#options.replayed ?? {}
    const mayRepeat = (): boolean =>
      replay?.isJudged === true && this.#errors.length === 0 && !this.#ending.aborted
    for (let time = 0; time === 0 || (time < times && mayRepeat()); time += 1) {
      if (time > 0) for (const kept of [run.shared, baseline]) kept?.forget()
      await this.#judgeAll(works, run)
      if (this.#ending.aborted) replay?.left([{ kind: 'cut-short', text: this.#cancelled(run) ?? '' }])
      replay?.ended()
    }
  }

  /** Judges a rule; returns the reasons why some cases could not be judged. */
  async #judgeRule(one: PlannedWork, run: OpenRun): Promise<readonly Reason[]> {
    const { id, requests } = one.planned
    this.#tell({ kind: 'rule-started', rule: id })
    run.sender.budget.reserve(id, requests)
    return judgeRule(run, one)
  }

  async #settle(
    rule: SuiteRule,
    run: OpenRun,
    group: readonly PlannedWork[],
    judging: ReadonlyMap<RuleId, Promise<readonly Reason[]>>,
  ): Promise<void> {
    const { checks, replay, findings, answers, redactor } = run.record
    const { id } = rule
    try {
      const reasons = [...((await judging.get(id)) ?? [])]
      reasons.push(...checks.unclear(id).map((why) => inconclusiveReason(run, new NoAnswer('trouble', why))))
      replay?.left(reasons)
      // A rule is settled only after the rules that may accuse it.
      const accusers = group.filter(({ accuses }) => accuses.includes(id))
      await Promise.allSettled(accusers.map((one) => judging.get(one.planned.id) ?? Promise.resolve()))
      // A summary means nothing if the run ended early.
      const end = endOf(run)
      if (end !== null && rule.entry.phase === 'summary')
        reasons.push({ kind: 'ended', text: redactor.ofAnswer().redact(end.message) })
      const { count: judged, sample } = answers.of(id)
      const result = this.#settled(rule, { ...findings.of(id), answers: judged, sample, reasons })
      this.#results.set(id, result)
      this.#tell({ kind: 'rule-settled', result })
    } catch (error) {
      this.#failed(id, error, run)
    }
  }

  #failed(id: RuleId, error: unknown, { record: { redactor } }: OpenRun): void {
    if (this.#ending.aborted) return
    if (error instanceof OwnRuleError) this.#ownErrors.push(error.message)
    else this.#errors.push(redactor.ofAnswer().redact(`${id}: ${describeError(error)}`))
  }

  #settled({ id, entry: { level } }: SuiteRule, outcome: Omit<RuleOutcome, 'id' | 'level'>): RuleResult {
    const { profile, strict, waivers } = this.#settings.run
    const waivesUntested = profiles[profile].demandsEveryRule
    return ruleStatus(
      { ...outcome, id, level },
      { strict, waivers, waivesUntested, today: utcDay(this.#startedAt) },
    )
  }

  /** The result for a rule. For an interrupted rule, only its findings count. */
  #resultOf({ rule }: PlannedWork, { record, abandoned }: OpenRun, because: string): RuleResult {
    const { id } = rule
    const known = this.#results.get(id)
    if (known !== undefined) return known
    const reasons: readonly Reason[] = [{ kind: 'cut-short', text: abandoned.get(id) ?? because }]
    const { findings } = record.findings.of(id)
    return this.#settled(rule, { findings, answers: 0, sample: null, reasons })
  }

  #verdict(works: readonly PlannedWork[], run: OpenRun): Verdict {
    const { connection = null, earlier = [] } = this.#options
    const durationMs = performance.now() - this.#started
    const cancelled = this.#cancelled(run)
    const { reason } = this.#ending
    const ownErrors = reason instanceof OwnRuleError ? [...this.#ownErrors, reason.message] : this.#ownErrors
    const because = cancelled ?? 'the rule was not judged completely'
    const rules = works.map(({ planned }) => planned)
    return assemble(
      runMetadata(this.#settings, {
        connection,
        suiteVersion: packageVersion(),
        startedAt: this.#startedAt,
        durationMs,
      }),
      {
        results: works.map((one) => this.#resultOf(one, run, because)),
        catalogue: this.#catalogue,
        record: snapshotOf(run),
        endpoints: endpointRecords(this.#settings, rules, {
          hasEnded: cancelled !== null || endOf(run) !== null,
          judgedBy: (rule) => run.record.answers.of(rule).endpoints,
        }),
        errors: this.#errors,
        ownErrors,
        cancelled,
        waivers: this.#settings.run.waivers,
        today: utcDay(this.#startedAt),
        earlier,
      },
    )
  }

  /** Why the run was cancelled, and what had not ended by then; null if it was not cancelled. */
  #cancelled({ abandoned }: OpenRun): string | null {
    if (!this.#ending.aborted) return null
    const { reason } = this.#ending
    const because =
      reason instanceof OwnRuleError ? 'code of your own threw an error' : errorOf(reason).message
    return [because, ...abandoned.values()].join('; ')
  }
}

function errorOf(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('the run was cancelled')
}
