import type { Cause } from '../../judge/causes.ts'
import { beginning } from '../../settings/printable.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { causesIn } from '../causes-in.ts'
import { visible } from '../visible.ts'
import { findingsAnchor } from './findings.ts'
import { badge } from './icons.ts'
import { html, nothing, type Markup } from './markup.ts'
import { counted } from './wording.ts'

const longestSentence = 400
const mostCauses = 40

/** What is wrong, by cause, the gravest first: what was sent, what came of it, and the rules that met it. */
export function causesSection(verdict: Verdict): Markup {
  const causes = causesIn(verdict)
  if (causes.length === 0) return nothing
  const hidden = causes.length - mostCauses
  return html`<section class="causes" aria-labelledby="causes">
    <h2 id="causes">Causes</h2>
    <p class="muted">
      A cause is what one explanation fits. Answers that are alike may still hide more than one fault.
    </p>
    <ol>
      ${causes.slice(0, mostCauses).map(causeItem)}
    </ol>
    ${hidden > 0 ? html`<p class="hidden-count">${counted(hidden, 'more cause')}: see verdict.json, beside this page.</p>` : nothing}
  </section>`
}

function causeItem({ sentence, pattern, warning, rules, cases, example }: Cause): Markup {
  const links = rules.map((id) => html`<a href="#${findingsAnchor(id)}">${id}</a> `)
  const alike = pattern === undefined ? nothing : html`, like others: ${pattern}`
  return html`<li>
    ${badge(warning ? 'warned' : 'failed')}
    <strong>${beginning(visible(sentence), longestSentence)}</strong>
    <p>${counted(cases.length, 'finding')}${alike}; ${counted(rules.length, 'rule')}: ${links}</p>
    <p class="muted">Simplest: <code>${beginning(example, longestSentence)}</code></p>
  </li>`
}
