import {
  distinctIds,
  followedBy,
  type EndpointRecord,
  type RuleResult,
  type RunSnapshot,
} from '../judge/record.ts'
import { profiles, type ProfileName } from '../settings/profiles.ts'
import type { RunSettings, TargetSettings } from '../settings/settings.ts'
import { waiverReason } from '../settings/waivers.ts'
import { entryOf, specCatalogue, type Catalogue } from '../specification/rules.ts'
import { notCovered, specification } from '../specification/specification.ts'
import { membersNamed } from '../text/members.ts'
import { causesOf } from './causes.ts'
import { conclude, coversEndpoint, waiversOf, type Agreed } from './conclude.ts'
import { countBlamed, findingKey, rateExcluded } from './power.ts'
import {
  verdictFormat,
  type TargetConnection,
  type Verdict,
  type VerdictRule,
  type VerdictWord,
} from './verdict.ts'

const toldOfTarget = ['baseUrl', 'embedded', 'version', 'label', 'build'] as const
const toldOfRun = ['profile', 'strict', 'seed', 'fuzzCases'] as const

/** The part of a verdict that comes from the settings. */
export interface RunMetadata
  extends
    Pick<TargetSettings, (typeof toldOfTarget)[number]>,
    Pick<RunSettings, (typeof toldOfRun)[number] | 'only' | 'essential' | 'maxRequests'> {
  readonly suiteVersion: string
  /** Null for a direct connection. */
  readonly connection: TargetConnection | null
  /** Number of days for which the verdict remains valid; null or absent if unlimited. */
  readonly validDays?: number | null
  readonly startedAt: Date
  readonly durationMs: number
}

/** The outcome of a run. */
export type RunOutcome = Agreed &
  Readonly<{
    /** In the order used in reports. */
    results: readonly RuleResult[]
    /** The rules for the run. */
    catalogue: Catalogue
    /** The endpoints that the run should judge; empty if unknown. */
    endpoints: readonly EndpointRecord[]
    record: RunSnapshot
    /** Failures in the suite itself. */
    errors: readonly string[]
    /** Mistakes in the user's rules. */
    ownErrors: readonly string[]
    /** Why the run was cancelled from outside, or null if it was not. */
    cancelled: string | null
  }>

/** Assembles the verdict for a run; pure. */
export function assemble(metadata: RunMetadata, outcome: RunOutcome): Verdict {
  const { results, catalogue, record, cancelled, errors, ownErrors } = outcome
  const head = { ...metadata, only: metadata.only ?? partOf(catalogue) }
  const known = told(head)
  const target = { ...known.target, ...claimedEndpoints(outcome, head.profile) }
  const rules = results.map((rule) => ruleOf(rule, outcome))
  const waivers = waiversOf(outcome, { ...known, target, rules })
  const requests = {
    ...membersNamed(record, ['sent', 'retried', 'confirming']),
    budget: head.maxRequests,
    ...membersNamed(record, ['byRule', 'byClient', 'retriedFor']),
  }
  const ended = cancelled ?? record.ended
  const suiteErrors = cancelled === null ? errors : []
  const conclusion = conclude(
    { ...known, target, rules, waivers, requests },
    { ended, suiteErrors, ownErrors },
  )

  return {
    ...known,
    target,
    ...conclusion,
    causes: causesOf(results, catalogue),
    requests,
    latencyMs: record.latencyMs,
    ...powerOf(outcome, conclusion.verdict),
    rules,
    waivers,
    observations: record.observations,
  }
}

/** The endpoints that a verdict covers, that is, those for which a rule about the service judged an answer. Pure. */
function claimedEndpoints(
  { endpoints, catalogue, waivers, today }: RunOutcome,
  profile: ProfileName,
): Pick<Verdict['target'], 'endpoints' | 'notJudged'> {
  const isJudged = ({ judgedBy }: EndpointRecord) =>
    judgedBy.some((id) => entryOf(catalogue, id).level !== 'expectation')
  const notJudged = endpoints
    .filter((one) => !isJudged(one))
    .map(({ name, fingerprint, otherwise: { text } }) => {
      const covering = waivers.find((one) => coversEndpoint(one, fingerprint, today))
      const waiver = profiles[profile].demandsEveryRule ? covering : undefined
      const waived = waiver === undefined ? {} : { waived: waiverReason(waiver) }
      return { endpoint: name, because: text, fingerprint, ...waived }
    })
  return { endpoints: endpoints.filter(isJudged).map(({ name }) => name), notJudged }
}

function ruleOf(result: RuleResult, { catalogue, record }: RunOutcome): VerdictRule {
  const { id, status, reasons, answers, blamed } = result
  const entry = entryOf(catalogue, id)
  const { level } = entry
  // The breaches that alone make a rule inconclusive, or that are waived along with the rule.
  const waived = distinctIds(reasons.flatMap((reason) => reason.follows ?? []))
  const follows = status === 'waived' ? waived : followedBy(reasons)
  const excludes = status === 'passed' ? rateExcluded(answers) : null
  return {
    id,
    ...membersNamed(entry, ['level', 'section', 'says']),
    status,
    because: reasons.map(({ text }) => text).join('; ') || null,
    answers,
    durationMs: Math.round(record.msByRule[id] ?? 0),
    ...(follows.length === 0 ? {} : { follows }),
    ...(level === 'documented' || level === 'implied' ? { power: { answers, ...blamed, excludes } } : {}),
    ...membersNamed(result, ['sample', 'findings']),
  }
}

/** The IDs in a catalogue that lacks rules from the specification because the caller passed only some suites; otherwise null. */
function partOf(catalogue: Catalogue): RunMetadata['only'] {
  const isWhole = [...specCatalogue.keys()].every((id) => catalogue.has(id))
  return isWhole ? null : [...catalogue.keys()]
}

/** The power of a run. A run with any breach excludes no fault rate, even if the breach only warns or is waived. */
function powerOf({ results, catalogue, record }: RunOutcome, verdict: VerdictWord): Pick<Verdict, 'power'> {
  const { power, blamed = [] } = record
  if (power === undefined) return {}
  const keys = results.flatMap(({ id, findings }) =>
    entryOf(catalogue, id).level === 'expectation'
      ? []
      : findings.map(({ fingerprint }) => findingKey(id, fingerprint)),
  )
  const excludes = verdict === 'conformant' && keys.length === 0 ? power.excludes : null
  return { power: { ...power, ...countBlamed(blamed, new Set(keys)), excludes } }
}

/** The verdict for a run that failed because of incorrect settings (2) or an error in the suite (4). */
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

/** The verdict for an unfinished run. It stays in `verdict.json` until the run ends, or permanently if the run never ends. */
export function unfinishedVerdict(head: RunMetadata) {
  return errorVerdict(head, 4, [
    'the run did not finish: it is still running, or it was killed, crashed or ran out of memory; repeat the run',
  ])
}

function told(head: RunMetadata) {
  const { startedAt, validDays = null } = head
  return {
    format: verdictFormat,
    suite: { version: head.suiteVersion },
    specification,
    target: { ...membersNamed(head, toldOfTarget), endpoints: [], notJudged: [] },
    ...(head.connection === null ? {} : { connection: head.connection }),
    ...membersNamed(head, toldOfRun),
    selection: { only: head.only, ...(head.essential ? { essential: true as const } : {}) },
    startedAt: startedAt.toISOString(),
    ...(validDays === null
      ? {}
      : { validUntil: new Date(startedAt.getTime() + validDays * 86_400_000).toISOString() }),
    durationMs: Math.round(head.durationMs),
    notCovered,
  } as const
}
