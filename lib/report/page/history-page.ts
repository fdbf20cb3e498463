import type { RuleStatus } from '../../judge/record.ts'
import { andMore, capitalised, moment, plural } from '../../text/printable.ts'
import { withCodeNames } from '../../verdict/cause-sentence.ts'
import { historyLine, type HistoryLine } from '../../verdict/history-line.ts'
import { type Verdict, isPartial } from '../../verdict/verdict.ts'
import { previousFolder } from '../folder/reports-folder.ts'
import {
  causeChanges,
  circumstancesBetween,
  circumstanceTexts,
  isOfSeries,
  lastJudged,
  lastRunName,
  newsCounts,
  streakOf,
  type CauseChange,
  type CauseChanges,
  type CauseState,
  type LastJudged,
} from '../history/history.ts'
import { severityWords } from '../model/cause-view.ts'
import { shownText } from '../model/finding-view.ts'
import { askedAddress, exceptionCount, headlineWord } from '../model/headline.ts'
import type { View } from '../view.ts'
import { html, badge, factsMarkup, heroOf, icon, joined, listMarkup, pageShell, titled } from './shell.ts'

/** Maximum number of runs shown: a month of nightly runs. */
const mostRuns = 30
/** Maximum number of causes, and of names on a line. */
const mostCauses = 60
const mostNames = 20

/**
 * The `history.html` page: the outcome of the last runs, and the new, fixed and remaining causes since the last run. It also covers other runs, so it is never sealed.
 */
export function historyPage(view: View, earlier: readonly HistoryLine[], hasPrevious = false) {
  const { of: verdict, notice, look } = view
  const current = historyLine(verdict)
  const runs = [...earlier.filter((line) => isOfSeries(line, current)), current].slice(-mostRuns)
  const last = lastJudged(earlier, current)
  const changes = last === null ? null : causeChanges(last.run, verdict)
  const { target } = verdict
  const about = [nights(runs), facts(view, last, hasPrevious)]
  const main = html`${heroOf(look, headingOf(verdict, last, changes), about)}
  ${changes !== null && causeRows(changes, runs)}`
  return pageShell({
    name: 'Conformance history',
    title: `History: ${shownText(target.label ?? askedAddress(target))}`,
    notice,
    main,
    made: 'Made from the history in the reports folder. It is not part of the evidence.',
  })
}

function headingOf(verdict: Verdict, last: LastJudged | null, changes: CauseChanges | null) {
  if (verdict.verdict === 'error') return 'This run reached no verdict'
  if (last === null || changes === null) return 'No earlier run to compare with'
  return `Since ${lastRunName(last)}: ${newsCounts(changes)}`
}

/** The outcome of each run, oldest first. */
function nights(runs: readonly HistoryLine[]) {
  const slots = runs.map((run) => {
    const title = `${moment(run.startedAt)}: ${headlineWord(run)}`
    return html`<li title="${title}">${icon(toneOf(run))}<span class="sr">${title}</span></li>`
  })
  const days = [runs.at(0), runs.at(-1)].map((run) => (run?.startedAt ?? '').slice(0, 10)).join(' to ')
  return html`<ol class="nights" aria-label="The last ${plural(runs.length, 'run')}, oldest first">
      ${slots}
    </ol>
    <p class="faint">${shownText(days)}</p>`
}

/** A partial verdict is never green. */
function toneOf(run: HistoryLine): RuleStatus {
  if (run.verdict === 'nonconformant') return 'failed'
  if (run.verdict !== 'conformant' || isPartial(run)) return 'untested'
  return exceptionCount(run) > 0 ? 'warned' : 'passed'
}

