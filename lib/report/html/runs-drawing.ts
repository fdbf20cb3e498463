import type { RuleStatus } from '../../judge/record.ts'
import type { HistoryLine } from '../history.ts'
import { icon } from './icons.ts'
import { html, type Markup } from './markup.ts'
import { moment } from './wording.ts'

/** What stands at the foot of a column, and what on top of it. */
const order: readonly RuleStatus[] = ['failed', 'warned', 'inconclusive', 'waived', 'untested', 'passed']
const height = 120
const step = 20
const columnWidth = 14

/** A column for each run, as high as it has rules, stacked by status. The words stand in the table beside it. */
export function runsDrawing(runs: readonly HistoryLine[]): Markup {
  const most = Math.max(1, ...runs.map(({ rules }) => rules.length))
  const met = order.filter((status) => runs.some(({ rules }) => rules.some((rule) => rule.status === status)))
  const width = runs.length * step
  return html`<svg
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
      ${runs.map((run, index) => column(run, index * step, height / most))}
    </svg>
    <p class="span"><span>${moment(runs[0]?.startedAt ?? '')}</span><span>this run</span></p>
    <ul class="counts" aria-label="Legend">
      ${met.map((status) => html`<li>${icon(status)}${status}</li>`)}
    </ul>`
}

function column({ rules, verdict, startedAt }: HistoryLine, x: number, unit: number): Markup {
  const counts = order.map((status) => rules.filter((rule) => rule.status === status).length)
  const parts = order.map((status, index) => {
    const count = counts[index] ?? 0
    const below = counts.slice(0, index).reduce((sum, one) => sum + one, 0)
    const place = { y: height - (below + count) * unit, high: count * unit }
    return { status, count, ...place }
  })
  return html`<g
    ><title>
      ${moment(startedAt)}: ${verdict};
      ${parts
        .filter(({ count }) => count > 0)
        .map(({ status, count }) => `${count} ${status}`)
        .join(', ')}</title
    >${parts.filter(({ count }) => count > 0).map(({ status, y, high }) => rectangle(status, x, y, high))}</g
  >`
}

/** What failed is hatched, for those who do not see its colour. */
function rectangle(status: RuleStatus, x: number, y: number, high: number): Markup {
  const place = html`x="${x}" y="${y.toFixed(1)}" width="${columnWidth}" height="${high.toFixed(1)}"`
  const plain = html`<rect class="${status}" ${place} />`
  return status === 'failed' ? html`${plain}<rect fill="url(#hatched)" ${place} />` : plain
}
