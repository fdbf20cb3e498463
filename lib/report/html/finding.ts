import type { Finding, ShownExchange } from '../../judge/record.ts'
import { duration } from '../duration.ts'
import { answerOf, findingRows } from '../finding-rows.ts'
import { beginning, printable } from '../../settings/printable.ts'
import { legendOf, visible } from '../visible.ts'
import { copyable } from './copyable.ts'
import { html, lines, nothing, type Markup, type Part } from './markup.ts'

const longest = { summary: 400, url: 1_000, field: 300, body: 2_000, line: 4_000, name: 200 } as const
const mostFields = 40

/** A finding: a line, which opens to what was documented, sent and answered, how often, and how to do it again. */
export function findingDetails(finding: Finding, open: boolean): Markup {
  const { summary, waived, reproduced, count } = finding
  return html`<details class="finding" ${open ? html` open` : nothing}>
    <summary>
      <span class="what">${beginning(visible(summary), longest.summary)}</span>
      <span class="often">${reproduced}${count > 1 ? `, met ${count} times` : ''}</span>
      ${waived === undefined ? nothing : html`<span class="covered">waived: ${beginning(waived, longest.summary)}</span>`}
    </summary>
    <dl>${facts(finding)}</dl>
  </details>`
}

function facts(finding: Finding): readonly Markup[] {
  const { exchange, curl, replay, waived } = finding
  return [
    fact('Documented', html`<strong>${rowOf(finding, 'documented')}</strong>`),
    fact('Answered', html`<strong>${answerOf(finding)}</strong>`),
    fact('How often', html`${rowOf(finding, 'reproduced')}`),
    ...(waived === undefined ? [] : [fact('Waived', html`${beginning(waived, longest.summary)}`)]),
    wide(
      'What was sent',
      html`${copyable('what was sent', requestOf(exchange))}${legend(sentFields(exchange))}`,
    ),
    wide(`What came, after ${duration(Math.round(exchange.durationMs))}`, answer(exchange)),
    ...(curl === null ? [] : [wide('curl', lineOf('the curl line', curl))]),
    wide(
      'Replay',
      replay === null
        ? html`<p>It was met across the whole run, so that no single case can be sent again.</p>`
        : lineOf('the replay line', replay),
    ),
    fact('Case', html`<code>${beginning(finding.case, longest.field)}</code>`),
    ...(finding.examples.length === 0 ? [] : [wide('Also met as', examples(finding))]),
    fact('Fingerprint', html`<code>${beginning(finding.fingerprint, longest.name)}</code>`),
  ]
}

function fact(name: string, value: Part): Markup {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`
}

function wide(name: string, value: Part): Markup {
  return html`<div class="whole">
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`
}

/** The same words as in the other reports. */
function rowOf(finding: Finding, label: string): string {
  const rows = findingRows(finding, { body: longest.body, field: longest.field, detail: 'short' })
  return rows.find((row) => row.label === label)?.value ?? ''
}

function requestOf({ request }: ShownExchange): Markup {
  const line = `${request.method} ${beginning(visible(request.url), longest.url)}`
  return lines([line, ...fields(request.headers)])
}

function answer({ response }: ShownExchange): Markup {
  if (response === null) return html`<p>No answer came.</p>`
  const { status, reason, headers, trailers = [], body, bodyCut } = response
  const shown =
    body === '' && bodyCut === 0 ? [] : ['', ...beginning(body, longest.body, bodyCut).split('\n')]
  const block = copyable(
    'what came',
    lines([
      reason === undefined ? `${status}` : `${status} ${beginning(reason, longest.field)}`,
      ...fields(headers),
      ...shown,
      ...(trailers.length === 0 ? [] : ['', ...fields(trailers)]),
    ]),
  )
  return html`${block}${legend([...headers, ...trailers])}`
}

type Fields = ShownExchange['request']['headers']

function sentFields({ request }: ShownExchange): Fields {
  return [[request.method, request.url], ...request.headers]
}

/** What the signs in a block mean, below it; where none occurs, nothing. */
function legend(shown: Fields): Markup {
  const says = legendOf(shown.slice(0, mostFields + 1))
  return says === null ? nothing : html`<p class="muted">${says}</p>`
}

function fields(headers: Fields): readonly string[] {
  const hidden = headers.length - mostFields
  const rows = headers
    .slice(0, mostFields)
    .map(
      ([name, value]) =>
        `${beginning(visible(name), longest.name)}: ${beginning(visible(value), longest.field)}`,
    )
  return hidden > 0 ? [...rows, `… (${hidden} more fields)`] : rows
}

/** A line that had to be escaped or cut would no longer do what it says. */
function lineOf(name: string, line: string): Markup {
  if (printable(line) !== line || line.length > longest.line) {
    return html`<p>It cannot be shown here whole: see verdict.json, beside this page.</p>`
  }
  return copyable(name, html`${line}`)
}

function examples({ examples: more }: Finding): Markup {
  return html`<ul class="plain">
    ${more.slice(0, 3).map(
      (one) =>
        html`<li>
          <code>${beginning(one.case, longest.field)}</code>
          ${beginning(visible(one.summary), longest.summary)}
        </li>`,
    )}
  </ul>`
}
