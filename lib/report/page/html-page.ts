import { capitalised, counted, groupBy, plural } from '../../text/counts.ts'
import type { CauseView } from '../model/cause-view.ts'
import { withCodeNames } from '../model/codes.ts'
import { factsOf, type Fact, type FindingView, type CommandLine } from '../model/finding-view.ts'
import { legend } from '../model/legend.ts'
import { html, lines, nothing, type Markup, type Part } from '../render/markup.ts'
import {
  badge,
  bodyOf,
  copyable,
  factsMarkup,
  icon,
  listMarkup,
  rowsOf,
  tableOf,
  titled,
} from '../render/parts.ts'
import { mostCauses, unsaid, type RuleView, type View } from '../view.ts'
import { heroOf, pageShell } from './shell.ts'
import { sheetFoot, statementMarkup } from './statement.ts'

/** Maximum number of causes per status that are printed with their exchange. */
const mostOnPaper = 12
/** Maximum number of findings printed per cause. */
const mostListed = 24
/** Maximum number of causes per status for which only the sentence is shown. */
const mostSentences = 240

/**
 * The `index.html` page for a verdict: the verdict on one screen, each cause with the expected and actual answers, and collapsed
 * details. It covers only this run and needs no script.
 */
export function htmlPage(view: View): string {
  const { notice, of, brief, word, alarms } = view
  const main = html`${notice === null ? nothing : html`<p class="embedded">${notice}</p>`}
    ${statementMarkup(view)} ${hero(view)}
    ${alarms.length === 0 ? nothing : titled('alarm', ['alarms', 'Waivers to review'], listMarkup(alarms))}
    ${causes(view, 'failed', 'Problems')} ${causes(view, 'warned', 'Warnings')}
    ${causes(view, 'waived', 'Waived')} ${notJudged(view)}
    <section class="folds" aria-label="More about this run">${folds(view)}</section>`
  return pageShell({
    name: 'Conformance report',
    skip: ['verdict', 'the verdict'],
    title: `${word}: ${brief}, ${of.startedAt.slice(0, 10)}`,
    main,
    made: view.made,
    script: true,
    foot: sheetFoot(view),
  })
}

/** The number of problems, the first problem or the reason why there is no verdict, the target, and collapsed details about the run. */
function hero(view: View): Markup {
  const { headline, sentence, subject, line, reasons, cautions, facts } = view
  const [first, ...others] = view.problems
  const lead = first === undefined ? `${sentence}.` : others.length === 0 ? first.title : null
  return heroOf(
    view.look,
    ['verdict', headline],
    html`${lead === null ? nothing : html`<p class="lead">${lead}</p>`}
      <p><code>${subject}</code></p>
      <p class="faint">${line.join(' · ')}${view.rules.length === 0 ? '' : ` · ${view.counts}`}</p>
      ${listMarkup([...reasons, ...(first === undefined ? unsaid(view) : cautions)])}
      <details class="about">
        <summary>About this run</summary>
        ${counts(view)} ${factsMarkup('facts', facts)}
      </details>`,
  )
}

/** The number of rules with each status. */
function counts({ statuses }: View): Markup {
  if (statuses.length === 0) return nothing
  return html`<ul class="counts" aria-label="Rules by status">
    ${statuses.map(({ status, count }) => html`<li>${icon(status)}<strong>${count}</strong> ${status}</li>`)}
  </ul>`
}

/** The causes with a status: the first few in full, the others on one line each. */
function causes(view: View, status: CauseView['status'], title: string): Markup {
  const own = view.causes.filter((cause) => cause.status === status)
  if (own.length === 0) return nothing
  const others = own
    .slice(mostCauses, mostCauses + mostSentences)
    .map(({ id, sentence }) => html`<span id="${id}">${sentence}</span>`)
  const hidden = own.length - mostCauses - others.length
  return titled(
    'causes',
    [status, `${title} (${own.length})`],
    html`${own.slice(0, mostCauses).map((cause, place) => causeMarkup(cause, place >= mostOnPaper))}
    ${listMarkup(others)}
    ${hidden > 0 ? html`<p class="hidden-count">${counted(hidden, 'more cause')} in verdict.json</p>` : nothing}`,
  )
}

