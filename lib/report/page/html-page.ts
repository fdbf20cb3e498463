import { countedRules } from '../../specification/rules.ts'
import { groupBy } from '../../text/members.ts'
import { capitalised, counted, plural } from '../../text/printable.ts'
import { withCodeNames } from '../../verdict/cause-sentence.ts'
import type { CauseView } from '../model/cause-view.ts'
import { factsOf, type CommandLine, type FindingView } from '../model/finding-view.ts'
import { askedAddress, embeddedSubject, exceptionCount, inBrackets, isCovered } from '../model/headline.ts'
import { mostCauses, type RuleView, type View } from '../view.ts'
import {
  html,
  lines,
  type Part,
  badge,
  bodyOf,
  copyable,
  factsMarkup,
  heroOf,
  icon,
  joined,
  listMarkup,
  pageShell,
  rowsOf,
  tableOf,
  titled,
} from './shell.ts'

/** The meaning of the words used in the reports. */
export const legend = factsOf({
  passed: 'every judged answer is allowed.',
  failed: 'an answer is not allowed, and no waiver covers it.',
  warned: 'an answer is not allowed, but the profile does not count it as a violation.',
  waived: 'covered by a waiver, or not judged because of a waived breach.',
  inconclusive: 'judging began, but network trouble, the quota or the budget prevented a result.',
  untested: 'not judged, because a setting that the rule needs is missing.',
  documented: 'a contract: the specification says so.',
  implied: 'a convention: HTTP, JSON or basic security requires it; the specification is silent.',
  requested: 'you asked for it with a baseline.',
  expectation: 'about the suite and your files, never about the service.',
  gate: 'the profile for every deployment: few cases.',
  acceptance: 'the profile for accepting a supplier: more cases, every documented rule must be judged.',
  nightly: 'the profile for every night: many cases, a new seed each day.',
  strict: 'breaches of implied rules count as violations.',
  finding: 'an answer that is not allowed, with its request.',
  cause: 'findings that share one explanation.',
  fingerprint: 'the name of a finding, the same in every run.',
  power: 'the rate of wrong answers that a green run excludes, if faults are random.',
  waiver: 'an entry that accepts a breach until a date, with a reason and an owner.',
  baseline: 'a file with the shapes of earlier answers, to find breaking changes.',
})

/** Maximum number of causes per status that are printed with their exchange. */
const mostOnPaper = 12
/** Maximum number of findings printed per cause. */
const mostListed = 24
/** Maximum number of causes per status for which only the sentence is shown. */
const mostSentences = 240
/** Maximum length of the target's name in the title and at the bottom of a sheet, in characters. */
const longestSubject = 60

/**
 * The `index.html` page for a verdict: the verdict on one screen, each cause with the expected and actual answers, and collapsed
 * details. It covers only this run and needs no script.
 */
export function htmlPage(view: View) {
  const { notice, of, brief, word, alarms, digest, made } = view
  const title = [word, brief.slice(0, longestSubject), of.startedAt.slice(0, 10)].join(', ')
  const main = html`${statementMarkup(view)} ${hero(view)}
    ${alarms.length > 0 && titled('box warned', ['alarms', 'Waivers to review'], listMarkup(alarms))}
    ${causesMarkup(view, 'failed', 'Problems')} ${causesMarkup(view, 'warned', 'Warnings')}
    ${causesMarkup(view, 'waived', 'Waived')} ${notJudged(view)}
    <section class="box" aria-label="More about this run">${folds(view)}</section>`
  const foot = digest === null ? title : `${title}, verdict.json SHA-256 ${digest}`
  return pageShell({
    name: 'Conformance report',
    title,
    notice,
    main,
    made,
    foot,
  })
}

/** The number of problems, the first problem or the reason why there is no verdict, the target, and collapsed details about the run. */
function hero(view: View) {
  const { look, headline, sentence, subject, line, reasons, cautions, facts } = view
  const [first, ...others] = view.problems
  const lead = first === undefined ? `${sentence}.` : others.length === 0 ? first.title : null
  return heroOf(
    look,
    headline,
    html`${lead !== null && html`<p class="lead">${lead}</p>`}
      <p><code>${subject}</code></p>
      <p class="faint">${line.join(' · ')}${view.rules.length === 0 ? '' : ` · ${view.counts}`}</p>
      ${listMarkup([...reasons, ...cautions])}
      <details class="screen">
        <summary>About this run</summary>
        ${factsMarkup(facts)}
      </details>`,
  )
}

/** The causes with a status: the first few in full, the others on one line each. */
function causesMarkup(view: View, status: CauseView['status'], title: string) {
  const own = view.causes.filter((cause) => cause.status === status)
  if (own.length === 0) return null
  const others = own
    .slice(mostCauses, mostCauses + mostSentences)
    .map(({ id, sentence }) => html`<span id="${id}">${sentence}</span>`)
  const hidden = own.length - mostCauses - others.length
  return titled(
    null,
    [status, `${title} (${own.length})`],
    html`${own.slice(0, mostCauses).map((cause, place) => causeMarkup(cause, place >= mostOnPaper))}
    ${listMarkup(others)} ${hidden > 0 && html`<p>${counted(hidden, 'more cause')} in verdict.json</p>`}`,
  )
}

