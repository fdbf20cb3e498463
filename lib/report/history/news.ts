import type { Verdict } from '../../verdict/verdict.ts'
import { moment, plural } from '../../text/counts.ts'
import { causeChanges, type CauseChanges } from './cause-changes.ts'
import type { LastJudged } from './last-judged.ts'

/** What changed since the last comparable run, for a terminal; null without one, and for a run that judged nothing. */
export function newsSentence(verdict: Verdict, last: LastJudged | null): string | null {
  if (verdict.rules.length === 0 || last === null) return null
  const { run, without } = last
  const since = without.length === 0 ? '' : `, ${plural(without.length, 'run')} without a verdict since`
  return `since ${lastRunName(last)} (${moment(run.startedAt)}, ${run.verdict}${since}): ${newsCounts(causeChanges(run, verdict))}; see history.html`
}

/** `the last run`, or `the last run with a verdict` where later ones have none. */
export function lastRunName({ without }: LastJudged): string {
  return without.length === 0 ? 'the last run' : 'the last run with a verdict'
}

/** `1 new cause, 2 still there, 1 fixed`; `nothing is new` if there is none of these. */
export function newsCounts({ appeared, remaining, gone, unjudged }: CauseChanges): string {
  const of = (how: string): number => gone.filter((one) => one.how === how).length
  const others = gone.length - of('fixed')
  const parts = [
    ...(appeared.length === 0 ? [] : [plural(appeared.length, 'new cause')]),
    ...(remaining.length === 0 ? [] : [`${remaining.length} still there`]),
    ...(of('fixed') === 0 ? [] : [`${of('fixed')} fixed`]),
    ...(others === 0 ? [] : [`${others} waived, or not met or judged this time`]),
    ...(unjudged === 0 ? [] : [`${plural(unjudged, 'rule')} not judged any more`]),
  ]
  return parts.length === 0 ? 'nothing is new' : parts.join(', ')
}
