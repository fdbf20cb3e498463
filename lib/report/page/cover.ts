import type { Verdict } from '../../verdict/verdict.ts'
import {
  askedAddress,
  embeddedSubject,
  exceptionCount,
  headlineWord,
  isCovered,
  notJudgedText,
  verdictSentence,
} from '../headline.ts'
import { powerSentence } from '../power.ts'
import { factMarkup, htmlSections, type Links } from '../render/html.ts'
import { html, nothing, type Markup } from '../render/markup.ts'
import { short } from '../sections.ts'
import { waivedSection } from '../waiver-sections.ts'
import { aboutService, capitalised, duration, moment, plural } from '../words.ts'

/** Cover of an acceptance: who judged what for whom, the verdict to quote, agreed exceptions, and lines to sign on paper. */
export function cover(verdict: Verdict, links: Links): Markup {
  if (verdict.profile !== 'acceptance' || verdict.rules.length === 0) return nothing
  const waived = waivedSection(verdict)
  return html`<section class="cover" aria-labelledby="cover">
    <h2 id="cover">Acceptance of a card-switching and customization service</h2>
    <blockquote><p>${statement(verdict)}</p></blockquote>
    <dl class="facts">
      ${facts(verdict).map(([name, value]) => factMarkup(name, short(value)))}
      ${toFillIn.map((name) => html`<div class="on-paper">${factMarkup(name, blank)}</div>`)}
    </dl>
    ${
      waived === null
        ? html`<p>No exceptions were agreed.</p>`
        : htmlSections([{ ...waived, id: 'exceptions', title: exceptionsTitle(verdict) }], links)
    }
    <p class="faint">
      The statement holds for these requests to this address at this time. What no verdict covers is listed
      below.
    </p>
    <table class="signatures on-paper">
      <thead>
        <tr>
          ${['For', 'Name', 'Place and date', 'Signature'].map((name) => html`<th scope="col">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${['the supplier', 'the client'].map(
          (party) =>
            html`<tr>
              <th scope="row">${party}</th>
              <td></td>
              <td></td>
              <td></td>
            </tr>`,
        )}
      </tbody>
    </table>
  </section>`
}

function exceptionsTitle(verdict: Verdict): string {
  const rules = verdict.rules.filter(isCovered).length
  return `Agreed exceptions (${exceptionCount(verdict)}, for ${plural(rules, 'rule')})`
}

const blank = html`<span class="blank"></span>`

/** What no run knows. `bundle` prints the last two. */
const toFillIn = ['Supplier', 'Client', 'Judged by', 'SHA-256 of the evidence archive', 'Signing key']

/** The verdict in one sentence that can be quoted alone. */
export function statement(verdict: Verdict): string {
  const { target, suite, startedAt, rules } = verdict
  const label = target.label === null ? '' : ` (${short(target.label)})`
  const address = target.embedded ? `the ${embeddedSubject}` : `the service at ${short(askedAddress(target))}`
  const set = typeof verdict.ruleSet !== 'string' ? '' : ` of the rule set ${short(verdict.ruleSet)}`
  const worth = powerSentence(verdict)
  const isJudged = verdict.verdict === 'conformant' || verdict.verdict === 'nonconformant'
  const word = headlineWord(verdict)
  const found = isJudged ? `found it ${word}` : `came to no verdict (${word})`
  return `On ${startedAt.slice(0, 10)} card-switch-conformance ${suite.version} judged ${address}${label}, version ${short(target.version)}, by ${plural(aboutService(rules).length, 'rule')}${set} and ${found}: ${verdictSentence(verdict)}.${worth === null ? '' : ` ${capitalised(worth)}.`}`
}

function facts(verdict: Verdict): readonly (readonly [string, string])[] {
  const { target, suite, specification, startedAt, durationMs, profile, strict, ruleSet } = verdict
  const unjudged = notJudgedText(target)
  return [
    ['Service and build', target.label ?? 'not named (TARGET_LABEL)'],
    ...(target.buildDigest === undefined ? [] : [['Digest of the build', target.buildDigest] as const]),
    ['Address', askedAddress(target)],
    ...(unjudged === null ? [] : [['Endpoints', unjudged] as const]),
    ['Date', `${moment(startedAt)}, ${duration(durationMs)}`],
    ['Suite', `card-switch-conformance ${suite.version}, profile ${profile}${strict ? ', strict' : ''}`],
    ...(typeof ruleSet === 'string' ? [['Rule set', ruleSet] as const] : []),
    ...specificationFacts(specification),
  ]
}

/** Name, edition and hash of the specification that was judged. */
export function specificationFacts({
  title,
  version,
  sha256,
}: Verdict['specification']): readonly (readonly [string, string])[] {
  return [
    ['Specification', title],
    ['Its version', version ?? 'none is named in its text'],
    ['SHA-256 of its text', sha256],
  ]
}
