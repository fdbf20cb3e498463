import { areaOf } from '../../spec/rules.ts'
import { clustered } from '../clustered.ts'
import { groupBy } from '../../spec/group-by.ts'
import { outcomes } from '../outcomes.ts'
import { beginning } from '../../settings/printable.ts'
import { sentenceOf } from '../rule-sentence.ts'
import type { Verdict, VerdictRule } from '../../verdict/verdict.ts'
import { filters } from './filters.ts'
import { findingsAnchor } from './findings.ts'
import { badge } from './icons.ts'
import { html, nothing, type Markup } from './markup.ts'
import { capitalised, counted, grouped } from './wording.ts'

const longestReason = 600

/** Every rule with its sentence, where the specification says so, its level, its status, and how many answers were judged. */
export function matrix({ rules }: Verdict): Markup {
  if (rules.length === 0) return nothing
  return html`<section class="matrix" aria-labelledby="rules">
    <h2 id="rules">Rules</h2>
    ${filters(rules)}
    <table>
      <thead>
        <tr>
          <th scope="col">Status</th>
          <th scope="col">Rule</th>
          <th scope="col" class="wide">Specification</th>
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
      <th scope="rowgroup" colspan="5">${name} <span>${outcomes(members)}</span></th>
    </tr>
    ${members.map(row)}
  </tbody>`
}

function row(rule: VerdictRule): Markup {
  const { id, level, section, status, because, answers } = rule
  return html`<tr id="${id}" data-rule="${id}" data-status="${status}" data-level="${level}">
    <td>${badge(status)}</td>
    <td>
      <p class="sentence">${capitalised(sentenceOf(id))}</p>
      <code class="id">${id}</code> ${toFindings(rule)}
      <p class="narrow">${section} · ${level} · ${counted(answers, 'answer')}</p>
      ${because === null ? nothing : html`<p class="because">${beginning(because, longestReason)}</p>`}
    </td>
    <td class="wide">${section}</td>
    <td class="wide">${level}</td>
    <td class="wide number">${grouped(answers)}</td>
  </tr>`
}

function toFindings({ id, findings }: VerdictRule): Markup {
  const count = clustered(findings).length
  if (count === 0) return nothing
  return html`<a class="to-findings" href="#${findingsAnchor(id)}"
    >${counted(count, 'finding')}<span class="sr"> of ${id}</span></a
  >`
}