/** The verdict of this run, the run with which it is compared, and other differences between the two. */
function facts(view: View, last: LastJudged | null, hasPrevious: boolean) {
  const { target, startedAt, profile, verdict } = view.of
  const before = last === null || last.run.target.build === target.build ? null : last.run.target.build
  const reasons = verdict === 'error' ? view.reasons.slice(0, mostNames) : []
  const others = last === null ? [] : circumstanceTexts(circumstancesBetween(last.run, historyLine(view.of)))
  return html`<p><a href="index.html">Report of this run</a>: ${capitalised(view.word)}: ${view.sentence}.</p>
    ${listMarkup([...reasons, ...view.cautions])}
    ${hasPrevious && html`<p><a href="${previousFolder}/index.html">Report of the run before</a></p>`}
    <p>
      <code>${view.subject}</code>${before === null ? '' : ` (build ${shownText(before)} before)`}, profile
      ${profile}
    </p>
    <p class="faint">This run: ${moment(startedAt)}. ${last !== null && lastRunLine(last)}</p>
    ${others.length > 0 && html`<p>Not only the service may have changed:</p>`} ${listMarkup(others)}`
}

/** The run used for comparison, and the dates of later runs without a verdict. */
function lastRunLine(last: LastJudged) {
  const { run, without } = last
  const dates = without.map(({ startedAt }) => html`${moment(startedAt)}`)
  return html`${capitalised(lastRunName(last).slice('the '.length))}: ${moment(run.startedAt)},
  ${headlineWord(run)}.
  ${dates.length > 0 && html`Without a verdict since: ${joined(dates, mostNames)}; each rule is compared with the last run that judged it.`}`
}

/** Appearance and wording of each state. For a cause that is present, the appearance depends on its severity. */
const looks: Readonly<Record<CauseState, readonly [tone: RuleStatus, words: string]>> = {
  new: ['failed', 'New'],
  'still there': ['failed', 'Still there'],
  fixed: ['passed', 'Fixed'],
  'not seen': ['inconclusive', 'Not seen this time, and not known to be fixed'],
}

function causeRows({ causes, unjudged }: CauseChanges, runs: readonly HistoryLine[]) {
  if (causes.length + unjudged.length === 0) return null
  const rows = causes.slice(0, mostCauses).map((cause) => causeRow(cause, runs))
  const more = causes.length - rows.length
  const names = unjudged.map((rule) => html`<code>${shownText(rule)}</code>`)
  return titled(
    'box',
    ['causes', 'Causes'],
    html`${factsMarkup(rows)} ${more > 0 && html`<p>${capitalised(andMore(more))}: see index.html.</p>`}
    ${names.length > 0 && html`<p>Rules no longer judged: ${joined(names, mostNames)}</p>`}`,
  )
}

function causeRow(cause: CauseChange, runs: readonly HistoryLine[]) {
  const { state, severity, warning, sentence, rule, otherRules } = cause
  const [tone, words] = looks[state]
  const look = warning && tone === 'failed' ? 'warned' : tone
  const others = otherRules === 0 ? '' : ` and ${plural(otherRules, 'more rule')}`
  return {
    label: badge(look, words),
    value: html`<p>
        ${capitalised(severityWords[severity])}${warning ? ', only a warning' : ''}:
        ${withCodeNames(shownText(sentence))}
      </p>
      <p class="faint">
        <a href="index.html#${shownText(rule)}">${shownText(rule)}</a>${others}${since(cause, runs)}
      </p>`,
  }
}

/** `, since 2026-11-20 02:00 UTC, build 42, 3 runs in a row`. For a cause that is gone, it also names the last run that had it. */
function since(cause: CauseChange, runs: readonly HistoryLine[]) {
  const streak = streakOf(cause, runs)
  const first = streak[0]
  const last = streak.at(-1)
  if (first === undefined || last === undefined) return ''
  const { target, startedAt } = first
  const least = first === runs[0] && runs.length > 1 ? 'at least ' : ''
  const build = target.build === null ? '' : `, build ${target.build}`
  const count = streak.length === 1 ? '1 run' : `${streak.length} runs in a row`
  const end = last === runs.at(-1) ? '' : `, until ${moment(last.startedAt)}`
  return shownText(`, since ${least}${moment(startedAt)}${build}${end}, ${count}`)
}
