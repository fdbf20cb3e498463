import { packageVersion } from '../../settings/package-version.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { natureOf, waivedCauses } from '../model/cause-text.ts'
import { withCodeNames } from '../model/codes.ts'
import { listOf, type Section } from '../model/document.ts'
import {
  askedAddress,
  briefSubject,
  embeddedSubject,
  exceptionCount,
  headlineWord,
  inBrackets,
  isCovered,
  notJudgedText,
  verdictSentence,
} from '../model/headline.ts'
import { powerSentence } from '../model/power-sections.ts'
import { factMarkup, htmlSections, type Links } from '../render/html.ts'
import { toneOfVerdict } from '../render/icons.ts'
import { html, nothing, type Markup } from '../render/markup.ts'
import { bodyOf, tableOf } from '../render/parts.ts'
import { short } from '../model/sections.ts'
import { visible } from '../../text/visible.ts'
import { waivedSection } from '../model/waiver-sections.ts'
import { ruleCounts } from '../model/rule-counts.ts'
import { countedRules } from '../../verdict/counted-rules.ts'
import { capitalised, duration, moment, plural } from '../../text/counts.ts'

/** Version of the suite that makes the reports again from the verdict; null if it is that of the run. */
export function madeAgainBy({ suite }: Pick<Verdict, 'suite'>): string | null {
  return suite.version === packageVersion() ? null : packageVersion()
}

/** Statement of an acceptance, to be printed and signed: the verdict as its heading, agreed exceptions, the decision and its signatures. */
export function statementMarkup(verdict: Verdict, digest: string | null, links: Links): Markup {
  if (verdict.profile !== 'acceptance' || verdict.rules.length === 0) return nothing
  return html`<details class="statement printed">
    <summary>Statement to print and sign</summary>
    <section class="cover" aria-labelledby="cover">
      <h2 id="cover" class="${toneOfVerdict(verdict)}">${statementHeading(verdict)}</h2>
      <p>Statement on a card-switching and customization service</p>
      <blockquote><p>${statement(verdict)}</p></blockquote>
      <dl class="facts">
        ${factsOf(verdict, digest).map(([name, value]) => factMarkup(name, short(value)))}
        ${toFillIn.map((name) => factMarkup(name, blank))}
      </dl>
      ${htmlSections([exceptions(verdict), ...violations(verdict)], links)} ${decision(verdict)}
    </section>
  </details>`
}

/** Verdict and its gravest breach: `NOT CONFORMANT: a request with a wrong secret key was let in`. */
function statementHeading(verdict: Verdict): string {
  const subject = verdict.target.embedded ? `${embeddedSubject}: ` : ''
  const [gravest] = verdict.causes.filter(({ warning }) => !warning)
  const [waived] = waivedCauses(verdict)
  const grave = verdict.verdict === 'nonconformant' ? gravest : waived
  const breach = grave === undefined ? '' : `: ${inSentence(grave.sentence)}`
  const word = headlineWord(verdict)
  if (verdict.verdict === 'nonconformant') return `${subject}NOT CONFORMANT${breach}`
  return verdict.verdict === 'conformant'
    ? `${subject}${word.toUpperCase()}${breach}`
    : `${subject}NO VERDICT: ${word}`
}

function inSentence(sentence: string): string {
  const text = withCodeNames(short(visible(sentence)))
  return text.charAt(0).toLowerCase() + text.slice(1)
}

function exceptions(verdict: Verdict): Section {
  const rules = countedRules(verdict.rules).filter(isCovered).length
  const waived = waivedSection(verdict)
  const id = 'exceptions'
  if (waived === null) return { id, blocks: [{ kind: 'text', text: 'No exceptions were agreed.' }] }
  return {
    ...waived,
    id,
    title: `Agreed exceptions (${exceptionCount(verdict)}, for ${plural(rules, 'rule')})`,
  }
}

/** Maximum violations on the statement; the page has all. */
const mostViolations = 12

function violations(verdict: Verdict): readonly Section[] {
  const open = verdict.causes.filter(({ warning }) => !warning)
  if (open.length === 0) return []
  const items = open.map((cause) => ({
    status: 'failed' as const,
    text: `${withCodeNames(short(visible(cause.sentence)))} (${natureOf(cause, verdict.rules)})`,
  }))
  return [{ id: 'refused-for', title: `Violations (${open.length})`, blocks: listOf(items, mostViolations) }]
}

