import type { RuleStatus } from '../../judge/record.ts'
import { statuses } from '../../verdict/verdict.ts'
import { withCodeNames } from '../model/codes.ts'
import { heroOf, pageHead, pageShell, styleSheets } from '../page/shell.ts'
import { icon } from '../render/icons.ts'
import { html, nothing, type Markup } from '../render/markup.ts'
import { bodyOf, joined, ruleHead, tableOf, titled } from '../render/parts.ts'
import { short } from '../model/document.ts'
import { capitalised, moment, plural } from '../../text/counts.ts'
import type { JudgedTarget, TargetRow } from './target-row.ts'
import {
  differingRules,
  judgedTargets,
  targetsOutcome,
  worseTargets,
  type RuleAcross,
  type TargetsComparison,
} from './targets.ts'
import {
  age,
  causeOf,
  changeOf,
  failingRules,
  passedSentence,
  rulesOfTarget,
  stateCounts,
  targetsTitle,
  toneOf,
  widestMatrix,
  wordOf,
} from './targets-sections.ts'

const style = styleSheets(import.meta.url, ['./targets.css'])

/** Maximum targets that are named in the head, and beside a rule. */
const mostNamed = 20

/** Many targets as a self-contained page without scripts: the outcome, a line a target, then rules by target, or those that fail anywhere. */
export function targetsPage(comparison: TargetsComparison): string {
  const { rows } = comparison
  const { worse, missing } = worseTargets(comparison)
  const tone = comparison.worse ? 'failed' : 'passed'
  const told = html`<p class="states">
      ${stateCounts(comparison).map(({ tone: look, text }) => html`<span class="badge ${look}">${icon(look)}${text}</span> `)}
    </p>
    ${worseList('Worse', worse, rows)} ${worseList('Without a verdict', missing, rows)}`
  const body = html`${pageHead(targetsTitle, ['targets', 'the targets'])}
    <main>
      ${heroOf(tone, ['outcome', capitalised(targetsOutcome(comparison))], told)} ${targetTable(comparison)}
      ${rows.length > widestMatrix ? failingTable(comparison) : matrix(comparison)}
    </main>`
  return pageShell({ title: `${targetsTitle}: ${targetsOutcome(comparison)}`, body, script: false, style })
}

function worseList(title: string, worse: readonly TargetRow[], rows: readonly TargetRow[]): Markup {
  if (worse.length === 0) return nothing
  const links = worse.map((row) => html`<a href="#target-${rows.indexOf(row) + 1}">${short(row.name)}</a>`)
  return html`<p>${title}: ${joined(links, mostNamed)}</p>`
}

const columns = ['Target', 'Verdict', 'Gravest cause', 'Rules', 'Against its last run', 'Age']

function targetTable({ rows, now }: TargetsComparison): Markup {
  const body = bodyOf(rows.map((row, index) => targetRow(row, { number: index + 1, now })))
  const title = `${plural(rows.length, 'target')}, worst first`
  return titled(null, ['targets', title], tableOf('list targets', [columns, body]))
}

function targetRow(row: TargetRow, { number, now }: { readonly number: number; readonly now: Date }): Markup {
  const tone = toneOf(row)
  const about = row.kind === 'judged' ? row.subject : ''
  const reason = row.kind === 'judged' ? causeOf(row.cause) : row.because
  const { startedAt } = row
  const { what, when } = changeOf(row)
  return html`<tr id="target-${number}">
    <th scope="row">
      <span class="faint">${number}</span> ${linkTo(row)}
      ${about === '' ? nothing : html`<p class="faint">${about}</p>`}
    </th>
    <td><span class="badge ${tone}">${icon(tone)}${wordOf(row)}</span></td>
    <td>${reason === null ? nothing : withCodeNames(short(reason))}</td>
    <td>${row.kind === 'judged' ? rulesOfTarget(row) : nothing}</td>
    <td>
      ${row.worse && when !== null ? html`<strong class="bad">${what}</strong>` : what}${when === null ? nothing : html` <span class="faint">${when}</span>`}
    </td>
    <td>
      ${startedAt === null ? nothing : html`<time datetime="${short(startedAt)}" title="${short(moment(startedAt))}">${age(startedAt, now)}</time>`}
    </td>
  </tr>`
}

/** Name of a target, which leads to its page, or to a rule there. */
function linkTo(row: TargetRow, rule = ''): Markup {
  const { name, path, report } = row
  if (report === null) return html`${short(name)}`
  const fragment = rule === '' || report === 'verdict.json' ? '' : `#${encodeURI(rule)}`
  return html`<a href="${`${path}/${report}`.split('/').map(encodeURIComponent).join('/')}${fragment}"
    >${short(name)}</a
  >`
}

/** Rules that did not pass everywhere by target, in signs. */
function matrix(comparison: TargetsComparison): Markup {
  const { rows } = comparison
  const targets = judgedTargets(rows)
  const differing = differingRules(comparison)
  if (targets.length === 0) return nothing
  const passed = html`<p>${passedSentence(comparison)}</p>`
  const heads = ['Rule', ...targets.map((row) => columnHead(row, rows.indexOf(row) + 1))]
  const body = bodyOf(differing.map((across) => signRow(across, targets)))
  const signs = html`<p class="key-of-signs">
      ${statuses.map((status) => html`<span class="${status}">${icon(status)}${status}</span> `)}
    </p>
    <div class="scrolls" tabindex="0" role="group" aria-labelledby="matrix">
      ${tableOf('list signs', [heads, body])}
    </div>`
  return titled(null, ['matrix', 'Rule by target'], [differing.length === 0 ? nothing : signs, passed])
}

function columnHead({ name }: JudgedTarget, number: number): Markup {
  return html`<th scope="col">
    <a href="#target-${number}"><span class="upright">${short(name)}</span>${number}</a>
  </th>`
}

function signRow({ rule, says }: RuleAcross, targets: readonly JudgedTarget[]): Markup {
  return html`<tr>
    ${ruleHead(rule, says)} ${targets.map((row) => html`<td>${sign(row.rules.get(rule))}</td>`)}
  </tr>`
}

function sign(status: RuleStatus | undefined): Markup {
  if (status === undefined) return html`<span class="sr">absent</span>`
  return html`${icon(status)}<span class="sr">${status}</span>`
}

/** Rules that fail at any target, with the first targets of each. */
function failingTable(comparison: TargetsComparison): Markup {
  const failing = failingRules(comparison)
  if (failing.length === 0)
    return html`<section aria-label="Rules"><p>${passedSentence(comparison)}</p></section>`
  const heads = ['Rule', html`<th scope="col" class="number">Targets</th>`, 'Where']
  const body = bodyOf(failing.map((across) => failingRow(across, across.failing)))
  const table = tableOf('list failing', [heads, body])
  return titled(
    null,
    ['failing', 'Rules that fail anywhere'],
    [table, html`<p>${passedSentence(comparison)}</p>`],
  )
}

function failingRow({ rule, says }: RuleAcross, failing: readonly JudgedTarget[]): Markup {
  const where = failing.map((row) => linkTo(row, rule))
  return html`<tr>
    ${ruleHead(rule, says)}
    <td class="number">${failing.length}</td>
    <td>${joined(where, mostNamed)}</td>
  </tr>`
}
