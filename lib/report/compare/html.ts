import { headlineWord } from '../headline.ts'
import { html, nothing, trusted, type Markup } from '../html/markup.ts'
import type { ComparedRule, Comparison, Difference, MatrixRow } from './comparison.ts'
import type { Side } from './side.ts'
import {
  claim,
  countsOf,
  findingLines,
  groupsOf,
  observed,
  outcomeSentence,
  runText,
  statusText,
  targetText,
  transition,
  unchangedSentence,
} from './wording.ts'

/** A comparison as a page that needs nothing besides itself, runs no script and loads nothing. */
export function comparisonPage(comparison: Comparison): string {
  const { sides, differences } = comparison
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'" />
        <title>Conformance compared</title>
        <style>
          ${trusted(style)}
        </style>
      </head>
      <body>
        <main>
          <h1>Conformance compared</h1>
          <p class="outcome">${outcomeSentence(comparison)}</p>
          <ol>
            ${sides.map(sideItem)}
          </ol>
          ${differences.map((difference, index) => differenceSection(sides[0], difference, index + 2))}
          <h2>Rule by target</h2>
          ${table(comparison)}
        </main>
      </body>
    </html> `
  return page.toString()
}

function sideItem(side: Side): Markup {
  const because = side.run.verdict === 'error' ? side.because : []
  const facts = [targetText(side), runText(side), countsOf(side), ...because]
  return html`<li>
    <strong>${side.path}: ${headlineWord(side.run)}</strong>${facts.map((fact) => html`<br />${fact}`)}
  </li>`
}

function differenceSection(first: Side | undefined, difference: Difference, number: number): Markup {
  const { circumstances, observations } = difference
  const observedHead =
    observations.length === 0 ? nothing : html`<h3>observed otherwise (${observations.length})</h3>`
  return html`<h2>${number} against 1</h2>
    ${first === undefined ? nothing : html`<p>${claim(first, difference)}</p>`}
    ${list(circumstances.map(({ what, before, after }) => html`${what}: ${before} → ${after}`))}
    ${groupsOf(difference).map(
      ({ title, rules }) =>
        html`<h3>${title}</h3>
          ${list(rules.map(ruleItem))}`,
    )}
    ${observedHead}
    ${list(observations.map(({ id, before, after }) => html`${code(id)}: ${code(observed(before))} → ${code(observed(after))}`))}
    <p>${unchangedSentence(difference)}.</p> `
}

function ruleItem(rule: ComparedRule): Markup {
  return html`${code(rule.rule)}: ${transition(rule)}${list(findingLines(rule).map(code))}`
}

function table({ sides, matrix }: Comparison): Markup {
  const head = ['rule', ...sides.map((_, index) => `${index + 1}`)]
  const rows = matrix.map(
    ({ rule, statuses }) =>
      html`<tr>
        <th scope="row">${code(rule)}</th>
        ${statuses.map(statusCell)}
      </tr> `,
  )
  return html`<div class="wide">
    <table>
      <thead>
        <tr>
          ${head.map((cell) => html`<th scope="col">${cell}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`
}

function statusCell(status: MatrixRow['statuses'][number]): Markup {
  return html`<td class="${statusText(status)}">${statusText(status)}</td>`
}

function list(items: readonly Markup[]): Markup {
  return items.length === 0
    ? nothing
    : html`<ul>
        ${items.map((item) => html`<li>${item}</li>`)}
      </ul>`
}

function code(text: string): Markup {
  return html`<code>${text}</code>`
}

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
main { max-width: 75rem; margin: 0 auto; padding: 1rem }
.outcome { font-weight: bold }
.wide { overflow-x: auto }
table { border-collapse: collapse }
th, td { text-align: start; padding: .2rem .8rem .2rem 0; border-bottom: 1px solid color-mix(in srgb, currentcolor 25%, transparent) }
code { overflow-wrap: anywhere }
.failed { color: light-dark(#b00020, #ff8a9a); font-weight: bold }
.warned, .inconclusive { color: light-dark(#7a4f00, #f0c060) }
.untested, .waived, .absent { color: light-dark(#555, #aaa) }
`