function causeMarkup(cause: CauseView, isLate: boolean): Markup {
  const { id, status, title, expected, got, agreed, findings } = cause
  const [first] = findings
  return html`<article class="cause ${status}${isLate ? ' late' : ''}" id="${id}">
    <h3>${icon(status)}<span class="sr">${status}: </span>${title}</h3>
    ${factsMarkup('expected', factsOf({ Expected: expected, Got: got }))}
    ${agreed.map((reason) => html`<p>Agreed: ${reason}</p>`)}
    ${first === undefined ? nothing : html`${exchange(first)} ${lineToSend('Replay', first.replay)}`}
    ${brokenRules(cause)} ${moreOf(cause)}
  </article>`
}

/** The request next to the answer. */
function exchange({ sent, answer, took, legend: escapes, got }: FindingView): Markup {
  const answered = answer.length === 0 ? lines([got]) : lines(answer)
  return html`<div class="exchange">
      <div>
        <p class="label">Request</p>
        ${copyable('the request', lines(sent))}
      </div>
      <div>
        <p class="label">Answer${answer.length === 0 ? '' : ` after ${took}`}</p>
        ${copyable('the answer', answered)}
      </div>
    </div>
    ${escapes === null ? nothing : html`<p class="faint">${escapes}</p>`}`
}

function lineToSend(name: string, { text, copied }: CommandLine): Markup {
  const shown = copied ? copyable(`the ${name.toLowerCase()} line`, html`${text}`) : html`<p>${text}</p>`
  return html`<div class="line">
    <p class="label">${name}</p>
    ${shown}
  </div>`
}

/** The rules that a cause breaks, with their findings, and its severity. */
function brokenRules({ breaks, nature, rules }: CauseView): Markup {
  const items = rules.map(
    ({ id, count }) =>
      html`<a href="#${id}"><code>${id}</code></a
        >${count > 1 ? `: ${plural(count, 'finding')}` : ''}`,
  )
  return html`<details>
    <summary>${breaks} <span class="faint">${nature}</span></summary>
    ${listMarkup(items)}
  </details>`
}

/** The details of a cause: how often it occurred, the curl command, the waiver entry, and other findings. */
function moreOf({ findings, hidden, fingerprints, waiver }: CauseView): Markup {
  const [first, ...others] = findings
  if (first === undefined) return nothing
  const facts = [
    ...factsOf({ reproduced: first.often }),
    ...first.facts,
    ...factsOf({ fingerprint: fingerprints }),
  ]
  const count = others.length + hidden
  const more = count === 0 ? '' : `, ${plural(count, 'more finding')}`
  return html`<details class="findings${others.length === 0 || count > mostListed ? '' : ' printed'}">
    <summary>Details${more}</summary>
    ${factsMarkup('facts', facts)} ${first.curl === null ? nothing : lineToSend('Curl', first.curl)}
    ${waiver === null ? nothing : lineToSend('Waive', { text: waiver, copied: true })}
    ${others.map(
      (one) =>
        html`<details class="finding">
          <summary><code>${one.rule}</code>: ${one.summary} <span class="faint">${one.often}</span></summary>
          ${exchange(one)} ${lineToSend('Replay', one.replay)}
        </details>`,
    )}
    ${hidden === 0 ? nothing : html`<p class="faint">${plural(hidden, 'more finding')} in verdict.json</p>`}
  </details>`
}

/** Rules without a result, grouped by what they need, and endpoints that were not judged. */
function notJudged({ notJudged: needs, endpoints }: View): Markup {
  const items = [
    ...needs.map(
      ({ status, title, because, rules }) =>
        html`<details>
          <summary>${icon(status)}${title}</summary>
          <p>${because}</p>
          <p>${rules.map((id) => html`<a href="#${id}"><code>${id}</code></a> `)}</p>
        </details>`,
    ),
    ...endpoints.map(
      ({ name, because, waived }) =>
        html`<code>${name}</code>: ${because}${waived === null ? '' : `; waived: ${waived}`}`,
    ),
  ]
  return items.length === 0 ? nothing : titled('needs', ['not-judged', 'Not judged'], listMarkup(items))
}

