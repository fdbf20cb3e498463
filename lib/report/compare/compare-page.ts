import { capitalised, moment, plural } from '../../text/printable.ts'
import { withCodeNames } from '../../verdict/cause-sentence.ts'
import { shownText } from '../model/finding-view.ts'
import {
  badge,
  heroOf,
  listMarkup,
  pageShell,
  rowsOf,
  ruleHead,
  tableOf,
  titled,
  bodyOf,
  joined,
  html,
} from '../page/shell.ts'
import type { Comparison } from './comparison.ts'
import type { AgedRow, TargetsComparison } from './targets.ts'

const title = 'Conformance compared'

/** A comparison as a self-contained page without scripts: the outcome, the rules by target, then each run compared with the first. */
export function comparisonPage(comparison: Comparison) {
  const { worse, outcome, runs, differences } = comparison
  const noted = ({ text, under }: Pick<Comparison['runs'][number], 'text' | 'under'>) =>
    html`${text}${under.map((one) => html`<p>${one}</p>`)}`
  const main = html`${heroOf(worse ? 'failed' : 'passed', capitalised(outcome), null)}
  ${rulesByRun(comparison)} ${titled(null, ['runs', 'Runs'], listMarkup(runs.map(noted), 'ol'))}
  ${differences.map(({ title: name, lines, circumstances, groups }, place) =>
    titled(
      null,
      [`runs-${place + 1}`, name],
      [
        ...lines.map((line) => html`<p>${line}</p>`),
        listMarkup(circumstances),
        ...groups.map(
          (group) =>
            html`<div>
              <h3>${capitalised(group.title)}</h3>
              ${listMarkup(group.items.map(noted))}
            </div>`,
        ),
      ],
    ),
  )}`
  return pageShell({ name: title, title, main })
}

function rulesByRun({ differing, passed, runs }: Comparison) {
  const names = runs.map(({ name }) => name)
  const rows = differing.map(({ rule, says, statuses }) => [
    ruleHead(rule, says),
    ...statuses.map(
      (status, run) =>
        html`<td data-label="${names[run] ?? ''}">${status === null ? 'absent' : badge(status)}</td>`,
    ),
  ])
  return titled(
    null,
    ['versus', 'Rule by target'],
    [
      rows.length > 0 &&
        html`<div class="scrolls">${tableOf('stacked', [['rule', ...names], rowsOf(rows)])}</div>`,
      html`<p>${passed}</p>`,
    ],
  )
}

/** Maximum number of targets named next to a rule. */
const mostNamed = 20

/** Many targets as a self-contained page without scripts: the outcome, one line per target, then the rules that fail anywhere. */
export function targetsPage(comparison: TargetsComparison) {
  const { rows, outcome, counts } = comparison
  const told = html`<p>${capitalised(outcome)}</p>`
  const lines = bodyOf(rows.map((row, index) => targetRow(row, index + 1)))
  const name = 'Conformance of many targets'
  const main = html`${heroOf(comparison.worse ? 'failed' : 'passed', counts, told)}
  ${titled(null, ['targets', `${plural(rows.length, 'target')}, worst first`], tableOf('targets stacked', [columns, lines]))}
  ${failingTable(comparison)}`
  return pageShell({ name, title: `${name}: ${outcome}`, main, kind: 'wide' })
}

const columns = ['Target', 'Verdict', 'Gravest cause', 'Rules', 'Against its last run', 'Age']

function targetRow(row: AgedRow, number: number) {
  const { tone, word, subject, reason, counts, worse, change, age } = row
  const started = shownText(row.startedAt ?? '')
  return html`<tr>
    <th scope="row">
      <span class="faint">${number}</span> ${linkTo(row)}
      ${subject !== null && html`<p class="faint">${subject}</p>`}
    </th>
    <td>${badge(tone, word)}</td>
    <td>${reason !== null && withCodeNames(shownText(reason))}</td>
    <td>${counts}</td>
    <td>${worse ? html`<strong class="toned failed">${change}</strong>` : change}</td>
    <td>${age !== null && html`<time datetime="${started}" title="${moment(started)}">${age}</time>`}</td>
  </tr>`
}

/** The name of a target, with a link to its page or to a rule on that page. */
function linkTo({ name, path, report }: AgedRow, rule = '') {
  if (report === null) return html`${shownText(name)}`
  const fragment = rule === '' || report === 'verdict.json' ? '' : `#${encodeURI(rule)}`
  return html`<a href="${`${path}/${report}`.split('/').map(encodeURIComponent).join('/')}${fragment}"
    >${shownText(name)}</a
  >`
}

/** Rules that fail for any target, each with the first few targets affected. */
function failingTable({ rows, failing, passed }: TargetsComparison) {
  if (passed === null) return null
  const byName = new Map(rows.map((row) => [row.name, row]))
  const lines = failing.map(({ rule, says, failed }) => {
    const where = failed.flatMap((name) => byName.get(name) ?? []).map((row) => linkTo(row, rule))
    return [
      ruleHead(rule, says),
      html`<td data-label="Targets">${failed.length}</td>`,
      html`<td>${joined(where, mostNamed)}</td>`,
    ]
  })
  const table = lines.length > 0 && tableOf('stacked', [['Rule', 'Targets', 'Where'], rowsOf(lines)])
  return titled(null, ['failing', 'Rules that fail anywhere'], [table, html`<p>${passed}</p>`])
}
