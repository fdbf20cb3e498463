import type { Finding, ShownExchange } from '../../judge/record.ts'
import { beginning } from '../../text/printable.ts'
import { withCodeNames } from '../model/codes.ts'
import { answerOf, findingFacts, type Documented, type FindingFact } from '../model/finding-facts.ts'
import { copyable, factMarkup } from '../render/html.ts'
import { html, lines, nothing, type Markup } from '../render/markup.ts'
import { short } from '../model/sections.ts'
import { isCopyable, legendOf, visible } from '../../text/visible.ts'
import { capitalised, duration, firstOf } from '../../text/counts.ts'

/** Maximum header fields shown of a request or answer. */
const mostFields = 40
/** Maximum length of a body that is shown; `verdict.json` has more of it. */
const longestBody = 600

const extent = { body: 0, field: 600, detail: 'full' } as const
/** What stands elsewhere: the agreed reason above, the exchange beside, the line to send it again below. */
const elsewhere: ReadonlySet<FindingFact['kind']> = new Set([
  'answered',
  'sent',
  'legend',
  'trace',
  'again',
  'waived',
])

/** What was sent beside what came, what is documented, how often it came, and the lines that send it again. */
export function exchangeMarkup(finding: Finding, rule: Documented): Markup {
  const { exchange, curl, replay, trace } = finding
  const facts = findingFacts(finding, extent, rule).filter(({ kind }) => !elsewhere.has(kind))
  return html`<div class="exchange">
      <div>${sentMarkup(exchange.request)}</div>
      <div>${answerMarkup(finding)}</div>
    </div>
    <dl class="facts">
      ${facts.map(({ label, value }) => factMarkup(capitalised(label), short(value)))}
      ${trace === undefined ? nothing : factMarkup('Trace', html`<code>${trace.id}</code>`)}
      ${factMarkup('Fingerprint', html`<code>${beginning(finding.fingerprint, 200)}</code>`)}
    </dl>
    ${replay === null ? noReplay : lineToSend('replay', replay)}
    ${curl === null ? nothing : lineToSend('curl', curl)}`
}

const noReplay = html`<p>It was met across the whole run, so no single case can be sent again.</p>`

/** A line to copy with its name before it; one that cannot be shown whole says where it is. */
function lineToSend(name: string, line: string): Markup {
  const shown = isCopyable(line)
    ? copyable(`the ${name} line`, html`${line}`)
    : html`<p>It cannot be shown here whole: see verdict.json, beside this page.</p>`
  return html`<div class="line">
    <p class="label">${capitalised(name)}</p>
    ${shown}
  </div>`
}

type Fields = ShownExchange['request']['headers']

function sentMarkup({ method, url, headers, body, bodyCut }: ShownExchange['request']): Markup {
  const ofBody = body === undefined ? [] : ['', ...beginning(visible(body), longestBody, bodyCut).split('\n')]
  const block = [`${method} ${short(visible(url))}`, ...fieldLines(headers), ...ofBody]
  return html`<p class="label">Sent</p>
    ${copyable('what was sent', lines(block))}${legend([[method, url], ...headers])}`
}

function answerMarkup(finding: Finding): Markup {
  const { response, durationMs } = finding.exchange
  const answer = html`<strong>${withCodeNames(answerOf(finding))}</strong>`
  if (response === null) return html`<p class="label">Answered: ${answer}</p>`
  const { status, reason, headers, trailers = [], body, bodyCut } = response
  const block = [
    reason === undefined ? `${status}` : `${status} ${short(reason)}`,
    ...fieldLines(headers),
    ...(body === '' && bodyCut === 0 ? [] : ['', ...beginning(body, longestBody, bodyCut).split('\n')]),
    ...(trailers.length === 0 ? [] : ['', ...fieldLines(trailers)]),
  ]
  return html`<p class="label">Answered after ${duration(Math.round(durationMs))}: ${answer}</p>
    ${copyable('what was answered', lines(block))}${legend([...headers, ...trailers])}`
}

function fieldLines(fields: Fields): readonly string[] {
  const rows = fields.map(([name, value]) => `${short(visible(name))}: ${short(visible(value))}`)
  return firstOf(rows, mostFields, (hidden) => `… (${hidden} more fields)`)
}

function legend(shown: Fields): Markup {
  const says = legendOf(shown.slice(0, mostFields + 1))
  return says === null ? nothing : html`<p class="faint">${says}</p>`
}