/** Collapsed sections that explain a verdict. The printed page includes the sections about coverage. */
function folds(view: View): readonly Markup[] {
  const { notCovered, power, waivers, otherWaivers, latency, requests, observations, rules } = view
  const fold = (title: string, parts: readonly unknown[], content: Part, isPrinted = false): Markup =>
    parts.length === 0
      ? nothing
      : html`<details class="more${isPrinted ? ' printed' : ''}">
          <summary>${title}</summary>
          ${content}
        </details>`
  const numbers = (title: string, facts: readonly Fact[]): Markup =>
    facts.length === 0
      ? nothing
      : html`<table class="numbers">
          <caption>
            ${title}
          </caption>
          ${rowsOf(facts.map(({ label, value }) => [label, value]))}
        </table>`
  const situations = power?.situations ?? []
  return [
    rulesFold(rules),
    fold(`Not covered by any verdict (${notCovered.length})`, notCovered, listMarkup(notCovered), true),
    fold(
      'Power of this verdict',
      situations,
      html`<p>${power?.sentence ?? ''}</p>
        <p class="faint">${power?.caveat ?? ''}</p>
        <p>Situations reached:</p>
        ${factsMarkup('pairs', situations)}`,
      true,
    ),
    fold(
      `Waivers (${waivers.length})`,
      waivers,
      tableOf('list', [
        ['Waives', 'Reason', 'Owner', 'Until', 'In this run'],
        rowsOf(waivers.map((one) => [one.subject, one.reason, one.owner, one.expires, one.state])),
      ]),
      true,
    ),
    fold(
      'More waiver drafts',
      otherWaivers,
      html`<p>Entries for the RUN_WAIVERS file. Each needs a reason and an owner.</p>
        ${copyable('the entries', lines(otherWaivers.map((line, place) => (place < otherWaivers.length - 1 ? `${line},` : line))))}`,
    ),
    fold(
      'Latency and requests',
      [...latency, ...requests],
      [numbers('Latency', latency), numbers('Requests by area', requests)],
    ),
    fold(
      `Observations (${observations.length})`,
      observations,
      html`<p class="faint">What the run saw where the specification is silent. It is never judged.</p>
        ${factsMarkup(
          'pairs',
          observations.map(({ id, lines: shown }) => ({
            label: id,
            value: shown.map((text) => html`<span>${text}</span>`),
          })),
        )}`,
    ),
    fold(
      'Words and codes',
      legend,
      legend.map(
        ({ title, facts }) =>
          html`<h3>${title}</h3>
            ${factsMarkup('pairs', facts)}`,
      ),
    ),
  ]
}

/** Every rule, by area, with a search box that the script reveals. */
function rulesFold(rules: readonly RuleView[]): Markup {
  if (rules.length === 0) return nothing
  const areas = [...groupBy(rules, ({ area }) => area)].map(([area, own]) =>
    bodyOf(
      html`<tr class="area">
          <th scope="rowgroup" colspan="3">${area}</th>
        </tr>
        ${own.map(ruleRow)}`,
    ),
  )
  return html`<details class="more printed" id="rules">
    <summary>All rules (${rules.filter(({ isCounted }) => isCounted).length})</summary>
    <form class="filters js-only" role="search" aria-label="Filter rules">
      <label
        >Search <input type="search" name="text" autocomplete="off" placeholder="rule, sentence, status"
      /></label>
      <p role="status" id="shown" class="faint"></p>
    </form>
    ${tableOf('list stacked', [['Status', 'Rule', 'The specification, in short'], areas])}
  </details>`
}

function ruleRow({ id, status, says, level, answers, because, section, promise, cause }: RuleView): Markup {
  return html`<tr id="${id}" data-rule="${id}">
    <td>${badge(status)}</td>
    <td>
      <p>${capitalised(withCodeNames(says))}</p>
      <p class="faint">
        <code>${id}</code> · ${level} ·
        ${answers}${cause === null ? nothing : html` · <a href="#${cause}">cause<span class="sr"> of ${id}</span></a>`}
      </p>
      ${because === null ? nothing : html`<p>${because}</p>`}
    </td>
    <td class="promise">
      <strong>${section}</strong>${promise === null ? nothing : html`<span>: ${promise}</span>`}
    </td>
  </tr>`
}
