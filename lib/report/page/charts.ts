import { groupBy, grouped } from '../../text/counts.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { html, nothing, type Markup } from '../render/markup.ts'
import { bodyOf, titled } from '../render/parts.ts'

/** Latencies, and requests by area. */
export function chartsSection(verdict: Verdict): Markup {
  if (verdict.rules.length === 0) return nothing
  return titled('charts', ['trends', 'Latency, requests'], [latencyChart(verdict), requestsChart(verdict)])
}

/** Chart of the verdict's four latencies, from zero to the slowest. */
export function latencyChart({ latencyMs }: Verdict): Markup {
  if (latencyMs === null) return nothing
  const { p50, p95, p99, max } = latencyMs
  const rows = [
    ['median', p50],
    ['95 % at most', p95],
    ['99 % at most', p99],
    ['slowest', max],
  ] as const
  const bars = rows.map(([name, value]) =>
    bar(name, `${grouped(Math.round(value * 10) / 10)} ms`, [value, max]),
  )
  return chart('How long answers took', bars)
}

/** Chart of requests by area, on the scale of the budget. */
export function requestsChart({ requests }: Verdict): Markup {
  const byArea = groupBy(Object.entries(requests.byRule), ([rule]) => rule.slice(0, rule.indexOf('/')))
  if (byArea.size === 0) return nothing
  const areas = [...byArea]
    .map(([name, rules]) => ({ name, value: rules.reduce((sum, [, count]) => sum + count, 0) }))
    .toSorted((a, b) => b.value - a.value)
  const rest = requests.sent - areas.reduce((sum, { value }) => sum + value, 0)
  const bars = [
    { name: 'all', value: requests.sent },
    ...areas,
    ...(rest > 0 ? [{ name: 'of no rule', value: rest }] : []),
  ].map(({ name, value }) => bar(name, grouped(value), [value, requests.budget]))
  return chart(`Requests, of at most ${grouped(requests.budget)}`, bars)
}

/** Row of a chart: name, value, and its drawing. */
function bar(name: string, shown: string, [value, whole]: readonly [number, number]): Markup {
  const width = whole > 0 ? Math.min(100, (100 * value) / whole) : 0
  return html`<tr>
    <th scope="row">${name}</th>
    <td class="number">${shown}</td>
    <td>
      <svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
        <rect width="${width.toFixed(2)}" height="1" />
      </svg>
    </td>
  </tr>`
}

/** Table whose last column draws the value before it, its text alternative. */
function chart(title: string, bars: readonly Markup[]): Markup {
  return html`<table class="card chart">
    <caption>
      ${title}
    </caption>
    ${bodyOf(bars)}
  </table>`
}
