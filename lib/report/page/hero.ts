import { partsOf, statuses, type Verdict } from '../../verdict/verdict.ts'
import { bondOf, countsOf } from '../model/cause-text.ts'
import { withCodeNames } from '../model/codes.ts'
import { listOf, type Section } from '../model/document.ts'
import {
  askedAddress,
  connectionTexts,
  exitMeaning,
  headlineWord,
  otherReasons,
  verdictSentence,
} from '../model/headline.ts'
import { factMarkup, htmlSections, type Links } from '../render/html.ts'
import { icon, toneOfVerdict } from '../render/icons.ts'
import { subjectName } from '../render/parts.ts'
import { html, nothing, type Markup } from '../render/markup.ts'
import { short } from '../model/sections.ts'
import { groupBy, capitalised, counted, duration, grouped, moment } from '../../text/counts.ts'
import { statusCount } from '../model/rule-counts.ts'
import { countedRules } from '../../verdict/counted-rules.ts'
import { specificationFacts } from './statement.ts'

/** Maximum reasons; the list of rules has all. */
const mostReasons = 20

/** Verdict at a glance: sentence, target and settings, what is breached of contract and convention, and reasons that no cause tells. */
export function hero(verdict: Verdict, links: Links): Markup {
  const tone = toneOfVerdict(verdict)
  const { target } = verdict
  const reasons: Section = {
    id: 'reasons',
    blocks: listOf(
      otherReasons(verdict).map((text) => ({ text: withCodeNames(short(text)) })),
      mostReasons,
    ),
  }
  return html`<section class="hero ${tone}" aria-labelledby="verdict">
    ${icon(tone)}
    <div>
      <h1 id="verdict" tabindex="-1">${capitalised(headlineWord(verdict))}: ${verdictSentence(verdict)}.</h1>
      <p class="target">
        ${subjectName(target)}<code>${short(askedAddress(target))}</code>${connectionTexts(verdict).map((text) => html`, ${short(text)}`)}
      </p>
      ${breaches(verdict)} ${reasons.blocks.length === 0 ? nothing : htmlSections([reasons], links)}
      ${counts(verdict)}
      <dl class="facts">${facts(verdict).map(([name, value]) => factMarkup(name, short(value)))}</dl>
    </div>
  </section>`
}

/** How much of what is breached is contract, and how much convention. */
function breaches(verdict: Verdict): Markup {
  const { causes, rules } = verdict
  const groups = groupBy(
    causes,
    (cause) => `${bondOf(cause, rules)}, ${cause.warning ? 'warned' : 'violated'}`,
  )
  if (groups.size === 0) return nothing
  return html`<ul class="breaches">
    ${[...groups].map(
      ([name, own]) => html`<li><strong>${capitalised(name)}:</strong> ${countsOf(own, verdict)}</li>`,
    )}
  </ul>`
}

function counts({ rules: all }: Verdict): Markup {
  const rules = countedRules(all)
  const met = statuses.filter((status) => statusCount(rules, status) > 0)
  if (met.length === 0) return nothing
  return html`${proportion(rules)}
    <ul class="counts" aria-label="Rules by status">
      ${met.map((status) => html`<li>${icon(status)}<strong>${statusCount(rules, status)}</strong> ${status}</li>`)}
    </ul>`
}

/** Bar of rule counts by status; its words stand beside it. */
function proportion(rules: Parameters<typeof statusCount>[0]): Markup {
  const shares = statuses.map((status) => (100 * statusCount(rules, status)) / Math.max(1, rules.length))
  const parts = statuses.map((status, index) => {
    const start = shares.slice(0, index).reduce((sum, share) => sum + share, 0)
    return html`<rect class="${status}" x="${start}" width="${shares[index] ?? 0}" height="1" />`
  })
  return html`<svg class="proportion" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
    ${parts}
  </svg>`
}

function facts(verdict: Verdict): readonly (readonly [string, string])[] {
  const { profile, strict, startedAt, durationMs, seed, fuzzCases } = verdict
  const { suite, requests, target, baseline, specification } = verdict
  return [
    ['Profile', `${profile}${strict ? ', strict' : ''}`],
    ['Started', `${moment(startedAt)}, took ${duration(durationMs)}`],
    ['Seed', `${seed}, ${counted(fuzzCases, 'fuzz case')} per rule`],
    ['Requests', sent(requests)],
    ['x-version', target.version],
    ['Suite', `card-switch-conformance ${suite.version}`],
    ['Ended with', exitMeaning(verdict)],
    ...(profile === 'acceptance' ? [] : specificationFacts(specification)),
    ...partsOf(verdict).map((one) => ['Only a part', one] as const),
    ...(baseline === undefined ? [] : [['Baseline', `${baseline.did}: ${baseline.file}`] as const]),
  ]
}

function sent({ sent: count, budget, retried, confirming }: Verdict['requests']): string {
  const extra = [
    ...(retried > 0 ? [`${grouped(retried)} retried`] : []),
    ...(confirming > 0 ? [`${grouped(confirming)} to confirm`] : []),
  ]
  return `${grouped(count)} of at most ${grouped(budget)}${extra.length === 0 ? '' : ` (${extra.join(', ')})`}`
}
