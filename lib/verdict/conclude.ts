import { openFindings } from '../explain/causes.ts'
import type { RuleResult } from '../judge/record.ts'
import { profiles, type ProfileName } from '../settings/profiles.ts'
import { waiverSubject } from '../settings/waivers.ts'
import { entryOf, specCatalogue, type Catalogue } from '../specification/catalogue.ts'
import type { Level } from '../specification/rules.ts'
import { groupBy } from '../text/counts.ts'
import { troubleGrade, troubleSentence } from './retries.ts'
import type { UnjudgedEndpoint, Verdict, VerdictWaiver } from './verdict.ts'

/** The inputs of the verdict's word. */
export interface Conclusion {
  readonly profile: ProfileName
  /** Whether only some rules or cases were selected. */
  readonly filtered: boolean
  readonly rules: readonly RuleResult[]
  /** The rules of the run; those of the specification by default. */
  readonly catalogue?: Catalogue
  /** Endpoints that the profile demands, and that were not judged; none by default. */
  readonly endpoints?: readonly UnjudgedEndpoint[]
  /** Why the run ended early, or null. */
  readonly ended: string | null
  /** Failures of the suite itself. */
  readonly suiteErrors: readonly string[]
  /** Mistakes in rules of the user's own. */
  readonly ownErrors?: readonly string[]
  /** The waivers of the run, with their effects. */
  readonly waivers?: readonly VerdictWaiver[]
  /** Absent if nothing was sent. */
  readonly requests?: Pick<Verdict['requests'], 'sent' | 'retriedFor'>
}

/** The verdict's word, its exit code, and a sentence per reason for nonconformance; pure. The README lists the exit codes. */
export function conclude(conclusion: Conclusion): Pick<Verdict, 'verdict' | 'exitCode' | 'because'> {
  const violated = violations(conclusion)
  const missing = incompleteness(conclusion)
  const ofSuite = [...conclusion.suiteErrors, ...failedExpectations(conclusion, 'suite')].map(
    (mishap) => `the suite itself failed: ${mishap}`,
  )
  const ofEndpointsFile = failedExpectations(conclusion, 'endpoints-file').map(
    (what) => `TARGET_ENDPOINTS expects what the specification does not promise: ${what}`,
  )
  const ofUser = [...(conclusion.ownErrors ?? []), ...ofEndpointsFile]

  if (ofSuite.length > 0 || ofUser.length > 0) {
    return {
      verdict: 'error',
      exitCode: ofSuite.length > 0 ? 4 : 2,
      because: [...ofSuite, ...ofUser, ...violated, ...missing],
    }
  }
  if (violated.length > 0)
    return { verdict: 'nonconformant', exitCode: 1, because: [...violated, ...missing] }
  if (missing.length > 0) return { verdict: 'incomplete', exitCode: 3, because: missing }
  return { verdict: 'conformant', exitCode: 0, because: [] }
}

/** Wrong expectations of the suite or the endpoints file; by default the suite's. */
function failedExpectations(conclusion: Conclusion, whose: 'suite' | 'endpoints-file'): readonly string[] {
  const failed = ofLevel(conclusion, (level) => level === 'expectation').filter(isFailed)
  return failed.flatMap((rule) => {
    const { id } = rule
    const open = openFindings(rule)
    if (open.length === 0) return whose === 'suite' ? [id] : []
    return open.filter(({ blames = 'suite' }) => blames === whose).map(({ summary }) => `${id}: ${summary}`)
  })
}

function violations(conclusion: Conclusion): readonly string[] {
  return ofLevel(conclusion, (level) => level !== 'expectation')
    .filter(isFailed)
    .map(violationOf)
}

function ofLevel(
  { rules, catalogue = specCatalogue }: Conclusion,
  isWanted: (level: Level) => boolean,
): readonly RuleResult[] {
  return rules.filter(({ id }) => isWanted(entryOf(catalogue, id).level))
}

