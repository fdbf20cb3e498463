import { rateRefusals, type Finding, type RuleStatus } from '../judge/record.ts'
import { profiles } from '../settings/profiles.ts'
import { waiverSubject, covers, isExpired, namedFingerprints, type Waiver } from '../settings/waivers.ts'
import type { Level } from '../specification/rules.ts'
import { groupBy } from '../text/members.ts'
import { openFindings } from './causes.ts'
import { isSameSeries, type Circumstances, type HistoryLine, type HistoryRule } from './history-line.ts'
import { isPartial, type Verdict, type VerdictRule, type VerdictWaiver } from './verdict.ts'

/** The parts of a verdict that determine its word. */
export type Judged = Pick<Verdict, 'profile' | 'selection' | 'target' | 'rules' | 'waivers'> & {
  readonly requests: Requests
}

/** The number of requests in a verdict, and the reasons for its retries. */
type Requests = Pick<Verdict['requests'], 'sent' | 'retriedFor'>

/** Events of a run, apart from its results. */
export type Mishaps = Readonly<{
  /** Why the run ended early, or null. */
  ended: string | null
  /** Failures in the suite itself. */
  suiteErrors?: readonly string[]
  /** Mistakes in the user's rules. */
  ownErrors?: readonly string[]
}>

type Conclusion = Pick<Verdict, 'verdict' | 'exitCode' | 'because'>

/** The verdict's word, its exit code, and one sentence for each reason why the run is not conformant; pure. The README lists the exit codes. */
export function conclude(judged: Judged, { ended, suiteErrors = [], ownErrors = [] }: Mishaps): Conclusion {
  const failed = judged.rules.filter(({ status }) => status === 'failed')
  const violated = failed.filter(({ level }) => level !== 'expectation').map(violationOf)
  const mistaken = failed.filter(({ level }) => level === 'expectation')
  const blaming = (whose: Finding['blames']) => mistaken.flatMap((rule) => mistakesIn(rule, whose))
  const ofSuite = [...suiteErrors, ...blaming('suite')].map((mishap) => `the suite itself failed: ${mishap}`)
  const ofEndpointsFile = blaming('endpoints-file').map(
    (what) => `TARGET_ENDPOINTS expects something that the specification does not promise: ${what}`,
  )
  const errors = [...ofSuite, ...ownErrors, ...ofEndpointsFile]
  const stopped = ended === null ? [] : [`${endedEarly}${ended}`]
  const missing = incompleteness(judged, stopped, ended === null && errors.length === 0)
  const because = [...errors, ...violated, ...missing]
  if (errors.length > 0)
    return {
      verdict: 'error',
      exitCode: ofSuite.length > 0 ? 4 : 2,
      because,
    }
  if (violated.length > 0) return { verdict: 'nonconformant', exitCode: 1, because }
  if (missing.length > 0) return { verdict: 'incomplete', exitCode: 3, because }
  return { verdict: 'conformant', exitCode: 0, because }
}

/** How the reason begins if a run ended early. This is part of the `verdict.json` format. */
export const endedEarly = 'the run ended early: '

/** Derives a verdict's conclusion again from its contents. If the run ended early, the reason is taken from the verdict. */
export function concludeAgain(verdict: Verdict) {
  const reason = verdict.because.find((one) => one.startsWith(endedEarly))
  return conclude(verdict, { ended: reason?.slice(endedEarly.length) ?? null })
}

/** The status of a rule with unwaived findings. A breach of an implied rule only warns, unless the run is strict. */
export function statusOfBreach(level: Level, open: VerdictRule['findings'], strict: boolean) {
  const isImplied = level === 'implied' && !strict
  return isImplied || open.every(({ warning }) => warning === true) ? 'warned' : 'failed'
}

