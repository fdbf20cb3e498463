import type { Finding, RuleResult, RunRecord } from '../judge/record.ts'
import type { ProfileName } from '../settings/profiles.ts'
import { covers, waiverReason, type Waiver } from '../settings/waivers.ts'
import { notCovered } from '../spec/not-covered.ts'
import { ruleIds, ruleOf, type RuleId } from '../spec/rules.ts'
import { isGone, isLike } from './gone.ts'
import type { HistoryLine } from './history.ts'
import type { Collected } from './collector.ts'
import { conclude, cutShort } from './conclude.ts'
import { verdictFormat, type Connection, type Verdict, type VerdictWaiver } from './verdict.ts'

/** What a verdict says of the run's settings. */
export interface RunHead {
  readonly suiteVersion: string
  readonly baseUrl: string | null
  readonly embedded: boolean
  readonly version: string
  readonly label: string | null
  /** Absent where nothing stands between the suite and the target. */
  readonly connection?: Connection
  /** The paths of the endpoints that are judged; absent where that is not known. */
  readonly endpoints?: readonly string[]
  readonly profile: ProfileName
  readonly strict: boolean
  readonly seed: number
  readonly fuzzCases: number
  readonly only: readonly string[] | null
  readonly maxRequests: number
  readonly startedAt: Date
  readonly durationMs: number
}

/** What became of a run, as it is known in the main process. */
export interface RunOutcome {
  readonly planned: readonly RuleId[]
  readonly collected: Omit<Collected, 'replayed' | 'shapes'>
  /** What the worker last told while it ran. */
  readonly news: {
    readonly record: RunRecord
    readonly findings: readonly (readonly [RuleId, readonly Finding[]])[]
  } | null
  /** Why the run was cut short from outside, or null. */
  readonly cancelled: string | null
  readonly waivers: readonly Waiver[]
  readonly today: string
  /** Earlier runs, oldest first, of whatever target; from them it is known which faults were never intermittent. */
  readonly earlier?: readonly HistoryLine[]
}

/** The verdict of a run; pure. Every rule that was planned has a status in it, whatever happened. */
export function assemble(head: RunHead, outcome: RunOutcome): Verdict {
  const rules = outcome.planned.map((id) => resultOf(id, head, outcome))
  const record = latest(outcome)
  const waivers = waiversOf(outcome, rules, head)
  const ended = outcome.cancelled ?? record?.ended ?? null
  const conclusion = conclude({
    profile: head.profile,
    filtered: head.only !== null,
    rules,
    ended,
    mishaps: mishapsOf(outcome),
    waivers,
  })

  return {
    ...headOf(head),
    ...conclusion,
    requests: {
      sent: record?.sent ?? 0,
      retried: record?.retried ?? 0,
      confirming: record?.confirming ?? 0,
      budget: head.maxRequests,
      byRule: record?.byRule ?? {},
    },
    latencyMs: record?.latencyMs ?? null,
    rules: rules
      .toSorted((a, b) => ruleIds.indexOf(a.id) - ruleIds.indexOf(b.id))
      .map(({ id, status, because, answers, sample, findings }) => {
        const { level, section } = ruleOf(id)
        return { id, level, section, status, because, answers, sample, findings }
      }),
    waivers,
    observations: record?.observations ?? [],
  }
}

/** The verdict of a run that came to nothing: wrong settings (2), or a failure of the suite itself (4). */
export function errorVerdict(head: RunHead, exitCode: 2 | 4, because: readonly string[]): Verdict {
  return {
    ...headOf(head),
    verdict: 'error',
    exitCode,
    because,
    requests: { sent: 0, retried: 0, confirming: 0, budget: head.maxRequests, byRule: {} },
    latencyMs: null,
    rules: [],
    waivers: [],
    observations: [],
  }
}

/** The verdict of a run that has begun; it stands in `verdict.json` until the run ends, and stays there where it never does. */
export function unfinishedVerdict(head: RunHead): Verdict {
  return errorVerdict(head, 4, [
    'the run did not finish: it is still running, or it was killed, crashed or ran out of memory; make the run again',
  ])
}

function headOf(head: RunHead) {
  const { suiteVersion, baseUrl, embedded, version, label, profile, strict, seed, fuzzCases, only } = head
  const { connection } = head
  return {
    format: verdictFormat,
    suite: { version: suiteVersion },
    target: {
      baseUrl,
      embedded,
      version,
      label,
      ...(head.endpoints === undefined ? {} : { endpoints: head.endpoints }),
    },
    ...(connection === undefined ? {} : { connection }),
    profile,
    strict,
    seed,
    fuzzCases,
    selection: { only },
    startedAt: head.startedAt.toISOString(),
    durationMs: Math.round(head.durationMs),
    notCovered,
  } as const
}

/** The worker's last word counts, whether it came with a test or by the channel. */
function latest({ collected, news }: RunOutcome): RunRecord | null {
  const told = news?.record ?? null
  if (collected.record === null || told === null) return collected.record ?? told
  return told.sent > collected.record.sent ? told : collected.record
}

function resultOf(id: RuleId, head: RunHead, outcome: RunOutcome): RuleResult {
  const result = outcome.collected.results.find((one) => one.id === id)
  if (result !== undefined) return result

  // The rule was cut short: what it has found counts, all else is not known.
  const found = outcome.news?.findings.find(([rule]) => rule === id)?.[1] ?? []
  const findings = found.map((finding) => waived(finding, id, outcome))
  const open = findings.some((finding) => finding.waived === undefined)
  const violates = ruleOf(id).level !== 'implied' || head.strict
  const base = { id, answers: 0, sample: null, findings }
  if (open) return { ...base, status: violates ? 'failed' : 'warned', because: null }
  return {
    ...base,
    status: 'inconclusive',
    because: outcome.cancelled ?? cutShort,
  }
}

function mishapsOf({ planned, collected, cancelled }: RunOutcome): readonly string[] {
  const { results, mishaps } = collected
  if (cancelled !== null) return []

  const unseen = planned.filter((id) => !results.some((result) => result.id === id))
  if (mishaps.length > 0 || unseen.length === 0) return mishaps
  return [`no status came for ${unseen.join(', ')}`]
}

function waived(finding: Finding, rule: RuleId, { waivers, today }: RunOutcome): Finding {
  const { fingerprint } = finding
  const waiver = waivers.find((one) => covers(one, { rule, fingerprint }, today))
  return waiver === undefined ? finding : { ...finding, waived: waiverReason(waiver) }
}

function waiversOf(
  { waivers, today, earlier = [] }: RunOutcome,
  rules: readonly RuleResult[],
  head: RunHead,
): readonly VerdictWaiver[] {
  return waivers.map((waiver) => {
    const expired = waiver.expires < today
    const used = rules.some(
      ({ id, status, findings }) =>
        findings.some(({ fingerprint }) => covers(waiver, { rule: id, fingerprint }, today)) ||
        (status === 'waived' &&
          findings.length === 0 &&
          covers(waiver, { rule: id, fingerprint: null }, today)),
    )
    const gone = !expired && !used && isGone(waiver, { rules, earlier: earlier.filter(isLike(head)) })
    return { ...waiver, expired, used, ...(gone ? { gone } : {}) }
  })
}
