import type { Verdict } from '../../verdict/verdict.ts'
import { moment, plural } from '../../text/counts.ts'
import { causeChanges, type CauseChanges, type CauseState } from './cause-changes.ts'
import type { LastJudged } from './last-judged.ts'

/** Changes since the last comparable run, for a terminal; null if there is no such run, or if this run judged nothing. */
export function newsSentence(verdict: Verdict, last: LastJudged | null): string | null {
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
  const of = (...states: readonly CauseState[]): number =>
    causes.filter(({ state }) => states.includes(state)).length
  const parts: readonly (readonly [number, string])[] = [
    [of('new'), plural(of('new'), 'new cause')],
    [of('still there'), `${of('still there')} still there`],
    [of('fixed'), `${of('fixed')} fixed`],
    [of(...others), `${of(...others)} waived, not seen or not judged this time`],
    [unjudged.length, `${plural(unjudged.length, 'rule')} no longer judged`],
  ]
  const told = parts.filter(([count]) => count > 0).map(([, text]) => text)
  return told.length === 0 ? 'nothing is new' : told.join(', ')
}

const others = ['waived', 'not met', 'not judged', 'not asked'] as const
