import {
  isFact,
  isNumeric,
  type Block,
  type Fact,
  type Item,
  type Section,
  type Span,
  type Phrase,
} from '../model/document.ts'
import { capitalised } from '../../text/counts.ts'
import { badge } from './icons.ts'
import { html, nothing, type Markup } from './markup.ts'
import { bodyOf, tableOf, titled } from './parts.ts'

/** Targets of linked texts, such as rule ids: fragments of the page. */
export type Links = ReadonlyMap<string, string>

/** Renders sections as HTML with headings of level 2; known texts become links. */
export function htmlSections(sections: readonly Section[], links: Links): readonly Markup[] {
  return sections.map((section) => sectionMarkup(section, links))
}

function sectionMarkup({ id, title, blocks, parts = [] }: Section, links: Links): Markup {
  const body = [
    ...blocks.map((one) => blockMarkup(one, links)),
    ...parts.map((one) => partMarkup(one, links)),
  ]
  if (title === undefined) return html`<section class="${id}">${body}</section>`
  return titled(id, [id, heading(title, links)], body)
}

function partMarkup({ title = '', blocks }: Section, links: Links): Markup {
  return html`<div class="part">
    <h3>${heading(title, links)}</h3>
    ${blocks.map((block) => blockMarkup(block, links))}
  </div>`
}

function heading(title: Phrase, links: Links): Markup {
  return inline(typeof title === 'string' ? capitalised(title) : title, links)
}

function blockMarkup(block: Block, links: Links): Markup {
  switch (block.kind) {
    case 'text':
      return html`<p class="${block.tone ?? 'plain'}">${inline(block.text, links)}</p>`
    case 'facts':
      return html`<dl class="facts">${block.facts.map(({ label, value }) => factMarkup(label, value))}</dl>`
    case 'table':
      return tableMarkup(block.head, block.rows, links)
    case 'list': {
      const { items, hidden = 0, ordered } = block
      const rows = items.map((item) => itemMarkup(item, links))
      const more = hidden === 0 ? nothing : html`<p class="hidden-count">${hidden} more in verdict.json</p>`
      return html`${
        ordered === true
          ? html`<ol>
              ${rows}
            </ol>`
          : html`<ul>
              ${rows}
            </ul>`
      }${more}`
    }
  }
}

/** A term of a description list and its value. */
export function factMarkup(label: string, value: string | Markup): Markup {
  return html`<div>
    <dt>${label}</dt>
    <dd>${value}</dd>
  </div>`
}

function itemMarkup({ text, status, under = [] }: Item, links: Links): Markup {
  const below = under.map((one) => html`<p>${underMarkup(one, links)}</p>`)
  return html`<li>${status === undefined ? nothing : badge(status)} ${inline(text, links)} ${below}</li>`
}

/** A text with a copy button for the script; `name` tells screen readers what is copied. */
export function copyable(name: string, text: Markup): Markup {
  return html`<div class="copyable">
    <pre tabindex="0" role="group" aria-label="${name}"><code>${text}</code></pre>
    <button type="button" class="js-only" aria-label="Copy ${name}">Copy</button>
  </div>`
}

function underMarkup(one: Phrase | Fact, links: Links): Markup {
  if (!isFact(one)) return inline(one, links)
  return html`<span class="faint">${one.label}</span> <code>${one.value}</code>`
}

/** Renders a table; numbers are right-aligned, and the first cell names its row. */
function tableMarkup(head: readonly string[], rows: readonly (readonly Phrase[])[], links: Links): Markup {
  const kinds = head.map((_, column) => (isNumeric(rows, column) ? 'number' : 'text'))
  const cells = (row: readonly Phrase[]): readonly Markup[] =>
    row.map((cell, column) =>
      column === 0
        ? html`<th scope="row">${inline(cell, links)}</th>`
        : html`<td class="${kinds[column] ?? 'text'}" data-label="${head[column] ?? ''}">
            ${inline(cell, links)}
          </td>`,
    )
  const heads = head.map(
    (name, column) => html`<th scope="col" class="${kinds[column] ?? 'text'}">${name}</th>`,
  )
  const body = bodyOf(
    rows.map(
      (row) =>
        html`<tr>
          ${cells(row)}
        </tr>`,
    ),
  )
  return html`<div class="scrolls">${tableOf('list stacked', [heads, body])}</div>`
}

/** Renders a line; known rule ids become links. */
function inline(text: Phrase, links: Links): Markup {
  const spans = typeof text === 'string' ? [text] : text
  return html`${spans.map((span) => spanMarkup(span, links))}`
}

const ruleId = /([a-z0-9-]+\/[a-z0-9-]+)/

function spanMarkup(span: Span, links: Links): Markup {
  if (typeof span === 'string') return html`${span.split(ruleId).map((part) => linked(part, links) ?? part)}`
  if ('code' in span) return linked(span.code, links) ?? html`<code>${span.code}</code>`
  if ('strong' in span) return html`<strong>${span.strong}</strong>`
  return span.status === null ? html`absent` : badge(span.status)
}

function linked(text: string, links: Links): Markup | null {
  const place = links.get(text)
  return place === undefined ? null : html`<a href="#${place}">${text}</a>`
}