function isFailed({ status }: RuleResult): boolean {
  return status === 'failed'
}

/** The sentence of a verdict for a failed rule. */
export function violationOf(rule: Pick<RuleResult, 'id' | 'findings'>): string {
  return `${rule.id} is violated: ${openFindings(rule)[0]?.summary ?? ''}`
}

/** What makes a run incomplete. Rules that the run's end left unjudged add nothing to its reason. */
function incompleteness(conclusion: Conclusion): readonly string[] {
  const { rules, ended, profile, filtered } = conclusion
  const { demandsEveryRule } = profiles[profile]
  const documented = ofLevel(conclusion, (level) => level === 'documented')
  const reasons = [
    ...(ended === null ? tooMuchTrouble(conclusion) : [`the run ended early: ${ended}`]),
    ...unjudged(
      documented.filter(
        ({ reasons: told }) => !told.every(({ kind }) => kind === 'ended' || kind === 'cut-short'),
      ),
      'inconclusive',
      'could not be judged',
    ),
    ...(demandsEveryRule ? unjudged(documented, 'untested', `must be tested in ${profile}`) : []),
    ...unjudgedEndpoints(conclusion),
    ...(demandsEveryRule ? needless(conclusion) : []),
    ...(demandsEveryRule && filtered ? [`only a part was selected, and ${profile} judges the whole`] : []),
  ]
  if (reasons.length > 0 || rules.some(wasJudged)) return reasons
  return ['no rule was judged']
}

/** A service that answers so rarely is not known well enough. */
function tooMuchTrouble({ requests }: Conclusion): readonly string[] {
  if (requests === undefined || troubleGrade(requests) !== 'incomplete') return []
  return [`${troubleSentence(requests) ?? ''}: too many for a verdict`]
}

/** Why a rule is inconclusive, untested or waived, as `verdict.json` says it; else null. */
export function becauseOf({ reasons }: Pick<RuleResult, 'reasons'>): string | null {
  return reasons.length === 0 ? null : reasons.map(({ text }) => text).join('; ')
}

/** Waivers are accepted with the service, so stale ones must be reported. */
function needless({ waivers = [] }: Conclusion): readonly string[] {
  return waivers
    .filter(({ gone }) => gone === true)
    .map(
      (waiver) =>
        `${waiverName(waiver)} is not needed any more, for its fault is gone: remove it from the file of RUN_WAIVERS`,
    )
}

/** A rule that only a waiver keeps from being untested was not judged. */
function wasJudged({ status, findings }: RuleResult): boolean {
  return ['passed', 'warned', 'failed'].includes(status) || findings.length > 0
}

/** A sentence per reason, with the rules that share it. */
function unjudged(
  rules: readonly RuleResult[],
  wanted: 'inconclusive' | 'untested',
  what: string,
): readonly string[] {
  const byReason = groupBy(
    rules.filter(({ status }) => status === wanted),
    (rule) => becauseOf(rule) ?? 'no reason is known',
  )
  return [...byReason].map(
    ([reason, sharing]) => `${sharing.map(({ id }) => id).join(', ')} ${what}: ${reason}`,
  )
}

/** As {@link unjudged}, of endpoints; names what a waiver needs. */
function unjudgedEndpoints({ endpoints = [], profile }: Conclusion): readonly string[] {
  return [...groupBy(endpoints, ({ because }) => because)].map(([reason, sharing]) => {
    const names = sharing.map(({ endpoint, fingerprint }) => `${endpoint} (fingerprint ${fingerprint})`)
    return `${names.join(', ')} must be judged in ${profile}: ${reason}`
  })
}

/** `the waiver for quota/exhausted (agreed; Kim)`. */
export function waiverName(
  waiver: Pick<VerdictWaiver, 'rule' | 'fingerprint' | 'fingerprints' | 'reason' | 'owner'>,
): string {
  return `the waiver for ${waiverSubject(waiver)} (${waiver.reason}; ${waiver.owner})`
}
