import { setTimeout as sleep } from 'node:timers/promises'
import type { Baseline } from '../drift/baseline.ts'
import type { Signal, Transport } from '../http/transport.ts'
import {
  followedBy,
  reasonOf,
  type Reason,
  type Replayed,
  type RuleResult,
  type RuleStatus,
} from '../judge/record.ts'
import { packageVersion } from '../settings/package-version.ts'
import { profiles } from '../settings/profiles.ts'
import type { RunSettings, Settings } from '../settings/settings.ts'
import { covers, utcDay, waiverReason, type Waivable, type Waiver } from '../settings/waivers.ts'
import { catalogueOf, isRuleId, type Level, type RuleId } from '../specification/rules.ts'
import { groupBy } from '../text/members.ts'
import { assemble } from '../verdict/assemble.ts'
import { statusOfBreach } from '../verdict/conclude.ts'
import type { HistoryLine } from '../verdict/history-line.ts'
import type { TargetConnection, Verdict } from '../verdict/verdict.ts'
import { openRun, snapshotOf } from './clients.ts'
import { judgeRule, playScenarios } from './judge-rule.ts'
import { OwnRuleError, describeError, withoutCredentials, type Area, type SuiteRule } from './plan/cases.ts'
import { endpointRecords, planRun, turnsOf, type OnEvent, type PlannedWork } from './plan/plan.ts'
import { redactorOf, suiteContext, type ReplayedCase } from './plan/suite-context.ts'
import { sentOftenEnough } from './record/record.ts'

/** The options for a run. */
export type JudgeOptions = Readonly<{
  /** Cancels the run; rules judged so far keep their status. The verdict contains the redacted message of the signal's reason. */
  signal?: Signal
  onEvent?: OnEvent
  /** When the run begins; now by default. */
  startedAt?: Date
  /** The baseline to compare with, or null. */
  baseline?: Baseline | null
  /** Earlier runs against any target, oldest first. */
  earlier?: readonly HistoryLine[]
  /** The only case to send; all by default. */
  replayed?: ReplayedCase
  /** The proxy between this program and the target, as named in the verdict. */
  connection?: TargetConnection | null
  /** Replaces connections to the target. */
  transport?: Transport
}>

/** The result of a run. */
export type Judged = Readonly<{
  verdict: Verdict
  /** The shapes of all answers if the settings name a baseline; otherwise null. */
  shapes: Baseline | null
  /** The replayed case; null in a normal run. */
  replayed: Replayed | null
  /** Whether the run ended before everything was judged. */
  ended: boolean
}>

/** Runs the suites against the target and returns the verdict. Uses no files, environment or signals, and runs may overlap. Needs an address and a client. */
export async function judge(
  settings: Settings,
  suites: readonly Area[],
  options: JudgeOptions = {},
): Promise<Judged> {
  const ending = new AbortController()
  const { signal } = options
  const redactor = redactorOf(settings)
  const interrupt = () => ending.abort(withoutCredentials(errorOf(signal?.reason), redactor))
  signal?.addEventListener('abort', interrupt, { once: true })
  if (signal?.aborted) interrupt()
  const { maxMinutes } = settings.run
  const deadline = setTimeout(() => {
    const span = maxMinutes === 1 ? '1 minute' : `${maxMinutes} minutes`
    ending.abort(new Error(`the run took longer than ${span} (RUN_MAX_MINUTES)`))
  }, maxMinutes * 60_000)
  try {
    return await judgeAll(ending.signal, settings, suites, options)
  } catch (error) {
    throw withoutCredentials(error, redactor)
  } finally {
    clearTimeout(deadline)
    signal?.removeEventListener('abort', interrupt)
  }
}

