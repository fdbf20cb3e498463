import type { Cause } from '../../explain/causes.ts'
import { historyLine, type HistoryLine } from '../../verdict/history-line.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { severityWords } from '../model/cause-text.ts'
import { withCodeNames } from '../model/codes.ts'
import {
  askedAddress,
  embeddedNotice,
  headlineWord,
  otherReasons,
  verdictSentence,
} from '../model/headline.ts'
import { causeChanges, type CauseChanges, type Departure, type GoneCause } from '../history/cause-changes.ts'
import { changesBetween, otherCircumstances, type ChangeKind } from '../history/changes.ts'
import { lastJudged, type LastJudged } from '../history/last-judged.ts'
import { lastRunName, newsCounts } from '../history/news.ts'
import { toneOfVerdict } from '../render/icons.ts'
import { html, nothing, type Markup } from '../render/markup.ts'
import { subjectName, joined, listMarkup, titled } from '../render/parts.ts'
import { short } from '../model/document.ts'
import { visible } from '../../text/visible.ts'
import { andMore, capitalised, moment, plural } from '../../text/counts.ts'
import { courseTable } from './course-table.ts'
import { comparableRuns, ledger, trends } from './runs.ts'
import { heroOf, pageHead, pageShell, styleSheets } from './shell.ts'

const style = styleSheets(import.meta.url, ['./history.css'])
/** Maximum causes in a list, and names in a line. */
const mostCauses = 30
const mostNames = 20

/**
 * Page `history.html`: what is new, fixed and still there since the last run, then the rules that failed over time, then every run.
 * It tells of other runs, so it is never sealed.
 */
export function historyPage(
  verdict: Verdict,
  earlier: readonly HistoryLine[],
  keptStart: string | null = null,
): string {
  const current = historyLine(verdict)
  const runs = comparableRuns(earlier, current)
  const last = lastJudged(runs.slice(0, -1).toReversed(), current)
  const previous = last?.run ?? null
  const changes = previous === null ? null : causeChanges(previous, verdict)
  const { target } = verdict
  const body = html`${pageHead('Conformance history', ['news', 'what is new'])}
    <main id="main">
      ${target.embedded ? html`<p class="embedded">${embeddedNotice}</p>` : nothing}
      ${head(verdict, last, changes)} ${changes === null ? nothing : changeSections(changes, runs)}
      ${previous === null ? nothing : ruleChanges(previous, current, verdict)} ${courseTable(runs)}
      ${ledger(runs, keptStart)}
      ${runs.length < 2 ? nothing : html`<section class="trends">${trends(runs)}</section>`}
    </main>
    <footer><p>Made from the history of the reports folder. No archive seals this page.</p></footer>`
  const title = `History: ${short(target.label ?? askedAddress(target))}`
  return pageShell({ title, body, script: false, style })
}

/** What is new in a sentence, the verdict of this run, and what besides the target is not as in the last run. */
function head(verdict: Verdict, last: LastJudged | null, changes: CauseChanges | null): Markup {
  const previous = last?.run ?? null
  const tone = toneOfVerdict(verdict)
  const { target, startedAt } = verdict
  const build = previous === null || previous.target.build === target.build ? null : previous.target.build
  const reasons = verdict.verdict === 'error' ? otherReasons(verdict).slice(0, mostNames) : []
  return heroOf(
    tone,
    ['news', headlineOf(verdict, last, changes)],
    html`<p>
        <a href="index.html">Report of this run</a>: ${capitalised(headlineWord(verdict))}:
        ${verdictSentence(verdict)}.
      </p>
      ${listed(reasons)}
      <p class="target">
        ${subjectName(target)}${build === null ? nothing : html`(build ${short(build)} before) `}<code>${short(askedAddress(target))}</code>,
        profile ${verdict.profile}
      </p>
      <p class="faint">This run: ${moment(startedAt)}. ${last === null ? nothing : lastRunLine(last)}</p>
      ${previous === null ? nothing : circumstances(previous, verdict)}`,
  )
}

/** The run that this one is compared with, and those since that came to no verdict, by date. */
function lastRunLine(last: LastJudged): Markup {
  const { run, without } = last
  const dates = without.map(({ startedAt }) => moment(startedAt))
  const more = dates.length - mostNames
  const others = `${dates.slice(0, mostNames).join(', ')}${more > 0 ? ` ${andMore(more)}` : ''}`
  return html`${capitalised(lastRunName(last).slice('the '.length))}: ${moment(run.startedAt)},
  ${headlineWord(run)}.
  ${dates.length === 0 ? nothing : html`Without a verdict since: ${others}; each rule is compared with the last run that judged it.`}`
}

function headlineOf(verdict: Verdict, last: LastJudged | null, changes: CauseChanges | null): string {
  if (verdict.verdict === 'error') return 'This run came to no verdict'
  if (last === null || changes === null) return 'No earlier run to compare with'
  return `Since ${lastRunName(last)}: ${newsCounts(changes)}`
}