function causeMarkup(cause: CauseView, isLate: boolean) {
  const { id, status, title, expected, got, agreed, findings } = cause
  const reasons = agreed.map((value) => ({ label: 'Agreed', value }))
  return html`<article class="box cause ${status}${isLate ? ' late' : ''}" id="${id}">
    <h3>${icon(status)}<span class="sr">${status}: </span>${title}</h3>
    ${factsMarkup([...factsOf({ Expected: expected, Got: got }), ...reasons])}
    ${findings.slice(0, 1).map(exchange)} ${moreOf(cause)}
  </article>`
}

/** The request next to the answer, and the command that sends it again. */
function exchange({ sent, answer, took, legend: escapes, got, replay }: FindingView) {
  const answered = answer.length === 0 ? lines([got]) : lines(answer)
  return html`<div class="exchange">
    <div>
      <p class="faint">Request</p>
      ${copyable('the request', lines(sent))}
    </div>
    <div>
      <p class="faint">Answer${answer.length === 0 ? '' : ` after ${took}`}</p>
      ${copyable('the answer', answered)}
    </div>
    ${escapes !== null && html`<p class="faint">${escapes}</p>`}
    ${factsMarkup([lineToCopy('Replay', replay)])}
  </div>`
}

function lineToCopy(label: string, { text, copied }: CommandLine) {
  return { label, value: copied ? copyable(`the ${label.toLowerCase()} line`, html`${text}`) : text }
}

/** What a cause breaks, and its details: how often it occurred, the curl command, the waiver entry, and other findings. */
function moreOf({ breaks, nature, rules, findings, hidden, fingerprints, waiver }: CauseView) {
  const [first, ...others] = findings
  const links = rules.map(
    ({ id, count }) =>
      html`<a href="#${id}"><code>${id}</code></a
        >${count > 1 ? `: ${plural(count, 'finding')}` : ''}`,
  )
  const curl = first?.curl ?? null
  const facts = [
    { label: 'rules', value: joined(links) },
    ...(first === undefined ? [] : [{ label: 'reproduced', value: first.often }, ...first.facts]),
    { label: 'fingerprint', value: fingerprints },
    ...(curl === null ? [] : [lineToCopy('curl', curl)]),
    ...(waiver === null ? [] : [lineToCopy('waive', { text: waiver, copied: true })]),
  ]
  const count = others.length + hidden
  const more = count === 0 ? '' : `, ${plural(count, 'more finding')}`
  return html`<details class="${others.length === 0 || count > mostListed ? 'screen' : 'printed'}">
    <summary>${breaks}${more} <span class="faint">${nature}</span></summary>
    <div class="screen">${factsMarkup(facts)}</div>
    ${others.map(
      (one) =>
        html`<details>
          <summary><code>${one.rule}</code>: ${one.summary} <span class="faint">${one.often}</span></summary>
          ${exchange(one)}
        </details>`,
    )}
    ${hidden > 0 && html`<p class="faint">${plural(hidden, 'more finding')} in verdict.json</p>`}
  </details>`
}

/** Rules without a result, grouped by what they need, and endpoints that were not judged. */
function notJudged({ notJudged: needs, endpoints }: View) {
  const items = [
    ...needs.map(
      ({ status, title, rules }) =>
        html`<details>
          <summary>${icon(status)}${title}</summary>
          <p>${rules.map((id) => html`<a href="#${id}"><code>${id}</code></a> `)}</p>
        </details>`,
    ),
    ...endpoints.map(
      ({ name, because, waived }) =>
        html`<p><code>${name}</code>: ${because}${waived === null ? '' : `; waived: ${waived}`}</p>`,
    ),
  ]
  return items.length > 0 && titled(null, ['not-judged', 'Not judged'], items)
}

/** Collapsed sections that explain a verdict. The printed page includes the sections about coverage. */
function folds(view: View) {
  const { notCovered, power, waivers, otherWaivers, observations, rules } = view
  const fold = (title: string, parts: readonly unknown[], content: Part, kind = 'screen') =>
    parts.length === 0
      ? null
      : html`<details class="${kind}">
          <summary>${title}</summary>
          ${content}
        </details>`
  const situations = power?.situations ?? []
  return [
    fold(
      `All rules (${rules.filter(({ isCounted }) => isCounted).length})`,
      rules,
      rulesTable(rules),
      'printed',
    ),
    fold(`Not covered by any verdict (${notCovered.length})`, notCovered, listMarkup(notCovered), 'printed'),
    fold(
      'Power of this verdict',
      situations,
      html`<p>${power?.sentence ?? ''}.</p>
        <p class="faint">${power?.caveat ?? ''}</p>
        <p>Situations reached:</p>
        ${factsMarkup(situations)}`,
      'printed',
    ),
    fold(
      `Waivers (${waivers.length})`,
      waivers,
      tableOf('stacked', [
        ['Waives', 'Reason', 'Owner', 'Until', 'In this run'],
        rowsOf(waivers.map((one) => [one.subject, one.reason, one.owner, one.expires, one.state])),
      ]),
      'printed',
    ),
    fold(
      'More waiver drafts',
      otherWaivers,
      html`<p>Entries for the RUN_WAIVERS file. Each needs a reason and an owner.</p>
        ${copyable('the entries', lines(otherWaivers))}`,
    ),
    fold(
      `Observations (${observations.length})`,
      observations,
      html`<p class="faint">What the run saw where the specification is silent. It is never judged.</p>
        ${factsMarkup(
          observations.map(({ id, lines: shown }) => ({
            label: id,
            value: shown.map((text) => html`<p>${text}</p>`),
          })),
        )}`,
    ),
    fold('Words', legend, factsMarkup(legend)),
  ]
}

