import type { Baseline } from '../drift/baseline.ts'
import type { Replayed, RuleResult } from '../judge/record.ts'
import { assemble, headOf } from '../verdict/assemble.ts'
import { groupBy } from '../spec/group-by.ts'
import type { HistoryLine } from '../verdict/history-line.ts'
import { wasOverrunBefore } from '../verdict/quota-overruns.ts'
import type { Connection, Verdict } from '../verdict/verdict.ts'
import { openClient } from './open-session.ts'
import { allot, type PlannedRule } from './allotment.ts'
import { userAgent } from './test-request.ts'
import type { TestClient } from './client.ts'
import { settle } from './settle.ts'
import { profiles } from '../settings/profiles.ts'
import type { Settings } from '../settings/settings.ts'
import { utcDay } from '../settings/waivers.ts'
import { areaOf, phases, ruleOf, type RuleId } from '../spec/rules.ts'
import type { Area } from './rule.ts'
import { suiteContext, type ReplayedCase } from './suite-context.ts'
import { packageVersion } from './package-version.ts'
import { planRun, type PlannedWork } from './plan.ts'

/** What happens in a run, as it happens. */
export type RunEvent =
  | { readonly kind: 'planned'; readonly rules: readonly PlannedRule[]; readonly budget: number }
  | { readonly kind: 'rule-started'; readonly rule: RuleId }
  | { readonly kind: 'request-done'; readonly sent: number }
  | { readonly kind: 'case-done'; readonly rule: RuleId }
  | { readonly kind: 'rule-settled'; readonly result: RuleResult }
  | { readonly kind: 'run-ended'; readonly verdict: Verdict }

/** What a run takes besides settings and suites: data, and two ways to listen and to speak. */
export interface JudgeOptions {
  /** Ends the run: nothing more is sent, and what was judged so far is settled. Its reason, an error, is said in the verdict. */
  readonly signal?: AbortSignal
  readonly onEvent?: (event: RunEvent) => void
  /** When the run begins; now, without it. */
  readonly startedAt?: Date
  /** The shapes to compare with, or null where there are none yet. */
  readonly baseline?: Baseline | null
  /** Earlier runs, oldest first, of whatever target. */
  readonly earlier?: readonly HistoryLine[]
  /** The one case that is sent again; all cases without it. */
  readonly replayed?: ReplayedCase
  /** What stands between this program and the target, as the verdict names it. */
  readonly connection?: Connection | null
}

/** What a run came to. */
export interface Judged {
  readonly verdict: Verdict
  /** The shapes of all answers, where the settings name a baseline; else null. */
  readonly shapes: Baseline | null
  /** What became of the case that was sent again; null in a run. */
  readonly replayed: Replayed | null
  /** Whether nothing more could be sent before all was judged. */
  readonly ended: boolean
}

/**
 * Judges the target of the settings by the suites: plans, sends, judges, confirms, settles the status of each rule, and gives the
 * verdict. Writes no file, reads no environment and handles no signal; may run many times in a process, also at the same time. The
 * settings must name an address and a client.
 */
export async function judge(
  settings: Settings,
  suites: readonly Area[],
  options: JudgeOptions = {},
): Promise<Judged> {
  return new Run(settings, options).judge(suites)
}

class Run {
  readonly #settings: Settings
  readonly #options: JudgeOptions
  readonly #startedAt: Date
  readonly #started = performance.now()
  readonly #ending = new AbortController()
  readonly #results: RuleResult[] = []
  /** What went wrong in the suite itself. */
  readonly #errors: string[] = []
  #endedBecause: string | null = null

  constructor(settings: Settings, options: JudgeOptions) {
    this.#settings = settings
    this.#options = options
    this.#startedAt = options.startedAt ?? new Date()
  }

  async judge(suites: readonly Area[]): Promise<Judged> {
    const { signal } = this.#options
    const interrupt = (): void => this.#end(messageOf(signal?.reason))
    signal?.addEventListener('abort', interrupt, { once: true })
    if (signal?.aborted === true) interrupt()
    const { maxMinutes } = this.#settings.run
    const deadline = setTimeout(() => {
      const span = maxMinutes === 1 ? '1 minute' : `${maxMinutes} minutes`
      this.#end(`the run took longer than ${span} (RUN_MAX_MINUTES)`)
    }, maxMinutes * 60_000)
    deadline.unref()
    try {
      return await this.#judged(suites)
    } finally {
      clearTimeout(deadline)
      signal?.removeEventListener('abort', interrupt)
    }
  }

