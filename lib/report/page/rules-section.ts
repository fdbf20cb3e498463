import { groupBy, capitalised, counted, plural } from '../../text/counts.ts'
import { promiseOf } from '../../specification/promises.ts'
import { areaOf } from '../../specification/rules.ts'
import { statuses, type Verdict, type VerdictRule } from '../../verdict/verdict.ts'
import { withCodeNames } from '../model/codes.ts'
import { worthOf } from '../model/power-sections.ts'
import { inline, type Links } from '../render/html.ts'
import { badge, icon } from '../render/icons.ts'
import { html, nothing, type Markup } from '../render/markup.ts'
import { areaBody, tableOf, titled } from '../render/parts.ts'
import { short } from '../model/sections.ts'
import { sentenceOf, statusCount } from '../model/rule-counts.ts'
import { countedRules, shownRules } from '../../verdict/counted-rules.ts'

/** Rules that are not green, then those that passed, folded: sentence, section, level, status, and number of judged answers. */
export function rulesSection(verdict: Verdict, links: Links): Markup {
  const rules = shownRules(verdict.rules)
  if (rules.length === 0) return nothing
  const open = rules.filter(({ status }) => status !== 'passed')
  const passed = rules.filter(({ status }) => status === 'passed')
  const notPassed = countedRules(open).length
  const fold = html`<details class="more printed" id="passed">
    <summary>${icon('passed')}${plural(passed.length, 'rule')} passed</summary>
    ${table(passed, links)}
  </details>`
  return titled(
    'matrix',
    ['rules', notPassed === 0 ? 'Rules' : `${plural(notPassed, 'rule')} not passed`],
    html`${open.length === 0 ? nothing : table(open, links)} ${passed.length === 0 ? nothing : fold}
      <p id="none-shown" hidden>No rule and no cause matches this filter.</p>`,
  )
}

function table(rules: readonly VerdictRule[], links: Links): Markup {
  const heads = ['Status', 'Rule', 'The specification, in short']
  const areas = [...groupBy(rules, ({ id }) => areaOf(id))].map(([area, members]) =>
    areaBody(
      area,
      heads.length,
      members.map((rule) => row(rule, links)),
    ),
  )
  return tableOf('list stacked', [heads, areas])
}

function row(rule: VerdictRule, links: Links): Markup {
  const { id, level, section, status, because, answers } = rule
  const worth = rule.power === undefined ? null : worthOf(rule.power)
  const place = links.get(id)
  const cause =
    place === undefined || place === id
      ? nothing
      : html` · <a href="#${place}">cause<span class="sr"> of ${id}</span></a>`
  const text = promiseOf(id)
  return html`<tr id="${id}" data-rule="${id}" data-status="${status}">
    <td>${badge(status)}</td>
    <td>
      <p>${withCodeNames(capitalised(sentenceOf(rule)))}</p>
      <p class="faint">
        <code>${id}</code> · ${level} ·
        ${counted(answers, 'answer')}${worth === null ? nothing : html`, ${worth}`}${cause}
      </p>
      ${because === null ? nothing : html`<p>${inline(withCodeNames(short(because)), links)}</p>`}
    </td>
    <td class="promise">
      <strong>${section}</strong>${text === null ? nothing : html`<span>: ${text}</span>`}
    </td>
  </tr>`
}

/** One search over causes and rules, with the statuses to choose from; shown by the script, with its state in the address. */
export function filters(verdict: Verdict): Markup {
  const rules = shownRules(verdict.rules)
  if (rules.length === 0) return nothing
  const chips = statuses
    .filter((status) => statusCount(rules, status) > 0)
    .map(
      (status) =>
        html`<label class="chip"
          ><input type="checkbox" name="status" value="${status}" /><span
            >${icon(status)}${status}</span
          ></label
        >`,
    )
  return html`<form class="filters js-only" id="filters" role="search" aria-label="Filter causes and rules">
    <label class="search"
      >Search
      <input type="search" name="text" autocomplete="off" placeholder="rule, sentence, answer" />
    </label>
    <fieldset>
      <legend class="sr">Status</legend>
      ${chips}
    </fieldset>
    <p role="status" id="shown" class="faint"></p>
    <button type="reset" id="clear" hidden>Show all</button>
  </form>`
}