/** What the suite or the endpoints file expects wrongly. A finding that blames neither is attributed to the suite. */
function mistakesIn(rule: VerdictRule, whose: Finding['blames']) {
  const open = openFindings(rule)
  if (open.length === 0 && whose === 'suite') return [rule.id]
  const own = open.filter(({ blames = 'suite' }) => blames === whose)
  return own.map(({ summary }) => `${rule.id}: ${summary}`)
}

/** The sentence in a verdict about a failed rule. */
export function violationOf(rule: Pick<VerdictRule, 'id' | 'findings'>) {
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
  const endpoints = target.notJudged
    .filter(({ waived }) => waived === undefined)
    .map((one) => ({ ...one, id: `${one.endpoint} (fingerprint ${one.fingerprint})` }))
  const ofStatus = (wanted: RuleStatus) => documented.filter(({ status }) => status === wanted)
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
  const trouble = troubleIn(requests)
  const isTroubled = stopped.length === 0 && trouble.isTooMuch
  const reasons = [
    ...stopped,
    ...(isTroubled ? [`${trouble.says ?? ''}: too many for a verdict`] : []),
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
function unjudged(open: readonly Readonly<{ id: string; because: string | null }>[], what: string) {
  const byReason = groupBy(open, ({ because }) => because ?? 'no reason is known')
  return [...byReason].map(([reason, all]) => `${all.map(({ id }) => id).join(', ')} ${what}: ${reason}`)
}

/** `the waiver for quota/exhausted (agreed; Kim)`. */
export function waiverName(
  waiver: Pick<VerdictWaiver, 'rule' | 'fingerprint' | 'fingerprints' | 'reason' | 'owner'>,
) {
  return `the waiver for ${waiverSubject(waiver)} (${waiver.reason}; ${waiver.owner})`
}

/** Shares of requests: retried requests for a sentence in headlines, and failed requests for an incomplete run. */
const shares = { told: 0.01, incomplete: 0.2 } as const

/**
 * The trouble of a run: `87 of 400 requests (21 %) had to be sent again: 84 × 503, 3 × closed connection`, null if fewer than one
 * in a hundred were affected; and whether it is too much for a verdict. Requests refused because of their rate do not count there.
 */
export function troubleIn({ sent, retriedFor = {} }: Requests) {
  const kinds = Object.entries(retriedFor).toSorted(([, a], [, b]) => b - a)
  const countOf = (some: typeof kinds) => some.reduce((sum, [, count]) => sum + count, 0)
  const all = countOf(kinds)
  const rates = countOf(kinds.filter(([name]) => rateRefusals.includes(name)))
  const isTooMuch = (all - rates) / sent >= shares.incomplete
  // Nothing was sent, or too little was retried to mention.
  if (!(all / sent >= shares.told)) return { says: null, isTooMuch }
  const slowed = ' (the service refused the rate of requests, so the run slowed down: set --max-rps)'
  const limit = retriedFor['503'] === undefined ? '' : ' (a 503 may be a rate limit: try --max-rps)'
  const named = kinds.map(([name, count]) => `${count} × ${name}`).join(', ')
  const share = `${all} of ${sent} requests (${Math.floor((all / sent) * 100)} %)`
  return { says: `${share} had to be sent again: ${named}${rates > 0 ? slowed : limit}`, isTooMuch }
}

/** The input that determines the effects of waivers. */
export type Agreed = Readonly<{
  waivers: readonly Waiver[]
  today: string
  /** Earlier runs against any target, oldest first. They show which faults were never intermittent. */
  earlier?: readonly HistoryLine[]
}>

/** The waivers in a run, with their effects; pure. */
export function waiversOf(
  { waivers, today, earlier = [] }: Agreed,
  run: Circumstances & Pick<Verdict, 'rules'>,
): readonly VerdictWaiver[] {
  const lines = earlier.filter((line) => isLike(line, run)).map((line) => asAskedBy(line, run))
  const waived = run.rules.flatMap(waivedParts)
  return waivers.map((waiver) => {
    const { fingerprints = [] } = waiver
    const isUsed = (part: Waiver) =>
      waived.some((one) => covers(part, one, today)) ||
      run.target.notJudged.some(({ fingerprint }) => coversEndpoint(part, fingerprint, today))
    const isGone = (part: Waiver) =>
      !isExpired(part, today) && !isUsed(part) && isStale(part, run.rules, lines)
    const gone = fingerprints.filter((one) => isGone({ ...waiver, fingerprints: [one] }))
    const whole = fingerprints.length === 0 ? isGone(waiver) : gone.length === fingerprints.length
    return {
      ...waiver,
      expired: isExpired(waiver, today),
      used: isUsed(waiver),
      ...(whole ? { gone: true } : gone.length > 0 ? { goneFingerprints: gone } : {}),
    }
  })
}

/** The parts of a rule that waivers cover, and their reasons: its waived findings, and either the breaches from which it follows or its untested status. */
export function waivedParts({ id: rule, status, because, findings, follows = [] }: VerdictRule) {
  const found = findings.flatMap(({ waived: text, fingerprint }) =>
    text === undefined ? [] : [{ text, rule, fingerprint }],
  )
  const followed = follows.map((breach) => ({ text: because, ...breach }))
  const isUntested = found.length + followed.length === 0
  const ofStatus = isUntested ? [{ text: because, rule, fingerprint: null }] : followed
  return [...found, ...(status === 'waived' ? ofStatus : [])]
}

/** Whether a waiver names this endpoint by its fingerprint. A waiver for a whole rule does not cover unjudged endpoints. */
export function coversEndpoint(waiver: Waiver, fingerprint: string, today: string) {
  const rule = 'endpoints/list-succeeds'
  return covers(waiver, { rule, fingerprint }, today) && !covers(waiver, { rule, fingerprint: null }, today)
}

type Statuses = readonly Pick<HistoryRule, 'id' | 'status'>[]

/**
 * Whether a waiver's fault is certainly gone, that is, it was steady in earlier runs and its rules have now passed completely.
 * False if the history is unknown.
 */
function isStale(waiver: Waiver, rules: Statuses, earlier: readonly HistoryLine[]) {
  const named = namedFingerprints(waiver)
  const runs = earlier.map(({ rules: judged }) => ({
    judged,
    met: judged.flatMap(({ id, fingerprints, intermittent, unconfirmed = [] }) => {
      if (waiver.rule !== null && id !== waiver.rule) return []
      const found = fingerprints.filter((one) => named?.includes(one) ?? true)
      const isSteady = !found.some((one) => [...intermittent, ...unconfirmed].includes(one))
      return found.length === 0 ? [] : [{ id, isSteady }]
    }),
  }))
  const met = runs.flatMap((run) => run.met)
  const passed = (judged: Statuses) =>
    met.every(({ id }) => judged.find((rule) => rule.id === id)?.status === 'passed')
  const course = runs.flatMap((run) => (run.met.length > 0 ? ['met'] : passed(run.judged) ? ['not met'] : []))
  const gone = course.indexOf('not met', course.indexOf('met'))
  const cameBack = gone !== -1 && course.lastIndexOf('met') > gone
  return met.length > 0 && met.every(({ isSteady }) => isSteady) && passed(rules) && !cameBack
}

/** Whether an earlier run sent exactly the same cases to the same target, so that its findings would recur. */
function isLike(line: HistoryLine, run: Circumstances) {
  const isSameCases = line.seed === run.seed && line.fuzzCases === run.fuzzCases
  return !isPartial(run) && isSameCases && isSameSeries(line, run)
}

/** An earlier run. If a different version of the suite may have sent conditions differently, findings that require conditions are omitted. */
function asAskedBy(line: HistoryLine, { suite }: Circumstances): HistoryLine {
  if (line.suite.version === suite.version) return line
  const rules = line.rules.map(({ underConditions = [], ...rule }) => ({
    ...rule,
    fingerprints: rule.fingerprints.filter((one) => !underConditions.includes(one)),
  }))
  return { ...line, rules }
}
