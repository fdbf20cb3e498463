import { rateRefusals, type Finding, type RuleStatus } from '../judge/record.ts'
import { profiles } from '../settings/profiles.ts'
import { waiverSubject } from '../settings/waivers.ts'
import type { Level } from '../specification/rules.ts'
import { groupBy } from '../text/counts.ts'
import { openFindings } from './causes.ts'
import { isPartial, type Verdict, type VerdictRule, type VerdictWaiver } from './verdict.ts'

/** The parts of a verdict that determine its word. */
export type Judged = Pick<Verdict, 'profile' | 'selection' | 'target' | 'rules' | 'waivers'> & {
  readonly requests: Requests
}

/** The number of requests in a verdict, and the reasons for its retries. */
type Requests = Pick<Verdict['requests'], 'sent' | 'retriedFor'>

/** Events of a run, apart from its results. */
export interface Mishaps {
  /** Why the run ended early, or null. */
  readonly ended: string | null
  /** Failures in the suite itself. */
  readonly suiteErrors?: readonly string[]
  /** Mistakes in the user's rules. */
  readonly ownErrors?: readonly string[]
}

type Conclusion = Pick<Verdict, 'verdict' | 'exitCode' | 'because'>

/** The verdict's word, its exit code, and one sentence for each reason why the run is not conformant; pure. The README lists the exit codes. */
export function conclude(judged: Judged, { ended, suiteErrors = [], ownErrors = [] }: Mishaps): Conclusion {
  const failed = judged.rules.filter(({ status }) => status === 'failed')
  const violated = failed.filter(({ level }) => level !== 'expectation').map(violationOf)
  const mistaken = failed.flatMap(mistakenExpectations)
  const blaming = (whose: Finding['blames']): readonly string[] =>
    mistaken.filter(({ blames }) => blames === whose).map(({ says }) => says)
  const ofSuite = [...suiteErrors, ...blaming('suite')].map((mishap) => `the suite itself failed: ${mishap}`)
  const ofEndpointsFile = blaming('endpoints-file').map(
    (what) => `TARGET_ENDPOINTS expects something that the specification does not promise: ${what}`,
  )
  const errors = [...ofSuite, ...ownErrors, ...ofEndpointsFile]
  const stopped = ended === null ? [] : [`${endedEarly}${ended}`]
  const missing = incompleteness(judged, stopped, ended === null && errors.length === 0)

  if (errors.length > 0) {
    const exitCode = ofSuite.length > 0 ? 4 : 2
    return { verdict: 'error', exitCode, because: [...errors, ...violated, ...missing] }
  }
  if (violated.length > 0)
    return { verdict: 'nonconformant', exitCode: 1, because: [...violated, ...missing] }
  if (missing.length > 0)
    return {
      verdict: 'incomplete',
      exitCode: 3,
      because: missing,
    }
  return { verdict: 'conformant', exitCode: 0, because: [] }
}

/** How the reason begins if a run ended early. This is part of the `verdict.json` format. */
export const endedEarly = 'the run ended early: '

/** Derives a verdict's conclusion again from its contents. If the run ended early, the reason is taken from the verdict. */
export function concludeAgain(verdict: Verdict): Conclusion {
  const reason = verdict.because.find((one) => one.startsWith(endedEarly))
  return conclude(verdict, { ended: reason?.slice(endedEarly.length) ?? null })
}

/** The status of a rule with unwaived findings. A breach of an implied rule only warns, unless the run is strict. */
export function statusOfBreach(
  level: Level,
  open: VerdictRule['findings'],
  strict: boolean,
): 'failed' | 'warned' {
  const isImplied = level === 'implied' && !strict
  return isImplied || open.every(({ warning }) => warning === true) ? 'warned' : 'failed'
}

/** Incorrect expectations in the suite or in the endpoints file. A finding that blames neither is attributed to the suite. */
function mistakenExpectations(rule: VerdictRule) {
  const { id, level } = rule
  if (level !== 'expectation') return []
  const open = openFindings(rule)
  if (open.length === 0) return [{ blames: 'suite' as const, says: id }]
  return open.map(({ blames = 'suite', summary }) => ({ blames, says: `${id}: ${summary}` }))
}

/** The sentence in a verdict about a failed rule. */
export function violationOf(rule: Pick<VerdictRule, 'id' | 'findings'>): string {
  return `${rule.id} is violated: ${openFindings(rule)[0]?.summary ?? ''}`
}

