import { capitalised } from '../../text/counts.ts'
import type { Block, Section } from '../model/document.ts'
import { heroOf, pageHead, pageShell } from '../page/shell.ts'
import { badge } from '../render/icons.ts'
import { html, nothing, type Markup } from '../render/markup.ts'
import { listMarkup, rowsOf, ruleHead, tableOf, titled } from '../render/parts.ts'
import { runSections } from './comparison-text.ts'
import type { Comparison } from './comparison.ts'

const title = 'Conformance compared'

/** A comparison as a self-contained page without scripts: the outcome, the rules by target, then each run compared with the first. */
export function comparisonPage(comparison: Comparison): string {
  const { worse, outcome } = comparison
  const [runs, ...differences] = runSections(comparison)
  const body = html`${pageHead(title, ['outcome', 'the outcome'])}
    <main>
      ${heroOf(worse ? 'failed' : 'passed', ['outcome', capitalised(outcome)], nothing)}
      ${rulesByRun(comparison)} ${[{ title: 'Runs', blocks: [], ...runs }, ...differences].map(sectionMarkup)}
    </main>`
  return pageShell({ title, body, script: false })
}

function rulesByRun({ differing, passed, names }: Comparison): Markup {
  const rows = differing.map(({ rule, says, statuses }) => [
    ruleHead(rule, says),
    ...statuses.map(
      (status, run) =>
        html`<td data-label="${names[run] ?? ''}">${status === null ? 'absent' : badge(status)}</td>`,
    ),
  ])
  return titled(
    'versus',
    ['versus', 'Rule by target'],
    [
      rows.length === 0
        ? nothing
        : html`<div class="scrolls">${tableOf('list stacked', [['rule', ...names], rowsOf(rows)])}</div>`,
      html`<p>${passed}</p>`,
    ],
  )
}

function sectionMarkup({ title: heading = '', blocks, parts = [] }: Section, place: number): Markup {
  return titled(
    null,
    [`runs-${place}`, capitalised(heading)],
    [
      ...blocks.map(blockMarkup),
      ...parts.map(
        (part) =>
          html`<div class="part">
            <h3>${capitalised(part.title ?? '')}</h3>
            ${part.blocks.map(blockMarkup)}
          </div>`,
      ),
    ],
  )
}

function blockMarkup(block: Block): Markup {
  if (block.kind === 'text') return html`<p>${block.text}</p>`
  if (block.kind !== 'list') return nothing
  const items = block.items.map(
    ({ text, under = [] }) =>
      html`${text}${under.map((one) => html`<p>${typeof one === 'string' ? one : one.value}</p>`)}`,
  )
  return listMarkup(items, block.ordered)
}
