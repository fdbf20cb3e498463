import { groupBy } from '../../specification/group-by.ts'
import { promiseOf } from '../../specification/promises.ts'
import { areaOf } from '../../specification/rules.ts'
import { statuses, type Verdict, type VerdictRule } from '../../verdict/verdict.ts'
import { withCodeNames } from '../codes.ts'
import { groupByFingerprint } from '../findings.ts'
import { worthOf } from '../power.ts'
import { badge, icon } from '../render/icons.ts'
import { html, nothing, type Markup } from '../render/markup.ts'
import { short } from '../sections.ts'
import { capitalised, counted, grouped, outcomes, sentenceOf, statusCount } from '../words.ts'

/** Table of rules: sentence, section, level, status, and number of judged answers. */
export function rulesSection({ rules }: Verdict): Markup {
  if (rules.length === 0) return nothing
  return html`<section class="matrix" aria-labelledby="rules">
    <h2 id="rules">Rules</h2>
    ${filters(rules)}
    <table class="list stacked">
      <thead>
        <tr>
          <th scope="col">Status</th>
          <th scope="col">Rule</th>
          <th scope="col">The specification, in short</th>
          <th scope="col" class="wide">Level</th>
          <th scope="col" class="wide number">Answers</th>
        </tr>
      </thead>
      ${[...groupBy(rules, ({ id }) => areaOf(id))].map(area)}
    </table>
    <p id="none-shown" hidden>No rule matches these filters.</p>
  </section>`
}

function area([name, members]: readonly [string, readonly VerdictRule[]]): Markup {
  return html`<tbody>
    <tr class="area">
      <th scope="rowgroup" colspan="5">${name} <span class="faint">${outcomes(members)}</span></th>
    </tr>
    ${members.map(row)}
  </tbody>`
}

function row(rule: VerdictRule): Markup {
  const { id, level, section, status, because, answers, findings } = rule
  const count = groupByFingerprint(findings).length
  const worth = rule.power === undefined ? null : worthOf(rule.power)
  const found = html`<a href="#findings/${id}"
    >${counted(count, 'finding')}<span class="sr"> of ${id}</span></a
  >`
  return html`<tr id="${id}" data-rule="${id}" data-status="${status}" data-level="${level}">
    <td>${badge(status)}</td>
    <td>
      <p>${withCodeNames(capitalised(sentenceOf(rule)))}</p>
      <p class="faint"><code>${id}</code> ${count === 0 ? nothing : found}</p>
      ${because === null ? nothing : html`<p class="faint">${withCodeNames(short(because))}</p>`}
    </td>
    <td class="promise">${promise(id, section)}</td>
    <td class="narrow faint">${level} · ${counted(answers, 'answer')}</td>
    <td class="wide faint">${level}</td>
    <td class="wide number">
      ${grouped(answers)} ${worth === null ? nothing : html`<span class="faint">${worth}</span>`}
    </td>
  </tr>`
}

/** Section of the specification, and what it promises there. */
export function promise(id: string, section: string): Markup {
  const text = promiseOf(id)
  return html`<p><strong>${section}</strong>${text === null ? nothing : html`: ${text}`}</p>`
}

/** Filters by status, level and text; shown by the script, with their state in the address. */
function filters(rules: readonly VerdictRule[]): Markup {
  const levels = [...new Set(rules.map(({ level }) => level))]
  const ofStatus = statuses
    .filter((status) => statusCount(rules, status) > 0)
    .map((status) =>
      choice('status', status, html`${icon(status)}${status} <b>${statusCount(rules, status)}</b>`),
    )
  const ofLevel = levels.map((level) =>
    choice('level', level, html`${level} <b>${rules.filter((rule) => rule.level === level).length}</b>`),
  )
  return html`<form class="filters js-only" id="filters" role="search" aria-label="Filter the rules">
    <fieldset>
      <legend>Status</legend>
      ${ofStatus}
    </fieldset>
    <fieldset>
      <legend>Level</legend>
      ${ofLevel}
    </fieldset>
    <label class="search"
      >Text
      <input type="search" name="text" autocomplete="off" placeholder="rule, sentence, section" />
    </label>
    <button type="reset">Clear</button>
    <p role="status" id="shown" class="faint">${rules.length} of ${rules.length} rules shown</p>
  </form>`
}

function choice(name: string, value: string, label: Markup): Markup {
  return html`<label class="chip"
    ><input type="checkbox" name="${name}" value="${value}" /><span>${label}</span></label
  >`
}
