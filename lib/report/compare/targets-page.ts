import { capitalised, moment, plural } from '../../text/counts.ts'
import { statuses } from '../../verdict/verdict.ts'
import { withCodeNames } from '../model/codes.ts'
import { shownText } from '../model/finding-view.ts'
import { heroOf, pageShell } from '../page/shell.ts'
import { html, nothing, type Markup } from '../render/markup.ts'
import { bodyOf, icon, joined, rowsOf, ruleHead, tableOf, titled } from '../render/parts.ts'
import type { TargetRow } from './target-row.ts'
import { ageOf, countsOf, type TargetsComparison } from './targets.ts'

/** Maximum number of targets named in the header or next to a rule. */
const mostNamed = 20
/** Maximum number of targets in a matrix of rules by target. */
const widestMatrix = 50

/** Many targets as a self-contained page without scripts: the outcome, one line per target, then rules by target or the rules that fail anywhere. */
export function targetsPage(comparison: TargetsComparison): string {
  const { rows, outcome, counts, now, got } = comparison
  const told = html`<p>${capitalised(outcome)}</p>
    ${worseList('Worse', got.worse, rows)} ${worseList('Without a verdict', got.missing, rows)}`
  const lines = bodyOf(rows.map((row, index) => targetRow(row, index + 1, now)))
  const name = 'Conformance of many targets'
  const main = html`${heroOf(comparison.worse ? 'failed' : 'passed', counts, told)}
  ${titled(null, ['targets', `${plural(rows.length, 'target')}, worst first`], tableOf('targets stacked', [columns, lines]))}
  ${rows.length > widestMatrix ? failingTable(comparison) : matrix(comparison)}`
  return pageShell({
    name,
    title: `${name}: ${outcome}`,
    main,
    kind: 'wide',
  })
}

function worseList(title: string, worse: readonly TargetRow[], rows: readonly TargetRow[]): Markup {
  if (worse.length === 0) return nothing
  const links = worse.map(
    (row) => html`<a href="#target-${rows.indexOf(row) + 1}">${shownText(row.name)}</a>`,
  )
  return html`<p>${title}: ${joined(links, mostNamed)}</p>`
}

const columns = ['Target', 'Verdict', 'Gravest cause', 'Rules', 'Against its last run', 'Age']

function targetRow(row: TargetRow, number: number, now: Date): Markup {
  const { tone, word, subject, reason } = row
  const started = shownText(row.startedAt ?? '')
  const [what, when] = row.change
  const age = ageOf(row, now)
  return html`<tr id="target-${number}">
    <th scope="row">
      <span class="faint">${number}</span> ${linkTo(row)}
      ${subject === null ? nothing : html`<p class="faint">${subject}</p>`}
    </th>
    <td><span class="badge ${tone}">${icon(tone)}${word}</span></td>
    <td>${reason === null ? nothing : withCodeNames(shownText(reason))}</td>
    <td>${countsOf(row) ?? nothing}</td>
    <td>
      ${row.worse && when !== null ? html`<strong class="toned failed">${what}</strong>` : what}${when === null ? nothing : html` <span class="faint">${when}</span>`}
    </td>
    <td>
      ${age === null ? nothing : html`<time datetime="${started}" title="${moment(started)}">${age}</time>`}
    </td>
  </tr>`
}

/** The name of a target, with a link to its page or to a rule on that page. */
function linkTo({ name, path, report }: TargetRow, rule = ''): Markup {
  if (report === null) return html`${shownText(name)}`
  const fragment = rule === '' || report === 'verdict.json' ? '' : `#${encodeURI(rule)}`
  return html`<a href="${`${path}/${report}`.split('/').map(encodeURIComponent).join('/')}${fragment}"
    >${shownText(name)}</a
  >`
}

/** Rules that did not pass everywhere, by target, as icons. */
function matrix({ rows, judged: targets, rules, passed }: TargetsComparison): Markup {
  if (targets.length === 0) return nothing
  const heads = targets.map((row) => {
    const number = rows.indexOf(row) + 1
    return html`<th scope="col">
      <a href="#target-${number}"><span class="upright">${shownText(row.name)}</span>${number}</a>
    </th>`
  })
  const differing = rules.filter((one) => one.passed < targets.length)
  const signs = differing.map(({ rule, says }) => {
    const cells = targets.map((row) => {
      const status = row.rules.get(rule)?.status
      return html`<td>
        ${status === undefined ? nothing : icon(status)}<span class="sr">${status ?? 'absent'}</span>
      </td>`
    })
    return [ruleHead(rule, says), ...cells]
  })
  const table = html`<p>
      ${statuses.map((status) => html`<span class="${status}">${icon(status)}${status}</span> `)}
    </p>
    <div class="scrolls" tabindex="0" role="group" aria-labelledby="matrix">
      ${tableOf('signs', [['Rule', ...heads], rowsOf(signs)])}
    </div>`
  return titled(
    null,
    ['matrix', 'Rule by target'],
    [differing.length === 0 ? nothing : table, html`<p>${passed}</p>`],
  )
}

/** Rules that fail for any target, each with the first few targets affected. */
function failingTable(comparison: TargetsComparison): Markup {
  const byName = new Map(comparison.rows.map((row) => [row.name, row]))
  const rows = comparison.failing.map(({ rule, says, failed }) => {
    const where = failed.map((name) => {
      const row = byName.get(name)
      return row === undefined ? nothing : linkTo(row, rule)
    })
    return [
      ruleHead(rule, says),
      html`<td data-label="Targets">${failed.length}</td>`,
      html`<td>${joined(where, mostNamed)}</td>`,
    ]
  })
  const heads = ['Rule', 'Targets', 'Where']
  return titled(
    null,
    ['failing', 'Rules that fail anywhere'],
    [
      rows.length === 0 ? nothing : tableOf('stacked', [heads, rowsOf(rows)]),
      html`<p>${comparison.passed}</p>`,
    ],
  )
}
