import type { Finding, RuleStatus, ShownExchange } from '../../judge/record.ts'
import { beginning } from '../../settings/printable.ts'
import type { VerdictRule } from '../../verdict/verdict.ts'
import { withCodeNames } from '../codes.ts'
import { answerOf, groupByFingerprint, findingFacts, type FindingFact } from '../findings.ts'
import { copyable, factMarkup } from '../render/html.ts'
import { badge } from '../render/icons.ts'
import { html, lines, nothing, type Markup } from '../render/markup.ts'
import { short } from '../sections.ts'
import { isCopyable, legendOf, visible } from '../visible.ts'
import { capitalised, counted, duration, sentenceOf } from '../words.ts'
import { promise } from './rules.ts'

/** Maximum findings on a page, in full and in one line. */
interface Bounds {
  readonly full: number
  readonly brief: number
}

/** Keeps a page with 10,000 findings below a second to open. */
const bounds: Bounds = { full: 60, brief: 240 }
/** Maximum header fields shown of a request or answer. */
const mostFields = 40
const longestBody = 2_000

/** Findings by rule, expandable; those beyond the page's limit are counted. */
export function findingsSection(rules: readonly VerdictRule[]): Markup {
  const picked = pickForPage(rules, bounds)
  if (picked.length === 0) return nothing
  return html`<section class="findings" aria-labelledby="findings">
    <h2 id="findings">Findings</h2>
    ${picked.map((one, index) => ruleFindings(one, index === 0 && one.rule.status === 'failed'))}
  </section>`
}

/** Findings of a rule on the page, in full and in one line, and the number left to `verdict.json`. */
interface PickedRule {
  readonly rule: VerdictRule
  readonly full: readonly Finding[]
  readonly brief: readonly Finding[]
  readonly hidden: number
}

/** Violations first, waived rules last. */
const urgency: readonly RuleStatus[] = ['failed', 'warned', 'inconclusive', 'waived', 'untested', 'passed']

/** Selects findings for a page of bounded size: the first finding of each rule before the second of any. */
export function pickForPage(rules: readonly VerdictRule[], most: Bounds): readonly PickedRule[] {
  const found = rules
    .filter(({ findings }) => findings.length > 0)
    .map((rule) => ({ rule, findings: groupByFingerprint(rule.findings) }))
    .toSorted((a, b) => urgency.indexOf(a.rule.status) - urgency.indexOf(b.rule.status))
  const inTurn = found
    .flatMap(({ rule, findings }) => findings.map((_, turn) => ({ rule, turn })))
    .toSorted((a, b) => a.turn - b.turn)
  const opened = inTurn.slice(0, most.full)
  const named = inTurn.slice(0, most.full + most.brief)
  const share = (of: typeof inTurn, rule: VerdictRule): number => of.filter((one) => one.rule === rule).length
  return found.map(({ rule, findings }) => {
    const [full, all] = [share(opened, rule), share(named, rule)]
    return {
      rule,
      full: findings.slice(0, full),
      brief: findings.slice(full, all),
      hidden: findings.length - all,
    }
  })
}

function ruleFindings({ rule, full, brief, hidden }: PickedRule, openFirst: boolean): Markup {
  const { id, level, section, status } = rule
  const rest = html`${counted(hidden, 'more finding')} of this rule: see verdict.json, beside this page.`
  return html`<article id="findings/${id}" data-findings="${id}">
    <h3>${badge(status)} <a href="#${id}">${id}</a></h3>
    <p>${withCodeNames(capitalised(sentenceOf(rule)))} <span class="faint">(${level})</span></p>
    <div class="promise">${promise(id, section)}</div>
    ${full.map((finding, index) => findingDetails(finding, openFirst && index === 0))}
    ${
      brief.length === 0
        ? nothing
        : html`<ul>
            ${brief.map(inBrief)}
          </ul>`
    }
    ${hidden === 0 ? nothing : html`<p class="hidden-count">${rest}</p>`}
  </article>`
}

function inBrief({ summary, count, fingerprint, waived }: Finding): Markup {
  const covered = waived === undefined ? '' : `, waived: ${short(waived)}`
  return html`<li>
    ${short(visible(summary))}
    <span class="faint">${counted(count, 'time')}, ${beginning(fingerprint, 40)}${covered}</span>
  </li>`
}

