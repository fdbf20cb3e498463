import { countedRules } from '../../specification/rules.ts'
import { plural } from '../../text/counts.ts'
import type { CauseView } from '../model/cause-view.ts'
import { factsOf, type Fact } from '../model/finding-view.ts'
import { askedAddress, embeddedSubject, exceptionCount, inBrackets, isCovered } from '../model/headline.ts'
import { html, nothing, type Markup } from '../render/markup.ts'
import type { View } from '../view.ts'
import { factsMarkup, listMarkup, rowsOf, tableOf } from './shell.ts'

/** Maximum number of violations and of exceptions on the statement; the page contains all of them. */
const most = { failed: 12, waived: 60 } as const

/** The acceptance statement, a sheet to print and sign: the parties, the verdict, the target, the decision, and room for signatures. */
export function statementMarkup(view: View): Markup {
  const { of, look } = view
  if (of.profile !== 'acceptance' || of.rules.length === 0) return nothing
  return html`<details class="box statement printed">
    <summary class="screen">Statement to print and sign</summary>
    <section aria-labelledby="cover">
      <p>Statement of conformance: card-switching and customization service</p>
      ${factsMarkup(parties.map((label) => ({ label, value: html`<hr />` })))}
      <h2 id="cover" class="toned ${look === 'passed' || look === 'failed' ? look : 'warned'}">
        ${statementHeading(view)}
      </h2>
      <p>${statement(view)}</p>
      ${factsMarkup(factsOnSheet(view))} ${exceptions(view)} ${listed('Violations', view, 'failed')}
      ${decision()}
    </section>
  </details>`
}

const parties = ['Supplier', 'Client']

/** The verdict and its most severe breach: `NOT CONFORMANT: a request with a wrong secret key was accepted`. */
function statementHeading({ of: { verdict, target }, word, causes }: View): string {
  const subject = target.embedded ? `${embeddedSubject}: ` : ''
  const isRefused = verdict === 'nonconformant'
  const grave = causes.find(({ status }) => status === (isRefused ? 'failed' : 'waived'))
  const breach =
    grave === undefined ? '' : `: ${grave.sentence.charAt(0).toLowerCase()}${grave.sentence.slice(1)}`
  if (isRefused) return `${subject}NOT CONFORMANT${breach}`
  return verdict === 'conformant'
    ? `${subject}${word.toUpperCase()}${breach}`
    : `${subject}NO VERDICT: ${word}`
}

/** The verdict in one sentence that can be quoted on its own. */
export function statement({ of, word, sentence }: View): string {
  const { target, suite, startedAt, rules, verdict } = of
  const address = target.embedded ? `the ${embeddedSubject}` : `the service at ${askedAddress(target)}`
  const isJudged = verdict === 'conformant' || verdict === 'nonconformant'
  const found = isJudged ? `found it ${word}` : `reached no verdict (${word})`
  return `On ${startedAt.slice(0, 10)} card-switch-conformance ${suite.version} judged ${address}${inBrackets(target)}, version ${target.version}, against ${plural(countedRules(rules).length, 'rule')} and ${found}: ${sentence}.`
}

const factsOfRun = [
  'Profile',
  'Started',
  'Requests',
  'Suite',
  'Specification',
  'SHA-256 of the specification',
  'Valid until',
  'Reports',
]

function factsOnSheet({ of: { target }, counts, endpoints, facts, digest }: View): readonly Fact[] {
  return [
    ...factsOf({
      Service: target.label ?? 'not named',
      Build: target.build ?? 'not named',
      Address: askedAddress(target),
      Rules: counts,
      'Not judged': endpoints.length === 0 ? null : endpoints.map(({ name }) => name).join(', '),
    }),
    ...facts.filter(({ label }) => factsOfRun.includes(label)),
    ...factsOf({ 'SHA-256 of verdict.json': digest }),
  ]
}

function exceptions(view: View): Markup {
  const count = exceptionCount(view.of)
  if (count === 0) return html`<p>No exceptions were agreed.</p>`
  const endpoints = view.endpoints.flatMap(({ name, waived }) =>
    waived === null ? [] : [`${name}: ${waived}`],
  )
  const rules = countedRules(view.of.rules).filter(isCovered)
  return html`<p><strong>Agreed exceptions (${count}, for ${plural(rules.length, 'rule')})</strong></p>
    ${listed('', view, 'waived')} ${listMarkup([...view.excepted, ...endpoints])}`
}

function listed(title: string, { causes }: View, wanted: 'failed' | 'waived'): Markup {
  const own = causes.filter(({ status }) => status === wanted)
  if (own.length === 0) return nothing
  const items = own.slice(0, most[wanted]).map(causeText)
  const more = own.length - items.length
  const broken = new Set(own.flatMap((cause) => cause.broken))
  return html`${title === '' ? nothing : html`<p><strong>${title} (${plural(own.length, 'problem')}, ${plural(broken.size, 'rule')})</strong></p>`}
  ${listMarkup(items)}${more > 0 ? html`<p>${more} more in the report</p>` : nothing}`
}

function causeText({ sentence, nature, agreed }: CauseView): string {
  return [`${sentence} (${nature.toLowerCase()})`, ...agreed].join('; ')
}

/** Never split across sheets. */
function decision(): Markup {
  const rows = parties.map((party) => [html`<th scope="row">${party}</th>`, '', '', ''])
  return html`<div class="kept">
    <p>Decision: ☐ accepted ☐ accepted with exceptions ☐ refused</p>
    <p>Exceptions other than those above:</p>
    <hr />
    <p>
      By signing, each party confirms that it has read this report and agrees to the decision marked above.
      Conformance was tested only for the requests listed.
    </p>
    ${tableOf('signatures', [['For', 'Name', 'Place and date', 'Signature'], rowsOf(rows)])}
  </div>`
}