function circumstances(previous: HistoryLine, verdict: Verdict): Markup {
  const others = otherCircumstances(previous, historyLine(verdict))
  if (others.length === 0) return nothing
  return html`<p>Not only the service may have changed:</p>
    ${listed(others)}`
}

function listed(texts: readonly string[]): Markup {
  return listMarkup(texts.map((text) => html`<li>${short(text)}</li>`))
}

const departures: Readonly<Record<Departure, string>> = {
  fixed: 'Fixed since the last run',
  waived: 'Waived since the last run',
  'not judged': 'Not judged this time',
  'not met': 'Not met this time: it came only sometimes',
  'not asked': 'Not asked this time: the request needs conditions that this run did not send',
}

const departureOrder = ['fixed', 'waived', 'not met', 'not judged', 'not asked'] as const

function changeSections(changes: CauseChanges, runs: readonly HistoryLine[]): readonly Markup[] {
  const { appeared, remaining, gone } = changes
  const since = (cause: Cause): string => redSince(cause, runs)
  const ways = departureOrder.map((how) => ({
    how,
    own: gone.filter((one) => one.how === how),
  }))
  return [
    causeList(
      'new',
      'New since the last run',
      appeared.map((cause) => causeItem(cause, '')),
    ),
    causeList(
      'still',
      'Still there',
      remaining.map((cause) => causeItem(cause, since(cause))),
    ),
    ...ways.map(({ how, own }) => causeList(how.replace(' ', '-'), departures[how], own.map(goneItem))),
  ]
}

function causeList(id: string, title: string, items: readonly Markup[]): Markup {
  if (items.length === 0) return nothing
  const more = items.length - mostCauses
  return titled(
    `changes ${id}`,
    [id, `${title} (${items.length})`],
    html`${listMarkup(items.slice(0, mostCauses))}
    ${more > 0 ? html`<p>${plural(more, 'more cause')}: see index.html.</p>` : nothing}`,
  )
}

function causeItem({ severity, warning, sentence, rules }: Cause, since: string): Markup {
  const [rule = '', ...others] = rules
  const more = others.length === 0 ? '' : ` and ${plural(others.length, 'more rule')}`
  return html`<li>
    <p class="severity ${warning ? 'warned' : 'failed'}">
      ${capitalised(severityWords[severity])}${warning ? ', only a warning' : ''}
    </p>
    <p>${withCodeNames(short(visible(sentence)))}</p>
    <p class="faint"><a href="index.html#${rule}">${rule}</a>${more}${since}</p>
  </li>`
}

function goneItem({ severity, sentence, rule }: GoneCause): Markup {
  return html`<li>
    <p class="severity passed">${capitalised(severityWords[severity])}</p>
    <p>${withCodeNames(short(visible(sentence)))}</p>
    <p class="faint"><a href="index.html#${short(rule)}">${short(rule)}</a></p>
  </li>`
}

/** `; its rule fails since 2026-11-20 02:00 UTC, in 3 runs`: the runs in a row in which a rule of a cause was not green. */
function redSince({ rules: [rule] }: Cause, runs: readonly HistoryLine[]): string {
  const isRed = (run: HistoryLine): boolean =>
    run.rules.some(({ id, status }) => id === rule && (status === 'failed' || status === 'warned'))
  const place = runs.findLastIndex((run) => !isRed(run)) + 1
  const first = runs[place]
  if (first === undefined) return ''
  const least = place === 0 ? 'at least ' : ''
  return `, not passed since ${least}${moment(first.startedAt)}, ${plural(runs.length - place, 'run')}`
}

/** Words of changes of rules that causes do not tell. */
const otherKinds: readonly (readonly [ChangeKind, string])[] = [
  ['worse', 'Worse, or not judged any more'],
  ['better', 'Better, or judged again'],
  ['vanished', 'No longer in the run'],
  ['appeared', 'New in the run'],
  ['changed', 'Came out otherwise'],
]

function ruleChanges(previous: HistoryLine, run: HistoryLine, { rules }: Verdict): Markup {
  if (rules.length === 0) return nothing
  const changes = changesBetween(previous, run)
  const items = otherKinds.flatMap(([kind, words]) => {
    const named = changes.filter((one) => one.kind === kind)
    const told = named.map(({ rule, before, after }) => {
      const course = before === after ? '' : ` (${before ?? 'absent'} before, ${after ?? 'absent'} now)`
      return html`<code>${short(rule)}</code>${course}`
    })
    return named.length === 0 ? [] : [html`<li><strong>${words}:</strong> ${joined(told, mostNames)}</li>`]
  })
  if (items.length === 0) return nothing
  return html`<details class="more">
    <summary>Rules that changed besides</summary>
    ${listMarkup(items)}
  </details>`
}
