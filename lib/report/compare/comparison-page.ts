import { headlineWord } from '../model/headline.ts'
import { heroOf, pageHead, pageShell, styleSheets } from '../page/shell.ts'
import { htmlSections } from '../render/html.ts'
import { badge } from '../render/icons.ts'
import { html, nothing, type Markup } from '../render/markup.ts'
import { areaBody, ruleHead, tableOf, titled } from '../render/parts.ts'
import { short } from '../model/document.ts'
import { outcomes } from '../model/rule-counts.ts'
import { countedRules } from '../../verdict/counted-rules.ts'
import { capitalised, moment, plural, groupBy } from '../../text/counts.ts'
import type { Comparison } from './comparison.ts'
import {
  comparisonTitle,
  rulesCompared,
  differenceSections,
  namesOf,
  outcomeSentence,
  runsSection,
  passedEverywhere,
} from './comparison-sections.ts'
import type { Side } from './side.ts'

const style = styleSheets(import.meta.url, ['./comparison.css'])

/** Comparison as a self-contained page without scripts: the outcome, every rule by target, then each run against the first. */
export function comparisonPage(comparison: Comparison): string {
  const tone = comparison.worse ? 'failed' : 'passed'
  const title = comparisonTitle
  const told = html`<p class="faint">${counts(comparison)}</p>`
  const body = html`${pageHead(title)}
    <main>
      ${heroOf(tone, ['outcome', capitalised(outcomeSentence(comparison))], told)} ${ruleMatrix(comparison)}
      <h2>Runs</h2>
      ${htmlSections([runsSection(comparison), ...differenceSections(comparison)], new Map())}
    </main>`
  return pageShell({ title, body, script: false, style })
}

function counts(comparison: Comparison): string {
  return `${plural(comparison.sides.length, 'run')}, ${plural(rulesCompared(comparison.matrix), 'rule')}; ${passedEverywhere(comparison)} in every run`
}

/** Table of rules by target, in the order of the catalogue. */
function ruleMatrix({ sides, matrix }: Comparison): Markup {
  const names = namesOf(sides)
  const areas = groupBy(matrix, ({ rule }) => rule.split('/')[0] ?? rule)
  const heads = ['Rule', ...sides.map((side, index) => columnHead(side, names[index] ?? side.path))]
  const bodies = [...areas].map(([area, rows]) =>
    areaBody(html`<span>${area}</span>`, heads.length, rows.map(ruleRow)),
  )
  const table = tableOf('list', [heads, bodies])
  return titled(
    'versus',
    ['matrix', 'Rule by target'],
    html`<div class="scrolls" tabindex="0">${table}</div>`,
  )
}

function columnHead({ path, run }: Side, name: string): Markup {
  const where = name === short(path) ? nothing : html`<p class="faint">${short(path)}</p>`
  return html`<th scope="col">
    <strong>${name}</strong>${where}
    <p>${headlineWord(run)}</p>
    <p class="faint">${moment(run.startedAt)}: ${outcomes(countedRules(run.rules))}</p>
  </th>`
}

function ruleRow({ rule, says, statuses }: Comparison['matrix'][number]): Markup {
  return html`<tr class="${new Set(statuses).size > 1 ? 'differs' : 'alike'}">
    ${ruleHead(rule, says)}
    ${statuses.map((status) => html`<td>${status === null ? 'absent' : badge(status)}</td>`)}
  </tr>`
}
