import { causesOf } from '../judge/causes.ts'
import { rateExcluded } from '../judge/power.ts'
import type { RuleResult, RunSnapshot } from '../judge/record.ts'
import type { ProfileName } from '../settings/profiles.ts'
import type { Settings } from '../settings/settings.ts'
import { covers, type Waiver } from '../settings/waivers.ts'
import { listPath } from '../spec/endpoints.ts'
import { notCovered } from '../spec/not-covered.ts'
import { entryOf, specCatalogue, type Catalogue } from '../spec/catalogue.ts'
import type { Level } from '../spec/rules.ts'
import { currentRuleSet, type RuleSet } from '../spec/rule-sets.ts'
import { specification } from '../spec/specification.ts'
import { isStale, isLike } from './stale-waivers.ts'
import type { HistoryLine } from './history-line.ts'
import { becauseOf, conclude, isScored } from './conclude.ts'
import {
  isPartial,
  verdictFormat,
  type TargetConnection,
  type Verdict,
  type VerdictRule,
  type VerdictWaiver,
  type VerdictWord,
} from './verdict.ts'

/** What a verdict says of the settings. */
export interface RunMetadata {
  readonly suiteVersion: string
  readonly baseUrl: string | null
  readonly embedded: boolean
  readonly version: string
  readonly label: string | null
  /** Absent if the run was not told. */
  readonly buildDigest?: string
  /** Absent if nothing stands between the suite and the target. */
  readonly connection?: TargetConnection
  /** The paths of the judged endpoints; absent if unknown. */
  readonly endpoints?: readonly string[]
  readonly profile: ProfileName
  readonly strict: boolean
  readonly seed: number
  readonly fuzzCases: number
  readonly rules: RuleSet | null
  readonly only: readonly string[] | null
  readonly essential: boolean
  readonly maxRequests: number
  readonly startedAt: Date
  readonly durationMs: number
}

/** The outcome of a run. */
export interface RunOutcome {
  /** In the order of reports. */
  readonly results: readonly RuleResult[]
  /** The rules of the run; those of the specification by default. */
  readonly catalogue?: Catalogue
  readonly record: RunSnapshot
  /** Failures of the suite itself. */
  readonly errors: readonly string[]
  /** Why the run was cancelled from outside, or null. */
  readonly cancelled: string | null
  readonly waivers: readonly Waiver[]
  readonly today: string
  /** Earlier runs of any target, oldest first; they show which faults were never intermittent. */
  readonly earlier?: readonly HistoryLine[]
}

/** What a verdict says of these settings. */
export function runMetadata(
  { target, run }: Settings,
  {
    connection,
    ...more
  }: Pick<RunMetadata, 'suiteVersion' | 'startedAt' | 'durationMs'> & {
    readonly connection: TargetConnection | null
  },
): RunMetadata {
  const { baseUrl, embedded, version, label, buildDigest } = target
  return {
    ...run,
    baseUrl,
    embedded,
    version,
    label,
    ...(buildDigest === undefined ? {} : { buildDigest }),
    endpoints: [listPath, ...target.endpoints.map(({ path }) => path)],
    ...(connection === null ? {} : { connection }),
    ...more,
  }
}

/** The verdict of a run; pure. */
export function assemble(head: RunMetadata, outcome: RunOutcome): Verdict {
  const { results: rules, catalogue = specCatalogue, record } = outcome
  const waivers = waiversOf(outcome, rules, head)
  const ended = outcome.cancelled ?? record.ended
  const known = told(head)
  const conclusion = conclude({
    profile: head.profile,
    filtered: isPartial(known),
    rules,
    catalogue,
    ended,
    suiteErrors: outcome.cancelled === null ? outcome.errors : [],
    waivers,
  })

  return {
    ...known,
    ruleSet: head.rules?.name ?? currentRuleSet(catalogue),
    ...conclusion,
    causes: causesOf(rules, catalogue),
    requests: {
      sent: record.sent,
      retried: record.retried,
      confirming: record.confirming,
      budget: head.maxRequests,
      byRule: record.byRule,
      byClient: record.byClient,
    },
    latencyMs: record.latencyMs,
    ...powerOf(record, conclusion.verdict),
    rules: rules.map((rule) => {
      const { id, status, answers, sample, findings } = rule
      const { level, section, says } = entryOf(catalogue, id)
      const because = becauseOf(rule)
      const durationMs = Math.round(record.msByRule[id] ?? 0)
      const more = { ...(isScored(rule) ? {} : { notScored: true as const }), ...rulePower(rule, level) }
      return { id, level, section, says, status, because, answers, durationMs, ...more, sample, findings }
    }),
    waivers,
    observations: record.observations,
  }
}

function powerOf({ power }: RunSnapshot, verdict: VerdictWord): Pick<Verdict, 'power'> {
  if (power === undefined) return {}
  return { power: verdict === 'conformant' ? power : { ...power, excludes: null } }
}

function rulePower({ status, answers }: RuleResult, level: Level): Pick<VerdictRule, 'power'> {
  if (level !== 'documented' && level !== 'implied') return {}
  return { power: { answers, excludes: status === 'passed' ? rateExcluded(answers) : null } }
}

/** The verdict of a run that failed by wrong settings (2) or an error of the suite (4). */
export function errorVerdict(head: RunMetadata, exitCode: 2 | 4, because: readonly string[]): Verdict {
  return {
    ...told(head),
    verdict: 'error',
    exitCode,
    because,
    causes: [],
    requests: { sent: 0, retried: 0, confirming: 0, budget: head.maxRequests, byRule: {} },
    latencyMs: null,
    rules: [],
    waivers: [],
    observations: [],
  }
}

/** The verdict of an unfinished run, in `verdict.json` until the run ends, or for good if it never does. */
export function unfinishedVerdict(head: RunMetadata): Verdict {
  return errorVerdict(head, 4, [
    'the run did not finish: it is still running, or it was killed, crashed or ran out of memory; make the run again',
  ])
}

function told(head: RunMetadata) {
  const { suiteVersion, baseUrl, embedded, version, label, profile, strict, seed, fuzzCases, only } = head
  const { connection } = head
  return {
    format: verdictFormat,
    suite: { version: suiteVersion },
    specification,
    target: {
      baseUrl,
      embedded,
      version,
      label,
      ...(head.buildDigest === undefined ? {} : { buildDigest: head.buildDigest }),
      ...(head.endpoints === undefined ? {} : { endpoints: head.endpoints }),
    },
    ...(connection === undefined ? {} : { connection }),
    profile,
    strict,
    seed,
    fuzzCases,
    selection: { only, ...(head.essential ? { essential: true as const } : {}) },
    startedAt: head.startedAt.toISOString(),
    durationMs: Math.round(head.durationMs),
    notCovered,
  } as const
}

function waiversOf(
  { waivers, today, earlier = [] }: RunOutcome,
  rules: readonly RuleResult[],
  head: RunMetadata,
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
    const gone = !expired && !used && isStale(waiver, { rules, earlier: earlier.filter(isLike(head)) })
    return { ...waiver, expired, used, ...(gone ? { gone } : {}) }
  })
}