/** Sends nothing more once `ending` is aborted. */
async function judgeAll(ending: Signal, settings: Settings, suites: readonly Area[], options: JudgeOptions) {
  const { onEvent = () => {}, startedAt = new Date(), replayed = null, baseline = null } = options
  const { profile, strict, waivers, concurrency, maxRequests } = settings.run
  const started = performance.now()
  const catalogue = catalogueOf(suites)
  const context = suiteContext(settings, { catalogue, replayed, baseline })
  const { works, shared, allotment } = planRun(suites, context, onEvent)
  const rules = works.map(({ planned }) => planned)
  onEvent({ kind: 'planned', rules, budget: maxRequests })
  const run = await openRun({
    context,
    allotment,
    signal: ending,
    shared,
    onEvent,
    ...(options.transport && { transport: options.transport }),
  })
  const { replay, findings, answers } = run.record
  const redactor = run.record.redactor.ofAnswer()
  const results = new Map<RuleId, RuleResult>()
  const errors: string[] = []
  /** Mistakes in users' own rules. */
  const ownErrors: string[] = []

  const failed = (id: RuleId, error: unknown) => {
    if (ending.aborted) return
    if (error instanceof OwnRuleError) ownErrors.push(error.message)
    else errors.push(redactor.redact(`${id}: ${describeError(error)}`))
  }

  const waivesUntested = profiles[profile].demandsEveryRule
  const today = utcDay(startedAt)
  const settled = ({ id, entry }: SuiteRule, outcome: Omit<RuleResult, 'id' | 'status'>) =>
    ruleStatus({ ...outcome, id, level: entry.level }, { strict, waivers, today, waivesUntested })

  /** Judges rules concurrently, or in plan order if the concurrency is 1, so that the order of requests is fixed. */
  const judgeGroup = async (group: readonly PlannedWork[]) => {
    let before: Promise<unknown> = Promise.resolve()
    const judging = new Map<RuleId, ReturnType<typeof judgeRule>>()
    for (const work of group) {
      const judged = concurrency === 1 ? before.then(() => judgeRule(run, work)) : judgeRule(run, work)
      before = judged.catch(() => {})
      judging.set(work.rule.id, judged)
    }
    const settle = async ({ rule }: PlannedWork) => {
      const { id, entry } = rule
      const reasons = [...((await judging.get(id)) ?? [])]
      for (const why of run.record.unclear(id))
        reasons.push({ kind: 'inconclusive', text: redactor.redact(why) })
      replay?.left(reasons)
      // A rule is settled only after the rules that may accuse it.
      const accusers = group.filter(({ accuses }) => accuses.some((other) => other === id))
      await Promise.allSettled(accusers.map(async (one) => judging.get(one.rule.id)))
      // A summary means nothing if the run ended early.
      const end = run.lifecycle.ended()
      if (end !== null && entry.phase === 'summary')
        reasons.push({ kind: 'ended', text: redactor.redact(end.message) })
      const { count, sample } = answers.of(id)
      const result = settled(rule, { ...findings.of(id), answers: count, sample, reasons })
      results.set(id, result)
      onEvent({ kind: 'rule-settled', result })
    }
    await Promise.all(
      group.map((work) => settle(work).catch((error: unknown) => failed(work.rule.id, error))),
    )
  }

  /** Why the run was cancelled, and what had not ended by then; null if it was not cancelled. */
  const cancelled = (): string | null => {
    if (!ending.aborted) return null
    const isOwn = ending.reason instanceof OwnRuleError
    const because = isOwn ? 'code of your own threw an error' : errorOf(ending.reason).message
    return [because, ...run.abandoned.values()].join('; ')
  }

  /** The result for a rule. For an interrupted rule, only its findings count. */
  const resultOf = ({ rule }: PlannedWork) => {
    const { id } = rule
    const because = run.abandoned.get(id) ?? cancelled() ?? 'the rule was not judged completely'
    const reasons: readonly Reason[] = [{ kind: 'cut-short', text: because }]
    const interrupted = { findings: findings.of(id).findings, answers: 0, sample: null, reasons }
    return results.get(id) ?? settled(rule, interrupted)
  }

  try {
    // These scenarios are judged later, since the answers feed other cases.
    for (const work of works) {
      if (ending.aborted || work.rule.entry.phase !== 'alone') continue
      await playScenarios(run, work).catch((error: unknown) => failed(work.rule.id, error))
    }
    // A replayed case is judged as many times as requested for as long as it can be judged.
    const { times = 1 } = replayed ?? {}
    const mayRepeat = () => replay?.isJudged() === true && errors.length === 0 && !ending.aborted
    for (let time = 0; time === 0 || (time < times && mayRepeat()); time += 1) {
      if (time > 0) {
        for (const kept of [shared, run.record.baseline]) kept?.forget()
        for (const { id, requests } of rules) run.sender.budget.restore(id, requests)
      }
      for (const group of turnsOf(works)) if (!ending.aborted) await judgeGroup(group)
      if (ending.aborted) replay?.left([{ kind: 'cut-short', text: cancelled() ?? '' }])
      replay?.ended()
    }
    // Errors that a user's own rule throws within the next 20 ms are still attributed to it.
    if (rules.some(({ id }) => !isRuleId(id))) await sleep(20)
    const { connection = null, earlier = [] } = options
    const suiteVersion = packageVersion()
    const durationMs = performance.now() - started
    const { reason } = ending
    const verdict = assemble(
      { ...settings.run, ...settings.target, connection, suiteVersion, startedAt, durationMs },
      {
        results: sentOftenEnough(works.map(resultOf)),
        catalogue,
        record: snapshotOf(run),
        endpoints: endpointRecords(settings, rules, {
          hasEnded: ending.aborted || run.lifecycle.ended() !== null,
          judgedBy: (rule) => answers.of(rule).endpoints,
        }),
        errors,
        ownErrors: reason instanceof OwnRuleError ? [...ownErrors, reason.message] : ownErrors,
        cancelled: cancelled(),
        waivers,
        today,
        earlier,
      },
    )
    onEvent({ kind: 'run-ended', verdict })
    return {
      verdict,
      shapes: run.record.baseline?.seen() ?? null,
      replayed: findings.replayed(),
      ended: run.lifecycle.ended() !== null,
    }
  } finally {
    await run.sender.transport.close()
  }
}

