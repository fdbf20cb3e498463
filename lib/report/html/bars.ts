import { groupBy } from '../../spec/group-by.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { html, nothing, type Markup } from './markup.ts'
import { grouped } from './wording.ts'

/** A bar of a chart. */
interface Bar {
  readonly name: string
  readonly value: number
  readonly shown: string
}

/** How long answers took: the four numbers that a verdict holds, on one scale from nothing to the slowest. */
export function latencyChart({ latencyMs }: Verdict): Markup {
  if (latencyMs === null) return nothing
  const { p50, p95, p99, max } = latencyMs
  const rows = [
    ['half within', p50],
    ['95 % within', p95],
    ['99 % within', p99],
    ['slowest', max],
  ] as const
  const bars = rows.map(([name, value]) => ({
    name,
    value,
    shown: `${grouped(Math.round(value * 10) / 10)} ms`,
  }))
  return chart('latency', 'How long answers took', bars, max)
}

/** How many requests each area took, all on the scale of the budget. */
export function requestsChart({ requests }: Verdict): Markup {
  const byArea = groupBy(Object.entries(requests.byRule), ([rule]) => rule.slice(0, rule.indexOf('/')))
  const areas = [...byArea]
    .map(([name, rules]) => ({ name, value: rules.reduce((sum, [, count]) => sum + count, 0) }))
    .toSorted((a, b) => b.value - a.value)
  if (areas.length === 0) return nothing
  const rest = requests.sent - areas.reduce((sum, { value }) => sum + value, 0)
  const bars = [
    { name: 'all', value: requests.sent },
    ...areas,
    ...(rest > 0 ? [{ name: 'of no rule', value: rest }] : []),
  ].map((one) => ({ ...one, shown: grouped(one.value) }))
  return chart('requests', `Requests, of at most ${grouped(requests.budget)}`, bars, requests.budget)
}

/** A table whose last column draws what the one before it says: its own text alternative. */
function chart(id: string, title: string, bars: readonly Bar[], whole: number): Markup {
  return html`<div class="card">
    <table class="bars">
      <caption id="${id}">
        ${title}
      </caption>
      <tbody>
        ${bars.map(
          ({ name, value, shown }) =>
            html`<tr>
              <th scope="row">${name}</th>
              <td class="number">${shown}</td>
              <td class="bar">${bar(value, whole)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

function bar(value: number, whole: number): Markup {
  const width = whole > 0 ? Math.min(100, (100 * value) / whole) : 0
  return html`<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
    <rect class="track" width="100" height="10" />
    <rect class="fill" width="${width.toFixed(2)}" height="10" />
  </svg>`
}
