import type { Observation } from '../../judge/record.ts'
import { beginning } from '../../settings/printable.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { html, nothing, type Markup } from './markup.ts'

const longest = 300
const mostValues = 60

/** What the run saw where the specification is silent: written down, never judged. */
export function observationsSection({ observations }: Verdict): Markup {
  if (observations.length === 0) return nothing
  return html`<section class="observations" aria-labelledby="observations">
    <h2 id="observations">Observations</h2>
    <p class="muted">What the run saw where the specification says nothing. None of it is judged.</p>
    <div class="columns">${observations.slice(0, mostValues).map(observation)}</div>
  </section>`
}

function observation({ id, value }: Observation): Markup {
  return html`<div class="observation">
    <h3>${beginning(id, longest)}</h3>
    ${valueOf(value)}
  </div>`
}

function valueOf(value: unknown): Markup {
  if (Array.isArray(value)) {
    if (value.length === 0) return html`<p>none</p>`
    return html`<ol>
        ${value.slice(0, mostValues).map((one) => html`<li>${textOf(one)}</li>`)}
      </ol>
      ${more(value.length)}`
  }
  if (typeof value !== 'object' || value === null) return html`<p>${textOf(value)}</p>`
  const entries = Object.entries(value)
  if (entries.length === 0) return html`<p>none</p>`
  return html`<dl>
      ${entries.slice(0, mostValues).map(
        ([name, one]) =>
          html`<div>
            <dt>${beginning(name, longest)}</dt>
            <dd>${textOf(one)}</dd>
          </div>`,
      )}
    </dl>
    ${more(entries.length)}`
}

function more(count: number): Markup {
  return count > mostValues ? html`<p>${count - mostValues} more in verdict.json</p>` : nothing
}

function textOf(value: unknown): string {
  return beginning(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''), longest)
}
