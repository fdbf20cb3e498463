import { areaOf } from '../../spec/rules.ts'
import { groupBy } from '../../spec/group-by.ts'
import { countOf } from '../outcomes.ts'
import { beginning } from '../../settings/printable.ts'
import type { Verdict, VerdictRule } from '../../verdict/verdict.ts'
import { badge } from './icons.ts'
import { html, type Markup } from './markup.ts'
import { counted } from './wording.ts'

const longestReason = 600
const mostReasons = 40

/** How far the verdict reaches: what holds, what was not judged and why, and what the specification does not show, side by side. */
export function coverage({ rules, notCovered }: Verdict): Markup {
  return html`<section class="coverage" aria-label="How far this verdict reaches">
    <div class="card">
      <h2 id="holds">What holds</h2>
      ${holding(rules)}
    </div>
    <div class="card">
      <h2 id="not-judged">What was not judged</h2>
      ${notJudged(rules)}
    </div>
    <div class="card">
      <h2 id="not-covered">What no verdict covers</h2>
      <ul class="plain">
        ${notCovered.slice(0, mostReasons).map(uncovered)}
      </ul>
    </div>
  </section>`
}

function holding(rules: readonly VerdictRule[]): Markup {
  if (rules.length === 0) return html`<p>Nothing: no rule was judged.</p>`
  return html`<table class="areas">
    <thead class="sr">
      <tr>
        <th scope="col">Area</th>
        <th scope="col">Rules that hold</th>
      </tr>
    </thead>
    <tbody>
      ${[...groupBy(rules, ({ id }) => areaOf(id))].map(areaRow)}
    </tbody>
  </table>`
}

function areaRow([area, members]: readonly [string, readonly VerdictRule[]]): Markup {
  return html`<tr>
    <th scope="row">${area}</th>
    <td>${countOf(members, 'passed')} of ${members.length}</td>
  </tr>`
}

function notJudged(rules: readonly VerdictRule[]): Markup {
  const unjudged = rules.filter(({ status }) => status === 'inconclusive' || status === 'untested')
  if (rules.length === 0) return html`<p>Every rule.</p>`
  if (unjudged.length === 0) return html`<p>Nothing: every rule of this run was judged.</p>`
  const reasons = [...groupBy(unjudged, ({ status, because }) => `${status} ${because ?? ''}`).values()]
  return html`<p>${counted(unjudged.length, 'rule')} of ${rules.length}:</p>
    <ul class="plain">
      ${reasons.slice(0, mostReasons).map(reasonOf)}
    </ul>`
}

function reasonOf(members: readonly VerdictRule[]): Markup {
  return html`<li>
    ${members.slice(0, 1).map(({ status, because }) => html`${badge(status)} ${beginning(because ?? 'no reason was given', longestReason)}`)}
    <span class="ids">${members.map(({ id }) => html`<a href="#${id}">${id}</a> `)}</span>
  </li>`
}

function uncovered(text: string): Markup {
  const at = text.lastIndexOf(': ')
  const [subject, reason] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 2)]
  return html`<li>
    ${beginning(subject, longestReason)} <span class="muted">${beginning(reason, longestReason)}</span>
  </li>`
}
