import { printable } from '../printable.ts'
import type { Comparison, Difference } from './comparison.ts'
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
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<title>Conformance compared</title>',
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    '<main>',
    '<h1>Conformance compared</h1>',
    `<p class="outcome">${escaped(outcomeSentence(comparison))}</p>`,
    `<ol>${sides.map(sideItem).join('')}</ol>`,
    ...differences.map((difference, index) => differenceSection(sides[0], difference, index + 2)),
    '<h2>Rule by target</h2>',
    table(comparison),
    '</main>',
    '</body>',
    '</html>',
    '',
  ].join('\n')
}

function sideItem(side: Side): string {
  const because = side.run.verdict === 'error' ? side.because : []
  const lines = [targetText(side), runText(side), countsOf(side), ...because]
  return `<li><strong>${escaped(side.path)}: ${side.run.verdict}</strong>${lines.map((line) => `<br>${escaped(line)}`).join('')}</li>`
}

function differenceSection(first: Side | undefined, difference: Difference, number: number): string {
  const { circumstances, observations } = difference
  return [
    `<h2>${number} against 1</h2>`,
    first === undefined ? '' : `<p>${escaped(claim(first, difference))}</p>`,
    list(circumstances.map(({ what, before, after }) => escaped(`${what}: ${before} → ${after}`))),
    ...groupsOf(difference).map(
      ({ title, rules }) =>
        `<h3>${escaped(title)}</h3>${list(
          rules.map((rule) => `${code(rule.rule)}: ${transition(rule)}${list(findingLines(rule).map(code))}`),
        )}`,
    ),
    observations.length === 0 ? '' : `<h3>observed otherwise (${observations.length})</h3>`,
    list(
      observations.map(
        ({ id, before, after }) => `${code(id)}: ${code(observed(before))} → ${code(observed(after))}`,
      ),
    ),
    `<p>${escaped(unchangedSentence(difference))}.</p>`,
  ].join('\n')
}

function table({ sides, matrix }: Comparison): string {
  const head = ['rule', ...sides.map((_, index) => `${index + 1}`)].map(
    (cell) => `<th scope="col">${cell}</th>`,
  )
  const rows = matrix.map(
    ({ rule, statuses }) =>
      `<tr><th scope="row">${code(rule)}</th>${statuses
        .map((status) => `<td class="${statusText(status)}">${statusText(status)}</td>`)
        .join('')}</tr>`,
  )
  return `<div class="wide"><table><thead><tr>${head.join('')}</tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table></div>`
}

function list(items: readonly string[]): string {
  return items.length === 0 ? '' : `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`
}

function code(text: string): string {
  return `<code>${escaped(text)}</code>`
}

function escaped(text: string): string {
  return printable(text).replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`)
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
