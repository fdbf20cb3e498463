import type { Finding } from '../../judge/record.ts'
import { beginning } from '../../settings/printable.ts'
import { sentenceOf } from '../rule-sentence.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { visible } from '../visible.ts'
import { findingDetails } from './finding.ts'
import { badge } from './icons.ts'
import { html, nothing, type Markup } from './markup.ts'
import { pickForPage, type PickedRule } from './pick.ts'
import { capitalised, counted } from './wording.ts'

/** What keeps a page with ten thousand findings below a second to open. */
const bounds = { full: 60, brief: 240 } as const
const longestSummary = 400

/** Where the findings of a rule stand in the page. */
export function findingsAnchor(rule: string): string {
  return `findings/${rule}`
}

/** The findings, rule by rule: each opens to all that is known of it. What the page has no room for is counted. */
export function findingsSection({ rules }: Verdict): Markup {
  const picked = pickForPage(rules, bounds)
  if (picked.length === 0) return nothing
  return html`<section class="findings" aria-labelledby="findings">
    <h2 id="findings">Findings</h2>
    ${picked.map((one, index) => ruleFindings(one, index === 0 && one.rule.status === 'failed'))}
  </section>`
}

function ruleFindings({ rule, full, brief, hidden }: PickedRule, openFirst: boolean): Markup {
  return html`<article id="${findingsAnchor(rule.id)}" data-findings="${rule.id}">
    <h3>${badge(rule.status)} <a href="#${rule.id}">${rule.id}</a></h3>
    <p class="sentence">
      ${capitalised(sentenceOf(rule.id))} <span class="muted">(${rule.level}; ${rule.section})</span>
    </p>
    ${full.map((finding, index) => findingDetails(finding, openFirst && index === 0))}
    ${
      brief.length === 0
        ? nothing
        : html`<ul class="brief">
            ${brief.map(inBrief)}
          </ul>`
    }
    ${hidden === 0 ? nothing : html`<p class="hidden-count">${counted(hidden, 'more finding')} of this rule: see verdict.json, beside this page.</p>`}
  </article>`
}

function inBrief({ summary, count, fingerprint, waived }: Finding): Markup {
  const covered = waived === undefined ? '' : `, waived: ${beginning(waived, longestSummary)}`
  return html`<li>
    ${beginning(visible(summary), longestSummary)}
    <span class="muted">${counted(count, 'time')}, ${beginning(fingerprint, 40)}${covered}</span>
  </li>`
}
