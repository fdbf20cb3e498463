import type { RuleStatus } from '../judge/record.ts'
import { covers, isExpired, namedFingerprints, type Waiver } from '../settings/waivers.ts'
import { isSameSeries, type Circumstances, type HistoryLine } from './history-line.ts'
import { isPartial, type Verdict, type VerdictRule, type VerdictWaiver } from './verdict.ts'

/** The input that determines the effects of waivers. */
export interface Agreed {
  readonly waivers: readonly Waiver[]
  readonly today: string
  /** Earlier runs against any target, oldest first. They show which faults were never intermittent. */
  readonly earlier?: readonly HistoryLine[]
}

/** The waivers in a run, with their effects; pure. */
export function waiversOf(
  { waivers, today, earlier = [] }: Agreed,
  run: Circumstances & Pick<Verdict, 'rules'>,
): readonly VerdictWaiver[] {
  const lines = earlier.filter((line) => isLike(line, run)).map((line) => asAskedBy(line, run))
  const waived = run.rules.flatMap(waivedParts)
  return waivers.map((waiver) => {
    const { fingerprints = [] } = waiver
    const isUsed = (part: Waiver): boolean =>
      waived.some((one) => covers(part, one, today)) ||
      run.target.notJudged.some(({ fingerprint }) => coversEndpoint(part, fingerprint, today))
    const isGone = (part: Waiver): boolean =>
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
  const ofStatus = isUntested
    ? [
        {
          text: because,
          rule,
          fingerprint: null,
        },
      ]
    : followed
  return [...found, ...(status === 'waived' ? ofStatus : [])]
}

/** Whether a waiver names this endpoint by its fingerprint. A waiver for a whole rule does not cover unjudged endpoints. */
export function coversEndpoint(waiver: Waiver, fingerprint: string, today: string): boolean {
  const rule = 'endpoints/list-succeeds'
  return covers(waiver, { rule, fingerprint }, today) && !covers(waiver, { rule, fingerprint: null }, today)
}

type Judged = readonly { readonly id: string; readonly status: RuleStatus }[]

/**
 * Whether a waiver's fault is certainly gone, that is, it was steady in earlier runs and its rules have now passed completely.
 * False if the history is unknown.
 */
function isStale(waiver: Waiver, rules: Judged, earlier: readonly HistoryLine[]) {
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
  const passed = (judged: Judged): boolean =>
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
