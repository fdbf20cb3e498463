import type { RuleStatus } from '../../judge/record.ts'
import type { HistoryLine } from '../../verdict/history-line.ts'
import { icon } from './icons.ts'
import { html, type Markup } from './markup.ts'
import { moment } from './wording.ts'

/** What stands at the foot of a column, and what on top of it. */
const order: readonly RuleStatus[] = ['failed', 'warned', 'inconclusive', 'waived', 'untested', 'passed']
const height = 140
const fullWidth = 480
const widestStep = 72

/** A column for each run, as high as it has rules, stacked by status. The words stand in the table beside it. */
export function runsDrawing(runs: readonly HistoryLine[]): Markup {
  const most = Math.max(1, ...runs.map(({ rules }) => rules.length))
  const met = order.filter((status) => runs.some(({ rules }) => rules.some((rule) => rule.status === status)))
  const step = Math.min(widestStep, fullWidth / runs.length)
  const width = Math.round(runs.length * step)
  return html`<figure>
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
        ${runs.map((run, index) => column(run, { x: index * step, width: step * 0.7, unit: height / most }))}
      </svg>
      <p class="span"><span>${moment(runs[0]?.startedAt ?? '')}</span><span>this run</span></p>
    </figure>
    <ul class="counts" aria-label="Legend">
      ${met.map((status) => html`<li>${icon(status)}${status}</li>`)}
    </ul>`
}

/** Where a column stands, how wide it is, and how high a rule is in it. */
interface Place {
  readonly x: number
  readonly width: number
  readonly unit: number
}

function column({ rules, verdict, startedAt }: HistoryLine, { x, width, unit }: Place): Markup {
  const counts = order.map((status) => rules.filter((rule) => rule.status === status).length)
  const parts = order.flatMap((status, index) => {
    const count = counts[index] ?? 0
    const below = counts.slice(0, index).reduce((sum, one) => sum + one, 0)
    const place = { x, width, y: height - (below + count) * unit, height: count * unit }
    return count === 0 ? [] : [{ said: `${count} ${status}`, drawn: rectangle(status, place) }]
  })
  return html`<g>
    <title>${moment(startedAt)}: ${verdict}; ${parts.map(({ said }) => said).join(', ')}</title>
    ${parts.map(({ drawn }) => drawn)}
  </g>`
}

/** What failed is hatched, for those who do not see its colour. */
function rectangle(status: RuleStatus, place: Readonly<Record<string, number>>): Markup {
  const at = Object.entries(place).map(([name, value]) => html` ${name}="${value.toFixed(1)}"`)
  const plain = html`<rect class="${status}" ${at} />`
  return status === 'failed' ? html`${plain}<rect fill="url(#hatched)" ${at} />` : plain
}
