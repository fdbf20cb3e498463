import { changesBetween, otherCircumstances, type Change } from '../changes.ts'
import { duration } from '../duration.ts'
import { previousRun } from '../history.ts'
import { historyLine, type HistoryLine } from '../../verdict/history-line.ts'
import { statuses } from '../../verdict/verdict.ts'
import { beginning } from '../../settings/printable.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { icon } from './icons.ts'
import { html, nothing, type Markup } from './markup.ts'
import { runsDrawing } from './runs-drawing.ts'
import { counted, moment } from './wording.ts'

/** A month of nights. */
const mostRuns = 30
const mostChanges = 40

/** The last comparable runs of the same target, profile and part, oldest first, this one last. */
export function comparableRuns(
  earlier: readonly HistoryLine[],
  current: HistoryLine,
): readonly HistoryLine[] {
  const runs = [current]
  for (let run = previousRun(earlier, current); run !== null && runs.length < mostRuns;) {
    runs.unshift(run)
    run = previousRun(earlier, run)
  }
  return runs
}

/** The last runs as a drawing and as a table, and what changed since the one before. */
export function runsSection(verdict: Verdict, earlier: readonly HistoryLine[]): Markup {
  const current = historyLine(verdict)
  const runs = comparableRuns(earlier, current)
  const previous = runs.at(-2)
  if (previous === undefined) {
    return html`<div class="card">
      <h3>Runs</h3>
      <p>No earlier run of this target and profile is in the history: nothing to compare with.</p>
    </div>`
  }
  return html`<div class="card runs">
      <h3 id="runs">The last ${runs.length} runs</h3>
      ${runsDrawing(runs)}
      <details>
        <summary>The same as a table</summary>
        ${table(runs)}
      </details>
    </div>
    <div class="card">
      <h3>Since the run of ${moment(previous.startedAt)}</h3>
      ${since(previous, current)}
    </div>`
}

function table(runs: readonly HistoryLine[]): Markup {
  return html`<table class="list">
    <thead>
      <tr>
        ${['Started', 'Verdict', 'Took', ...statuses].map((name) => html`<th scope="col">${name}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${runs.toReversed().map(
        (run) =>
          html`<tr>
            <th scope="row">${moment(run.startedAt)}</th>
            <td>${run.verdict}</td>
            <td>${duration(run.durationMs)}</td>
            ${statuses.map((status) => html`<td class="number">${run.rules.filter((rule) => rule.status === status).length}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`
}

function since(before: HistoryLine, after: HistoryLine): Markup {
  const changes = changesBetween(before, after).filter(({ kind }) => kind !== 'unchanged')
  const circumstances = otherCircumstances(before, after)
  const hidden = changes.length - mostChanges
  return html`${
    changes.length === 0
      ? html`<p>No rule came out otherwise.</p>`
      : html`<ul class="plain changes">
          ${changes.slice(0, mostChanges).map(change)}
        </ul>`
  }
  ${hidden > 0 ? html`<p>${counted(hidden, 'more change')}</p>` : nothing}
  ${circumstances.length === 0 ? nothing : html`<p class="muted">Not all was equal: ${beginning(circumstances.join('; '), 600)}.</p>`}`
}

function change({ rule, kind, before, after, found, gone }: Change): Markup {
  const to = after === null ? html`gone` : html`${icon(after)} ${after}`
  const from = before === null ? html`new` : html`${icon(before)} ${before}`
  const findings = [
    ...(found.length > 0 ? [counted(found.length, 'new finding')] : []),
    ...(gone.length > 0 ? [`${gone.length} no longer found`] : []),
  ].join(', ')
  return html`<li>
    <strong>${kind}</strong> <a href="#${rule}">${rule}</a>
    <span class="muted">${from} → ${to}${findings === '' ? '' : `; ${findings}`}</span>
  </li>`
}
