import { moment, plural } from '../../text/counts.ts'
import { historyLine, type HistoryCause, type HistoryLine } from '../../verdict/history-line.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { changesBetween, isUnjudged, openIn, type RuleChange } from './changes.ts'
import { isJudgedIn, lastJudged, type LastJudged } from './last-judged.ts'

/** The state of a cause compared with an earlier run, in the order in which states are listed. */
export type CauseState = (typeof causeStates)[number]

/**
 * `fixed`: its finding was tested again and did not occur. `not seen`: it may not have been fixed, because a waiver now covers it,
 * its rule was not judged this time, it was intermittent, or it requires conditions that the later run did not send.
 */
const causeStates = ['new', 'still there', 'fixed', 'not seen'] as const

export interface CauseChange extends Omit<HistoryCause, 'fingerprint'> {
  readonly state: CauseState
  /** Its known findings. For an earlier run, the history keeps only one. */
  readonly fingerprints: readonly string[]
  /** Number of its rules other than the first, if known. */
  readonly otherRules: number
}

/** Changes between two runs against one target. */
export type CauseChanges = ReturnType<typeof causeChanges>

/** Causes that are new, still there, or gone since an earlier run. Two causes are the same if they share a finding or have the same sentence. */
export function causeChanges(before: HistoryLine, verdict: Verdict) {
  const after = historyLine(verdict)
  const changes = changesBetween(before, after)
  const present = verdict.causes.map((cause): CauseChange => {
    const { severity, warning, sentence, rules, fingerprints } = cause
    const [rule = '', ...others] = rules
    const state = hasCause(before, cause) ? 'still there' : 'new'
    return { state, severity, warning, sentence, rule, fingerprints, otherRules: others.length }
  })
  const causes = [...present, ...goneCauses(before, after, changes)]
  return {
    /** Ordered by state, then by severity. */
    causes: causeStates.flatMap((state) => causes.filter((one) => one.state === state)),
    /** Rules that were judged in the earlier run but not in the later one. */
    unjudged: changes
      .filter((one) => one.before !== null && !isUnjudged(one.before) && isUnjudged(one.after))
      .map(({ rule }) => rule),
  }
}

function goneCauses(
  before: HistoryLine,
  after: HistoryLine,
  changes: readonly RuleChange[],
): readonly CauseChange[] {
  const unsure = new Set([
    ...after.rules.flatMap((rule) => rule.waived ?? []),
    ...before.rules.flatMap((rule) => rule.intermittent),
  ])
  const byRule = new Map(changes.map((change) => [change.rule, change]))
  const stateOf = ({ fingerprint, rule }: HistoryCause): CauseState => {
    const { after: status = null, notAsked = [] } = byRule.get(rule) ?? {}
    const isUnsure = unsure.has(fingerprint) || notAsked.includes(fingerprint)
    return isUnsure || status === null || isUnjudged(status) ? 'not seen' : 'fixed'
  }
  return before.causes
    .map(({ fingerprint, ...cause }) => ({
      ...cause,
      state: stateOf({ fingerprint, ...cause }),
      fingerprints: [fingerprint],
      otherRules: 0,
    }))
    .filter((cause) => !hasCause(after, cause))
}

/** Whether a run has a cause, either because of a finding that no waiver covers or because of the cause's sentence. */
function hasCause(
  { rules, causes }: HistoryLine,
  { fingerprints, sentence }: Pick<CauseChange, 'fingerprints' | 'sentence'>,
): boolean {
  const known = new Set(rules.flatMap(openIn))
  return fingerprints.some((one) => known.has(one)) || causes.some((one) => one.sentence === sentence)
}

/** Consecutive runs that have a cause, up to the last such run, oldest first. Runs that did not judge its rule are skipped. */
export function streakOf(cause: CauseChange, runs: readonly HistoryLine[]): readonly HistoryLine[] {
  const judged = runs.filter((run) => isJudgedIn(run, cause.rule))
  const last = judged.findLastIndex((run) => hasCause(run, cause))
  const streak = judged.slice(0, last + 1)
  return streak.slice(streak.findLastIndex((run) => !hasCause(run, cause)) + 1)
}

/** Changes since the last comparable run, for a terminal; null if there is no such run, or if this run judged nothing. */
export function newsSentence(verdict: Verdict, earlier: readonly HistoryLine[]): string | null {
  const last = lastJudged(earlier, historyLine(verdict))
  if (verdict.rules.length === 0 || last === null) return null
  const { run, without } = last
  const since = without.length === 0 ? '' : `, ${plural(without.length, 'run')} without a verdict since`
  return `since ${lastRunName(last)} (${moment(run.startedAt)}, ${run.verdict}${since}): ${newsCounts(causeChanges(run, verdict))}`
}

/** `the last run`, or `the last run with a verdict` if later runs have no verdict. */
export function lastRunName({ without }: LastJudged): string {
  return without.length === 0 ? 'the last run' : 'the last run with a verdict'
}

/** `1 new cause, 2 still there, 1 fixed`; `nothing is new` if there are no changes. */
export function newsCounts({ causes, unjudged }: CauseChanges): string {
  const of = (wanted: CauseState): number => causes.filter(({ state }) => state === wanted).length
  const parts: readonly (readonly [number, string])[] = [
    [of('new'), plural(of('new'), 'new cause')],
    [of('still there'), `${of('still there')} still there`],
    [of('fixed'), `${of('fixed')} fixed`],
    [of('not seen'), `${of('not seen')} not seen this time`],
    [unjudged.length, `${plural(unjudged.length, 'rule')} no longer judged`],
  ]
  const told = parts.filter(([count]) => count > 0).map(([, text]) => text)
  return told.length === 0 ? 'nothing is new' : told.join(', ')
}