  /** Nothing more is sent; what was judged so far is settled. */
  #end(because: string): void {
    this.#endedBecause ??= because
    this.#ending.abort(new Error(because))
  }

  async #judged(suites: readonly Area[]): Promise<Judged> {
    const { works, session } = this.#opened(suites)
    try {
      for (const group of groupsOf(works)) {
        if (this.#endedBecause !== null) break
        await Promise.all(group.map((work) => this.#judgeRule(work, session)))
      }
      const verdict = this.#verdict(works, session)
      this.#tell({ kind: 'run-ended', verdict })
      return { verdict, shapes: session.shapes, replayed: session.replayed, ended: session.over !== null }
    } finally {
      await session.close()
    }
  }

  #opened(suites: readonly Area[]): { readonly works: readonly PlannedWork[]; readonly session: TestClient } {
    const { replayed = null, baseline = null, earlier = [] } = this.#options
    const { maxRequests } = this.#settings.run
    const agent = userAgent(packageVersion())
    const context = suiteContext(this.#settings, agent, {
      replayed,
      baseline,
      quotaWasOverrun: wasOverrunBefore(earlier, {
        target: this.#settings.target,
        quota: this.#settings.fixtures.disposableQuota,
        startedAt: this.#startedAt,
      }),
    })
    const { works, shared } = planRun(suites, context)
    const rules = works.map(({ planned }) => planned)
    this.#tell({ kind: 'planned', rules, budget: maxRequests })
    const session = openClient({
      settings: this.#settings,
      allotment: allot(rules, maxRequests),
      userAgent: agent,
      signal: this.#ending.signal,
      shared,
      replaying: replayed !== null,
      requestDone: (sent) => this.#tell({ kind: 'request-done', sent }),
      caseDone: (rule) => this.#tell({ kind: 'case-done', rule }),
    })
    return { works, session }
  }

  async #judgeRule(work: PlannedWork, session: TestClient): Promise<void> {
    const { planned } = work
    const { id, requests, untested } = planned
    this.#tell({ kind: 'rule-started', rule: id })
    session.budget.reserve(id, requests)
    try {
      const left = await work.judge(session)
      // What sums up a whole run says nothing where the run ended early.
      const over = ruleOf(id).phase === 'summary' ? session.over : null
      const result = this.#settled(session, id, {
        untested: untested ?? left.untested[0] ?? null,
        unjudged: over === null ? left.unjudged : [...left.unjudged, over.message],
      })
      this.#results.push(result)
      this.#tell({ kind: 'rule-settled', result })
    } catch (error) {
      // A rule that was cut short is settled by what it found.
      if (this.#endedBecause === null) this.#errors.push(`${id}: ${describeError(error)}`)
    }
  }

  #settled(
    session: TestClient,
    id: RuleId,
    { untested, unjudged }: { readonly untested: string | null; readonly unjudged: readonly string[] },
  ): RuleResult {
    const { log } = session
    const { profile, strict, waivers } = this.#settings.run
    return settle({
      id,
      level: ruleOf(id).level,
      strict,
      findings: log.findings(id),
      answers: log.answers(id),
      sample: log.sample(id),
      untested,
      unjudged: [...new Set(unjudged)],
      waivers,
      today: utcDay(this.#startedAt),
      waivesUntested: profiles[profile].demandsEveryRule,
    })
  }

  #verdict(works: readonly PlannedWork[], session: TestClient): Verdict {
    const { connection = null, earlier = [] } = this.#options
    const durationMs = performance.now() - this.#started
    const suiteVersion = packageVersion()
    return assemble(
      headOf(this.#settings, { connection, suiteVersion, startedAt: this.#startedAt, durationMs }),
      {
        planned: works.map(({ planned }) => planned.id),
        results: this.#results,
        record: session.record(),
        findings: (id) => session.log.findings(id),
        errors: this.#errors,
        cancelled: this.#endedBecause,
        waivers: this.#settings.run.waivers,
        today: utcDay(this.#startedAt),
        earlier,
      },
    )
  }

  #tell(event: RunEvent): void {
    this.#options.onEvent?.(event)
  }
}

/** Groups of rules that are judged side by side, one group after the other. */
function groupsOf(works: readonly PlannedWork[]): readonly (readonly PlannedWork[])[] {
  return phases.flatMap((phase) => {
    const ofPhase = works.filter(({ planned }) => ruleOf(planned.id).phase === phase)
    switch (phase) {
      case 'together':
        return [...groupBy(ofPhase, ({ planned }) => areaOf(planned.id)).values()]
      case 'alone':
      case 'last':
        return ofPhase.map((one) => [one])
      case 'quota':
        return [ofPhase]
      case 'summary':
        // What sends requests of its own comes first: the others sum them up, too.
        return [ofPhase.filter(sends), ofPhase.filter((one) => !sends(one))]
    }
  })
}

function sends({ planned }: PlannedWork): boolean {
  return planned.requests > 0
}

function messageOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : 'the run was cancelled'
}

/** The message of an error, and where it happened, without the frames of libraries. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const frame = error.stack
    ?.split('\n')
    .find((line) => line.trim().startsWith('at ') && !line.includes('node_modules'))
  return frame === undefined ? error.message : `${error.message} (${frame.trim()})`
}