function errorOf(reason: unknown) {
  return reason instanceof Error ? reason : new Error('the run was cancelled')
}

const nothingJudged: Reason = { kind: 'untested', text: 'the run got no answer that this rule judges' }

/** The status of a rule; pure. A breach outweighs inconclusive cases, which outweigh passed cases. */
export function ruleStatus(
  { level, ...outcome }: Omit<RuleResult, 'status'> & { readonly level: Level },
  terms: Pick<RunSettings, 'strict' | 'waivers'> & {
    readonly today: string
    /** Whether a waiver may also cover a documented rule that is untested. */
    readonly waivesUntested: boolean
  },
): RuleResult {
  const { id, answers } = outcome
  const waiverOf = (waivable: Waivable): Waiver | null =>
    terms.waivers.find((one) => covers(one, waivable, terms.today)) ?? null
  const waiverOfRule = waiverOf({ rule: id, fingerprint: null })
  const findings = outcome.findings.map((finding) => {
    const waiver = waiverOf({ rule: id, fingerprint: finding.fingerprint })
    return waiver === null ? finding : { ...finding, waived: waiverReason(waiver) }
  })
  const settled = (status: RuleStatus, reasons: readonly Reason[] = []): RuleResult => {
    return { ...outcome, findings, status, reasons }
  }
  /** The waived form of a reason that follows only from waived breaches. */
  const consequencesOf = ({ text, follows = [] }: Reason): readonly Reason[] => {
    const known = follows.flatMap((breach) => waiverOf(breach) ?? [])
    if (follows.length === 0 || known.length < follows.length) return []
    const rules = [...new Set(follows.map(({ rule }) => rule))].join(', ')
    const because = [...new Set(known.map(waiverReason))].join('; ')
    return [{ kind: 'waived', text: `${text}; follows from ${rules}, waived: ${because}`, follows }]
  }

  const open = findings.filter((finding) => finding.waived === undefined)
  if (open.length > 0) return settled(statusOfBreach(level, open, terms.strict))
  const told = distinct(outcome.reasons.filter(({ kind }) => kind !== 'untested'))
  const consequences = told.flatMap(consequencesOf)
  const isUnjudged = consequences.length < told.length
  // If a waiver accepts any breach of the rule, the rule is decided.
  const isDecided = !isUnjudged || (waiverOfRule !== null && told.every(({ kind }) => kind !== 'cut-short'))
  if (findings.length > 0 && isDecided) {
    const waivers = findings.map(({ waived: text = '' }): Reason => ({ kind: 'waived', text }))
    return settled('waived', distinct([...waivers, ...consequences]))
  }
  if (isUnjudged) return settled('inconclusive', told)
  const untested = outcome.reasons.find(({ kind }) => kind === 'untested') ?? nothingJudged
  if (untested === nothingJudged && consequences.length > 0) return settled('waived', consequences)
  if (untested === nothingJudged && answers > 0) return settled('passed')
  if (waiverOfRule === null || !terms.waivesUntested || level !== 'documented')
    return settled('untested', [untested])
  const text = `untested (${untested.text}); waived: ${waiverReason(waiverOfRule)}`
  return settled('waived', [{ kind: 'waived', text }])
}

/** The reasons without duplicates, each with all the findings from which it follows. */
function distinct(reasons: readonly Reason[]) {
  return [...groupBy(reasons, ({ text }) => text).values()].flatMap((alike) => {
    const [first] = alike
    return first ? [reasonOf(first.kind, first.text, followedBy(alike))] : []
  })
}
