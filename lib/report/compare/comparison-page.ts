import { capitalised } from '../../text/counts.ts'
import { badge, heroOf, listMarkup, pageShell, rowsOf, ruleHead, tableOf, titled } from '../page/shell.ts'
import { html, type Markup } from '../render/markup.ts'
import type { Comparison } from './comparison.ts'

const title = 'Conformance compared'

/** A comparison as a self-contained page without scripts: the outcome, the rules by target, then each run compared with the first. */
export function comparisonPage(comparison: Comparison): string {
  const { worse, outcome, runs, differences } = comparison
  const noted = ({ text, under }: { readonly text: string; readonly under: readonly string[] }): Markup =>
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
