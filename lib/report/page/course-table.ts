import type { RuleStatus } from '../../judge/record.ts'
import type { HistoryLine, HistoryRule } from '../../verdict/history-line.ts'
import { coursesOf, isOnlySometimes, type Course, type RuleCourse } from '../history/courses.ts'
import { html, nothing, type Markup } from '../render/markup.ts'
import { bodyOf, tableOf, titled } from '../render/parts.ts'
import { short } from '../model/document.ts'
import { moment, plural } from '../../text/counts.ts'

/** Maximum rules in the table. */
const mostRules = 60

/** Table of the rules that failed in any run: how often, and each run by date, with marks where the build changed. */
export function courseTable(runs: readonly HistoryLine[]): Markup {
  const courses = coursesOf(runs)
  if (courses.length === 0) return nothing
  const builds = buildChanges(runs)
  const columns = runs.map(({ startedAt }, place) => runHead(startedAt, builds[place] ?? null))
  const more = courses.length - mostRules
  const body = bodyOf(courses.slice(0, mostRules).map((one) => courseRow(one, builds)))
  return titled(
    'courses',
    ['courses', `Rules that failed in the last ${plural(runs.length, 'run')}`],
    html`<p class="faint">${legend}</p>
      <div class="card scrolls" tabindex="0" role="region" aria-label="Results by run">
        ${tableOf('list', [['Rule', ...columns.toReversed()], body])}
      </div>
      ${more > 0 ? html`<p>${plural(more, 'more rule')} in the history.</p>` : nothing}
      ${buildList(runs, builds)}`,
  )
}

const legend =
  'Newest run first. ✗ failed, ~ failed on some tries only, ✓ passed, ! warned, w waived, – not judged.'

/** For each run the number of the change of the build that it began with, or null. */
function buildChanges(runs: readonly HistoryLine[]): readonly (number | null)[] {
  const changed = runs.map(({ target }, place) => {
    const before = runs[place - 1]
    return before !== undefined && before.target.build !== target.build
  })
  return changed.map((is, place) => (is ? changed.slice(0, place + 1).filter(Boolean).length : null))
}

function runHead(startedAt: string, mark: number | null): Markup {
  const [day, time] = [short(startedAt.slice(5, 10)), short(startedAt.slice(11, 16))]
  return html`<th scope="col" class="${mark === null ? 'run' : 'run marked'}">
    <time datetime="${short(startedAt)}">${day} <span class="faint">${time}</span></time>
    ${mark === null ? nothing : html`<p><strong>▲${mark}</strong><span class="sr"> another build</span></p>`}
  </th>`
}

function buildList(runs: readonly HistoryLine[], builds: readonly (number | null)[]): Markup {
  const items = builds.flatMap((mark, place) => {
    const [run, before] = [runs[place], runs[place - 1]]
    if (mark === null || run === undefined || before === undefined) return []
    const [from, to] = [before.target.build, run.target.build].map((build) => short(build ?? 'not named'))
    return [html`<li>▲${mark} ${moment(run.startedAt)}: ${from ?? ''} → ${to ?? ''}</li>`]
  })
  if (items.length === 0) return nothing
  return html`<h3>Where the build changed</h3>
    <ul class="builds">
      ${items}
    </ul>`
}

function courseRow({ rule, cells, course }: RuleCourse, builds: readonly (number | null)[]): Markup {
  return html`<tr>
    <th scope="row">
      <a href="index.html#${short(rule)}">${short(rule)}</a>
      <p class="course">${courseText(course)}</p>
    </th>
    ${cells.map((cell, place) => cellMarkup(cell, builds[place] ?? null)).toReversed()}
  </tr>`
}

/** A course in words, with the rate of what fails sometimes. */
function courseText(course: Course): string {
  switch (course.kind) {
    case 'always':
      return `Always since ${moment(course.since)}`
    case 'recovered':
      return `Recovered: passes since ${moment(course.since)}`
    case 'sometimes': {
      const { red, judged, interval } = course
      const [low, high] = interval.map((bound) => Math.round(100 * bound))
      return `Sometimes: in ${red} of ${plural(judged, 'run')}, with 95 % confidence in ${low} to ${high} of 100`
    }
  }
}

const signs: Readonly<Record<RuleStatus, string>> = {
  passed: '✓',
  failed: '✗',
  warned: '!',
  waived: 'w',
  inconclusive: '–',
  untested: '–',
}

function cellMarkup(cell: HistoryRule | null, mark: number | null): Markup {
  const marked = mark === null ? '' : ' marked'
  if (cell === null) return html`<td class="untested${marked}"><span class="sr">absent</span></td>`
  const isSometimes = isOnlySometimes(cell)
  const word = isSometimes ? 'failed on some tries' : cell.status
  return html`<td class="${cell.status}${marked}">
    <span aria-hidden="true">${isSometimes ? '~' : signs[cell.status]}</span><span class="sr">${word}</span>
  </td>`
}
