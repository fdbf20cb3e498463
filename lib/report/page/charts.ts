import type { RuleStatus } from '../../judge/record.ts'
import { groupBy } from '../../spec/group-by.ts'
import { historyLine, type HistoryLine } from '../../verdict/history-line.ts'
import { statuses, type Verdict } from '../../verdict/verdict.ts'
import { previousRun } from '../history/history.ts'
import { htmlSections, tableMarkup, type Links } from '../render/html.ts'
import { icon } from '../render/icons.ts'
import { html, nothing, type Markup } from '../render/markup.ts'
import { newsSection, present } from '../sections.ts'
import { statusCount, duration, grouped, moment } from '../words.ts'

/** The last runs and what is new since then, how long answers took, and what the requests went into. */
export function chartsSection(verdict: Verdict, earlier: readonly HistoryLine[], links: Links): Markup {
  if (verdict.rules.length === 0) return nothing
  const runs = comparableRuns(earlier, historyLine(verdict))
  return html`<section class="charts" aria-labelledby="trends">
    <h2 id="trends">Runs, latency, requests</h2>
    ${htmlSections(present([newsSection(verdict, runs.at(-2) ?? null)]), links)}
    ${runs.length < 2 ? nothing : runsDrawing(runs)} ${latencyChart(verdict)}${requestsChart(verdict)}
  </section>`
}

/** A month of nights. */
const mostRuns = 30

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

/** What stands at the foot of a column, and what on top of it. */
const order: readonly RuleStatus[] = ['failed', 'warned', 'inconclusive', 'waived', 'untested', 'passed']
const height = 140
const fullWidth = 480
const widestStep = 72

/** A column for each run, as high as it has rules, stacked by status, and the same as a table. */
function runsDrawing(runs: readonly HistoryLine[]): Markup {
  const most = Math.max(1, ...runs.map(({ rules }) => rules.length))
  const step = Math.min(widestStep, fullWidth / runs.length)
  const width = Math.round(runs.length * step)
  const met = order.filter((status) => runs.some(({ rules }) => statusCount(rules, status) > 0))
  const columns = runs.map((run, index) =>
    column(run, { x: index * step, width: step * 0.7, unit: height / most }),
  )
  const rows = runs
    .toReversed()
    .map((run) => [
      moment(run.startedAt),
      run.verdict,
      duration(run.durationMs),
      ...statuses.map((status) => `${statusCount(run.rules, status)}`),
    ])
  return html`<div class="card runs">
    <h3>The last ${runs.length} runs</h3>
    <svg
      class="drawing"
      viewBox="0 0 ${width} ${height}"
      width="${width}"
      height="${height}"
      role="img"
      aria-label="Rules by status in the last ${runs.length} runs; the numbers stand in the table below"
    >
      <defs>
        <pattern id="hatched" width="4" height="4" patternUnits="userSpaceOnUse">
          <path d="M0 4L4 0" />
        </pattern>
      </defs>
      ${columns}
    </svg>
    <ul class="counts" aria-label="Legend">
      ${met.map((status) => html`<li>${icon(status)}${status}</li>`)}
    </ul>
    <details>
      <summary>The same as a table</summary>
      ${tableMarkup(['Started', 'Verdict', 'Took', ...statuses], rows, new Map())}
    </details>
  </div>`
}

/** Where a column stands, how wide it is, and how high a rule is in it. */
interface Place {
  readonly x: number
  readonly width: number
  readonly unit: number
}

function column({ rules, verdict, startedAt }: HistoryLine, { x, width, unit }: Place): Markup {
  const met = order.filter((status) => statusCount(rules, status) > 0)
  let y = height
  const drawn = met.map((status) => {
    const size = statusCount(rules, status) * unit
    y -= size
    return rectangle(status, { x, width, y, height: size })
  })
  const said = met.map((status) => `${statusCount(rules, status)} ${status}`).join(', ')
  return html`<g>
    <title>${moment(startedAt)}: ${verdict}; ${said}</title>
    ${drawn}
  </g>`
}

/** What failed is hatched, for those who do not see its colour. */
function rectangle(status: RuleStatus, place: Readonly<Record<string, number>>): Markup {
  const at = Object.entries(place).map(([name, value]) => html` ${name}="${value.toFixed(1)}"`)
  const plain = html`<rect class="${status}" ${at} />`
  return status === 'failed' ? html`${plain}<rect fill="url(#hatched)" ${at} />` : plain
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
  return chart('How long answers took', bars, max)
}

/** How many requests each area took, all on the scale of the budget. */
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
  ].map((one) => ({ ...one, shown: grouped(one.value) }))
  return chart(`Requests, of at most ${grouped(requests.budget)}`, bars, requests.budget)
}

/** A bar of a chart. */
interface Bar {
  readonly name: string
  readonly value: number
  readonly shown: string
}

/** A table whose last column draws what the one before it says: its own text alternative. */
function chart(title: string, bars: readonly Bar[], whole: number): Markup {
  const rows = bars.map(({ name, value, shown }) => {
    const width = whole > 0 ? Math.min(100, (100 * value) / whole) : 0
    return html`<tr>
      <th scope="row">${name}</th>
      <td class="number">${shown}</td>
      <td class="bar">
        <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
          <rect class="track" width="100" height="10" />
          <rect class="fill" width="${width.toFixed(2)}" height="10" />
        </svg>
      </td>
    </tr>`
  })
  return html`<table class="card bars">
    <caption>
      ${title}
    </caption>
    <tbody>
      ${rows}
    </tbody>
  </table>`
}