/** Every rule, by area. */
function rulesTable(rules: readonly RuleView[]) {
  const areas = [...groupBy(rules, ({ area }) => area)].map(([area, own]) =>
    bodyOf(
      html`<tr class="area">
          <th scope="rowgroup" colspan="3">${area}</th>
        </tr>
        ${own.map(ruleRow)}`,
    ),
  )
  return tableOf('stacked', [['Status', 'Rule', 'Section'], areas])
}

function ruleRow({ id, status, says, level, answers, because, section, cause }: RuleView) {
  return html`<tr id="${id}" data-rule="${id}">
    <td>${badge(status)}</td>
    <td>
      <p>${capitalised(withCodeNames(says))}</p>
      <p class="faint">
        <code>${id}</code> · ${level} ·
        ${answers}${cause !== null && html` · <a href="#${cause}">cause<span class="sr"> of ${id}</span></a>`}
      </p>
      ${because !== null && html`<p>${because}</p>`}
    </td>
    <td class="faint">${section}</td>
  </tr>`
}

/** Maximum number of violations and of exceptions on the statement; the page contains all of them. */
const most = { failed: 12, waived: 60 } as const

/** The acceptance statement, a sheet to print and sign: the parties, the verdict, the target, the decision, and room for signatures. */
function statementMarkup(view: View) {
  const { of, look } = view
  if (of.profile !== 'acceptance' || of.rules.length === 0) return null
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

/** The verdict and its most severe breach: `NONCONFORMANT: a request with a wrong secret key was accepted`. */
function statementHeading({ of: { verdict, target }, word, causes }: View) {
  const subject = target.embedded ? `${embeddedSubject}: ` : ''
  const gravest = {
    conformant: 'waived',
    nonconformant: 'failed',
    incomplete: null,
    error: null,
  }
  const grave = causes.find(({ status }) => status === gravest[verdict])
  const breach =
    grave === undefined ? '' : `: ${grave.sentence.charAt(0).toLowerCase()}${grave.sentence.slice(1)}`
  return `${subject}${word.toUpperCase()}${breach}`
}

/** The verdict in one sentence that can be quoted on its own. */
function statement({ of, word, sentence, cautions }: View) {
  const { target, suite, startedAt, rules, verdict } = of
  const address = target.embedded ? `the ${embeddedSubject}` : `the service at ${askedAddress(target)}`
  const isJudged = verdict === 'conformant' || verdict === 'nonconformant'
  const found = isJudged ? `found it ${word}` : `reached no verdict (${word})`
  return `On ${startedAt.slice(0, 10)} card-switch-conformance ${suite.version} judged ${address}${inBrackets(target)}, version ${target.version}, against ${plural(countedRules(rules).length, 'rule')} and ${found}: ${[sentence, ...cautions].join('; ')}.`
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

function factsOnSheet({ of: { target }, counts, endpoints, facts, digest }: View) {
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

function exceptions(view: View) {
  const count = exceptionCount(view.of)
  if (count === 0) return html`<p>No exceptions were agreed.</p>`
  const endpoints = view.endpoints.flatMap(({ name, waived }) =>
    waived === null ? [] : [`${name}: ${waived}`],
  )
  const rules = countedRules(view.of.rules).filter(isCovered)
  return html`<p><strong>Agreed exceptions (${count}, for ${plural(rules.length, 'rule')})</strong></p>
    ${listed('', view, 'waived')} ${listMarkup([...view.excepted, ...endpoints])}`
}

function listed(title: string, { causes }: View, wanted: 'failed' | 'waived') {
  const own = causes.filter(({ status }) => status === wanted)
  if (own.length === 0) return null
  const items = own.slice(0, most[wanted]).map(causeText)
  const more = own.length - items.length
  const broken = new Set(own.flatMap((cause) => cause.broken))
  return html`${title !== '' && html`<p><strong>${title} (${plural(own.length, 'problem')}, ${plural(broken.size, 'rule')})</strong></p>`}
  ${listMarkup(items)}${more > 0 && html`<p>${more} more in the report</p>`}`
}

function causeText({ sentence, nature, agreed }: CauseView) {
  return [`${sentence} (${nature.toLowerCase()})`, ...agreed].join('; ')
}

/** Never split across sheets. */
function decision() {
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