const blank = html`<span class="blank"></span>`

/** What no run knows. */
const toFillIn = ['Supplier', 'Client', 'Judged by']

/** On the sheet of what it decides about; where a list fills sheets, it names that at its top. Never split. */
function decision(verdict: Verdict): Markup {
  const { target, startedAt } = verdict
  const cells = html`<td></td>
    <td></td>
    <td></td>`
  const parties = ['the supplier', 'the client'].map(
    (party) =>
      html`<tr>
        <th scope="row">${party}</th>
        ${cells}
      </tr>`,
  )
  return html`<div class="decision">
    <div class="kept">
      <p>
        <strong>${statementHeading(verdict)}</strong>: ${short(briefSubject(target))}, ${moment(startedAt)}
      </p>
      <p>
        Decision:
        ${['accepted', 'accepted with exceptions', 'refused'].map((name) => html`<span class="choice"><span class="box"></span>${name}</span> `)}
      </p>
      <p>Exceptions other than those above: ${blank}</p>
      <p>
        The signer has read this verdict and takes the decision marked; this does not say that there are no
        other faults. It holds for these requests to this address at this time. The sheets that follow tell
        what was found, what was not judged and what no verdict covers; each names this verdict at its foot.
      </p>
      ${tableOf('signatures', [['For', 'Name', 'Place and date', 'Signature'], bodyOf(parties)])}
    </div>
  </div>`
}

/** The verdict in one sentence that can be quoted alone. */
export function statement(verdict: Verdict): string {
  const { target, suite, startedAt, rules } = verdict
  const named = inBrackets(target)
  const address = target.embedded ? `the ${embeddedSubject}` : `the service at ${short(askedAddress(target))}`
  const worth = powerSentence(verdict)
  const isJudged = verdict.verdict === 'conformant' || verdict.verdict === 'nonconformant'
  const word = headlineWord(verdict)
  const found = isJudged ? `found it ${word}` : `came to no verdict (${word})`
  return `On ${startedAt.slice(0, 10)} card-switch-conformance ${suite.version} judged ${address}${named}, version ${short(target.version)}, by ${plural(countedRules(rules).length, 'rule')} and ${found}: ${verdictSentence(verdict)}.${worth === null ? '' : ` ${capitalised(worth)}.`}`
}

function factsOf(verdict: Verdict, digest: string | null): readonly (readonly [string, string])[] {
  const { target, suite, specification, startedAt, durationMs, profile, strict, validUntil } = verdict
  const { rules, notCovered } = verdict
  const again = madeAgainBy(verdict)
  const unjudged = notJudgedText(target)
  return [
    ['Service', target.label ?? 'not named (TARGET_LABEL)'],
    ['Build', target.build ?? 'not named (TARGET_BUILD)'],
    ['Address', askedAddress(target)],
    ...(unjudged === null ? [] : [['Endpoints', unjudged] as const]),
    ['Rules', ruleCounts(rules)],
    ['Not covered', `${plural(notCovered.length, 'subject')}, listed in this report`],
    ['Date', `${moment(startedAt)}, ${duration(durationMs)}`],
    ['It holds until', validUntil === undefined ? 'no day is set (RUN_VALID_DAYS)' : moment(validUntil)],
    ['Suite', `card-switch-conformance ${suite.version}, profile ${profile}${strict ? ', strict' : ''}`],
    ...(again === null
      ? []
      : [['Reports', `made again from verdict.json by card-switch-conformance ${again}`] as const]),
    ...specificationFacts(specification),
    ...(digest === null ? [] : [['SHA-256 of verdict.json', digest] as const]),
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

/** Maximum length of what was judged at the foot of a sheet, in characters. */
const longestSubject = 60

/** What stands at the foot of every printed sheet: the verdict, whose it is, when, and its digest. */
export function sheetFoot(verdict: Verdict, digest: string | null): string {
  const { target, startedAt } = verdict
  const subject = briefSubject(target).slice(0, longestSubject)
  const hash = digest === null ? '' : `, verdict.json SHA-256 ${digest}`
  return `${headlineWord(verdict)}, ${subject}, ${startedAt.slice(0, 10)}${hash}`
}