/**
 * The reasons why a run is incomplete: why it stopped, and what it left out. Rules that were not judged because of an early end do
 * not add a reason.
 */
function incompleteness(judged: Judged, stopped: readonly string[], isWhole: boolean) {
  const { rules, profile, target, requests, waivers } = judged
  const documented = rules.filter(({ level }) => level === 'documented')
  const gone = waivers.filter((waiver) => waiver.gone === true)
  const open = target.notJudged.filter(({ waived }) => waived === undefined)
  const endpoints = open.map(
    ({ endpoint, fingerprint, because }) => [`${endpoint} (fingerprint ${fingerprint})`, because] as const,
  )
  const ofStatus = (wanted: RuleStatus) =>
    documented.filter(({ status }) => status === wanted).map(({ id, because }) => [id, because] as const)
  const demanded = [
    ...unjudged(ofStatus('untested'), `must be tested in ${profile}`),
    ...(isWhole ? unjudged(endpoints, `must be judged in ${profile}`) : []),
    // Waivers are accepted together with the service, so waivers that are no longer needed must be reported.
    ...gone.map(
      (waiver) =>
        `${waiverName(waiver)} is no longer needed, because its fault is gone: remove it from the RUN_WAIVERS file`,
    ),
    ...(isPartial(judged) ? [`only part of the cases was selected, but ${profile} needs all of them`] : []),
  ]
  const isTroubled = stopped.length === 0 && isTooMuchTrouble(requests)
  const reasons = [
    ...stopped,
    ...(isTroubled ? [`${troubleSentence(requests) ?? ''}: too many for a verdict`] : []),
    ...(isWhole ? unjudged(ofStatus('inconclusive'), 'could not be judged') : []),
    ...(profiles[profile].demandsEveryRule ? demanded : []),
  ]
  if (reasons.length > 0 || !isWhole || rules.some(wasJudged)) return reasons
  return ['no rule was judged']
}

/** Whether a rule was judged. A rule that is waived because it cannot be tested was not. */
function wasJudged({ status, findings }: VerdictRule) {
  return ['passed', 'warned', 'failed'].includes(status) || findings.length > 0
}

/** One sentence for each reason, with the names of rules or endpoints that share it. */
function unjudged(open: readonly (readonly [string, string | null])[], what: string) {
  const byReason = groupBy(open, ([, because]) => because ?? 'no reason is known')
  return [...byReason].map(
    ([reason, sharing]) => `${sharing.map(([name]) => name).join(', ')} ${what}: ${reason}`,
  )
}

/** `the waiver for quota/exhausted (agreed; Kim)`. */
export function waiverName(
  waiver: Pick<VerdictWaiver, 'rule' | 'fingerprint' | 'fingerprints' | 'reason' | 'owner'>,
): string {
  return `the waiver for ${waiverSubject(waiver)} (${waiver.reason}; ${waiver.owner})`
}

/** Shares of requests: retried requests for a sentence in headlines, and failed requests for an incomplete run. */
const shares = { told: 0.01, incomplete: 0.2 } as const

/** Whether too many requests were in trouble for a verdict. Requests refused because of their rate do not count. */
export function isTooMuchTrouble({ sent, retriedFor = {} }: Requests): boolean {
  return (countIn(retriedFor) - ratesIn(retriedFor)) / sent >= shares.incomplete
}

/** `87 of 400 requests (21 %) had to be sent again: 84 × 503, 3 × closed connection`; null if fewer than one in a hundred were affected. */
export function troubleSentence(requests: Requests): string | null {
  const { sent, retriedFor = {} } = requests
  const all = countIn(retriedFor)
  // Nothing was sent, or too little was retried to mention.
  if (!(all / sent >= shares.told)) return null
  const kinds = Object.entries(retriedFor)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, count]) => `${count} × ${name}`)
  const percent = Math.floor((all / sent) * 100)
  const told = `${all} of ${sent} requests (${percent} %) had to be sent again: ${kinds.join(', ')}`
  if (ratesIn(retriedFor) > 0)
    return `${told} (the service refused the rate of requests, so the run slowed down: set --max-rps)`
  return retriedFor['503'] === undefined ? told : `${told} (a 503 may be a rate limit: try --max-rps)`
}

function ratesIn(retriedFor: Readonly<Record<string, number>>) {
  return rateRefusals.reduce((sum, name) => sum + (retriedFor[name] ?? 0), 0)
}

function countIn(retriedFor: Readonly<Record<string, number>>) {
  return Object.values(retriedFor).reduce((sum, count) => sum + count, 0)
}
