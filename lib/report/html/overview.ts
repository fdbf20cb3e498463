import { connectionTexts } from '../connection-text.ts'
import { duration } from '../duration.ts'
import { embeddedNotice } from '../embedded-notice.ts'
import { exitMeaning } from '../exit-meaning.ts'
import { askedAddress, headlineWord } from '../headline.ts'
import { countOf } from '../outcomes.ts'
import { statuses } from '../../verdict/verdict.ts'
import { beginning } from '../../settings/printable.ts'
import type { Verdict, VerdictRule } from '../../verdict/verdict.ts'
import { findingsAnchor } from './findings.ts'
import { icon, toneOfVerdict } from './icons.ts'
import { html, nothing, type Markup } from './markup.ts'
import { verdictSentence } from '../verdict-sentence.ts'
import { capitalised, counted, grouped, moment } from './wording.ts'

const longestFact = 300
const longestReason = 600
/** The matrix below has all; these are to be read before it. */
const mostReasons = 20

/** The verdict at a glance: the sentence, what was judged and how, the counts, and why it is not conformant. */
export function overview(verdict: Verdict): Markup {
  const tone = toneOfVerdict(verdict)
  return html` ${verdict.target.embedded ? html`<p class="embedded">${embeddedNotice}</p>` : nothing}
    <section class="hero ${tone}" aria-labelledby="verdict">
      ${icon(tone)}
      <div>
        <h1 id="verdict">${capitalised(headlineWord(verdict))}: ${verdictSentence(verdict)}.</h1>
        <p class="target">${targetOf(verdict)}${between(verdict)}</p>
        ${reasons(verdict)} ${counts(verdict)}
        <dl class="facts">${facts(verdict)}</dl>
      </div>
    </section>`
}

function targetOf({ target }: Verdict): Markup {
  const label =
    target.label === null ? nothing : html`<strong>${beginning(target.label, longestFact)}</strong> `
  return html`${label}<code>${beginning(askedAddress(target), longestFact)}</code>`
}

function between(verdict: Verdict): Markup {
  return html`${connectionTexts(verdict).map((text) => html`, ${beginning(text, longestFact)}`)}`
}

function reasons({ because, rules }: Verdict): Markup {
  if (because.length === 0) return nothing
  const hidden = because.length - mostReasons
  return html`<ul class="reasons">
    ${because.slice(0, mostReasons).map((reason) => html`<li>${linked(beginning(reason, longestReason), rules)}</li>`)}
    ${hidden > 0 ? html`<li>${counted(hidden, 'more reason')} in verdict.json</li>` : nothing}
  </ul>`
}

/** A reason that begins with a rule leads to what was found for it, or else to the rule. */
function linked(reason: string, rules: readonly VerdictRule[]): Markup {
  const id = /^[a-z0-9-]+\/[a-z0-9-]+/.exec(reason)?.[0] ?? ''
  const rule = rules.find((one) => one.id === id)
  if (rule === undefined) return html`${reason}`
  const place = rule.findings.length > 0 ? findingsAnchor(id) : id
  return html`<a href="#${place}">${id}</a>${reason.slice(id.length)}`
}

function counts({ rules }: Verdict): Markup {
  if (rules.length === 0) return nothing
  const met = statuses.filter((status) => countOf(rules, status) > 0)
  const widths = met.map((status) => (100 * countOf(rules, status)) / rules.length)
  const starts = widths.map((_, index) => widths.slice(0, index).reduce((sum, width) => sum + width, 0))
  return html`<svg class="proportion" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
      ${met.map((status, index) => html`<rect class="${status}" x="${starts[index] ?? 0}" width="${widths[index] ?? 0}" height="1" />`)}
    </svg>
    <ul class="counts" aria-label="Rules by status">
      ${met.map((status) => html`<li>${icon(status)}<strong>${countOf(rules, status)}</strong> ${status}</li>`)}
    </ul>`
}

function facts(verdict: Verdict): readonly Markup[] {
  const { profile, strict, startedAt, durationMs, seed, fuzzCases, suite, requests, target } = verdict
  const { selection, baseline } = verdict
  const { only, shard = null } = selection
  const part = [only?.join(', '), shard === null ? undefined : `shard ${shard}`]
  const rows: readonly (readonly [string, string])[] = [
    ['Profile', `${profile}${strict ? ', strict' : ''}`],
    ['Started', moment(startedAt)],
    ['Took', duration(durationMs)],
    ['Seed', `${seed}, ${counted(fuzzCases, 'fuzz case')} per rule`],
    ['Requests', sent(requests)],
    ['x-version', target.version],
    ['Suite', `card-switch-conformance ${suite.version}`],
    ['Ended with', exitMeaning(verdict)],
    ...part.flatMap((one) => (one === undefined ? [] : [['Only a part', one] as const])),
    ...(baseline === undefined ? [] : [['Baseline', `${baseline.did}: ${baseline.file}`] as const]),
  ]
  return rows.map(
    ([name, value]) =>
      html`<div>
        <dt>${name}</dt>
        <dd>${beginning(value, longestFact)}</dd>
      </div>`,
  )
}

function sent({ sent: count, budget, retried, confirming }: Verdict['requests']): string {
  const extra = [
    ...(retried > 0 ? [`${grouped(retried)} retried`] : []),
    ...(confirming > 0 ? [`${grouped(confirming)} to confirm`] : []),
  ]
  return `${grouped(count)} of at most ${grouped(budget)}${extra.length === 0 ? '' : ` (${extra.join(', ')})`}`
}