function findingDetails(finding: Finding, open: boolean): Markup {
  const { summary, waived, reproduced, count } = finding
  return html`<details class="finding" ${open ? html` open` : nothing}>
    <summary>
      <strong>${short(withCodeNames(visible(summary)))}</strong>
      <span class="faint">${reproduced}${count > 1 ? `, met ${count} times` : ''}</span>
      ${waived === undefined ? nothing : html`<span class="waived">waived: ${short(waived)}</span>`}
    </summary>
    <dl class="facts">${facts(finding)}</dl>
  </details>`
}

const extent = { body: 0, field: 600, detail: 'full' } as const
type Kinds = ReadonlySet<FindingFact['kind']>
/** Facts shown before the exchange, which has the rest. */
const before: Kinds = new Set(['documented', 'reproduced', 'waived'])
const after: Kinds = new Set(['case', 'theirId', 'example'])

function facts(finding: Finding): readonly Markup[] {
  const { exchange, curl, replay, trace } = finding
  const { request } = exchange
  const legendOfRequest = legend([[request.method, request.url], ...request.headers])
  const named = findingFacts(finding, extent)
  const shown = (kinds: Kinds, markup: typeof wide): readonly Markup[] =>
    named
      .filter(({ kind }) => kinds.has(kind))
      .map(({ label, value }) => markup(capitalised(label), html`${short(value)}`))
  return [
    factMarkup('Answered', html`<strong>${withCodeNames(answerOf(finding))}</strong>`),
    ...shown(before, factMarkup),
    wide('What was sent', html`${copyable('what was sent', lines(requestLines(request)))}${legendOfRequest}`),
    wide(`What came, after ${duration(Math.round(exchange.durationMs))}`, answer(exchange)),
    ...(curl === null ? [] : [wide('curl', toCopy('the curl line', curl))]),
    wide(
      'Replay',
      replay === null
        ? html`<p>It was met across the whole run, so no single case can be sent again.</p>`
        : toCopy('the replay line', replay),
    ),
    ...(trace === undefined ? [] : [wide('Trace', traceLink(trace))]),
    ...shown(after, wide),
    factMarkup('Fingerprint', html`<code>${beginning(finding.fingerprint, 200)}</code>`),
  ]
}

function wide(name: string, value: Markup): Markup {
  return html`<div class="whole">
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`
}

type Fields = ShownExchange['request']['headers']

function requestLines({ method, url, headers, body, bodyCut }: ShownExchange['request']): readonly string[] {
  const ofBody = body === undefined ? [] : ['', ...beginning(visible(body), longestBody, bodyCut).split('\n')]
  return [`${method} ${short(visible(url))}`, ...fieldLines(headers), ...ofBody]
}

function answer({ response }: ShownExchange): Markup {
  if (response === null) return html`<p>No answer came.</p>`
  const { status, reason, headers, trailers = [], body, bodyCut } = response
  const block = copyable(
    'what came',
    lines([
      reason === undefined ? `${status}` : `${status} ${short(reason)}`,
      ...fieldLines(headers),
      ...(body === '' && bodyCut === 0 ? [] : ['', ...beginning(body, longestBody, bodyCut).split('\n')]),
      ...(trailers.length === 0 ? [] : ['', ...fieldLines(trailers)]),
    ]),
  )
  return html`${block}${legend([...headers, ...trailers])}`
}

function fieldLines(fields: Fields): readonly string[] {
  const hidden = fields.length - mostFields
  const rows = fields
    .slice(0, mostFields)
    .map(([name, value]) => `${short(visible(name))}: ${short(visible(value))}`)
  return hidden > 0 ? [...rows, `… (${hidden} more fields)`] : rows
}

function legend(shown: Fields): Markup {
  const says = legendOf(shown.slice(0, mostFields + 1))
  return says === null ? nothing : html`<p class="faint">${says}</p>`
}

function toCopy(name: string, line: string): Markup {
  if (isCopyable(line)) return copyable(name, html`${line}`)
  return html`<p>It cannot be shown here whole: see verdict.json, beside this page.</p>`
}
/** The id of a trace, linked to where it is looked up; a verdict from elsewhere may name any address. */
function traceLink({ id, url }: NonNullable<Finding['trace']>): Markup {
  const isLink = url !== null && /^https?:\/\//.test(url)
  return isLink ? html`<a href="${url}"><code>${id}</code></a>` : html`<code>${id}</code>`
}
