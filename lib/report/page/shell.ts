import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { RuleStatus } from '../../judge/record.ts'
import { andMore, capitalised, beginning, printable } from '../../text/printable.ts'
import { withCodeNames } from '../../verdict/cause-sentence.ts'

/** Maximum length of text without a separate limit, in characters. */
const longest = 5_000

/** Finished HTML, created only by {@link html}, {@link lines} and {@link trusted}. */
export class Markup {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}

/** Values in a template: text, which is escaped, finished HTML, and `null` or `false` for nothing. */
export type Part = string | number | Markup | null | false | readonly Part[]

/** Creates HTML from a template. Escapes markup and misleading characters in all text. Everything from a target passes through this function. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]) {
  return new Markup(strings.reduce((before, string, index) => before + markupOf(parts[index - 1]) + string))
}

/** Lines for a `pre` element, each escaped so that no line can look like two. */
export function lines(texts: readonly string[]) {
  return new Markup(texts.map(escaped).join('\n'))
}

/** Marks our own HTML, CSS or script as safe. Never use this for text from elsewhere. */
export function trusted(text: string) {
  return new Markup(text)
}

function markupOf(part: Part | undefined): string {
  if (part === undefined || part === null || part === false) return ''
  if (part instanceof Markup) return part.toString()
  if (typeof part === 'string' || typeof part === 'number') return escaped(`${part}`)
  return part.map(markupOf).join('')
}

function escaped(text: string) {
  return printable(beginning(text, longest)).replace(
    /[&<>"'`]/g,
    (character) => `&#${character.charCodeAt(0)};`,
  )
}

/** The parts of a page. */
type Shell = Readonly<{
  /** What the page is, in its header. */
  name: string
  title: string
  /** Set if the page is about the suite's own service. */
  notice?: string | null
  main: Part
  /** How the page was made, below everything else. */
  made?: string
  /** `wide` for tables with many columns. */
  kind?: 'wide'
  /** Text at the bottom of every printed sheet, next to its number. */
  foot?: string
}>

/** The outcome shown on a page, with an icon next to its heading. */
export function heroOf(tone: RuleStatus, heading: string, content: Part) {
  return html`<section class="hero box ${tone}" aria-labelledby="outcome">
    <h1 id="outcome" tabindex="-1">${icon(tone)}${heading}</h1>
    ${content}
  </section>`
}

const [script = '', style = ''] = ['./page.js', './page.css'].map((name) =>
  readFileSync(new URL(name, import.meta.url), 'utf8'),
)

/** A self-contained page with inline styles and script, which loads nothing. */
export function pageShell({ name, title, notice = null, main, made, kind, foot = title }: Shell) {
  const styles = `${style}${sheetStyle(foot)}`
  // Elements are not part of the template, which a formatter may change, because the hashes cover every character.
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy(styles)}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        ${trusted(`<style>${styles}</style><script>${script}</script>`)}
      </head>
      <body class="${kind ?? ''}">
        ${iconSprite}<a class="skip" href="#outcome">Skip to the outcome</a>
        <header>
          <p><strong>${name}</strong> card-switching and customization service</p>
        </header>
        <main>${notice !== null && html`<p class="box warned toned">${notice}</p>`} ${main}</main>
        ${made !== undefined && html`<footer><p>${made}</p></footer>`}
        <p class="sr" role="status" id="copied"></p>
      </body>
    </html> `
  return page.toString()
}

/** Numbers the printed sheets and names the report on each. */
function sheetStyle(foot: string) {
  return `@page { @bottom-left { content: ${cssString(foot)} } @bottom-right { content: 'Sheet\\a0 ' counter(page) '\\a0 of\\a0 ' counter(pages) } }`
}

/** Text as a CSS string, escaped so that nothing in it can end the string. */
function cssString(text: string) {
  const characters = [...printable(text)].map((one) =>
    /[\w ,.:/()-]/.test(one) ? one : `\\${(one.codePointAt(0) ?? 0).toString(16)} `,
  )
  return `'${characters.join('')}'`
}

/** Allows only these styles and this script, by hash. */
function policy(styles: string) {
  return `default-src 'none'; style-src ${hashOf(styles)}; script-src ${hashOf(script)}; base-uri 'none'; form-action 'none'`
}

function hashOf(text: string) {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

/** Icon shapes for the statuses, distinguishable without colour. */
const shapes: Readonly<Record<RuleStatus, string>> = {
  passed: '<path d="M4.5 8.4l2.4 2.4 4.6-5.2"/>',
  failed: '<path d="M5.4 5.4l5.2 5.2M10.6 5.4l-5.2 5.2"/>',
  warned: '<path d="M8 4.4v4.4M8 11.2v.2"/>',
  waived: '<path d="M4.3 9c1.2-2.4 2.5-2.4 3.7-1s2.5 1.4 3.7-1"/>',
  inconclusive: '<path d="M6 6.3a2 2 0 1 1 2.6 2c-.4.2-.6.5-.6 1M8 11.3v.2"/>',
  untested: '<path d="M5 8h6"/>',
}

/** The shapes for {@link icon}, included once per page. */
const iconSprite: Markup = trusted(
  `<svg class="sprite" aria-hidden="true">${Object.entries(shapes)
    .map(
      ([name, path]) =>
        `<symbol id="i-${name}" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7.25"/>${path}</symbol>`,
    )
    .join('')}</svg>`,
)

/** The icon for a status. It is hidden from screen readers, so the word must appear next to it. */
export function icon(status: RuleStatus) {
  return html`<svg class="icon ${status}" aria-hidden="true"><use href="#i-${status}" /></svg>`
}

/** The icon for a status, and its word unless others are given. */
export function badge(status: RuleStatus, words: string = status) {
  return html`<span class="badge ${status}">${icon(status)}${words}</span>`
}

/** Parts separated by commas, followed by the number of parts beyond `most`. */
export function joined(parts: readonly Markup[], most = parts.length) {
  const shown = parts.slice(0, most).map((part, place) => (place === 0 ? part : html`, ${part}`))
  return html`${shown}${parts.length > most && ` ${andMore(parts.length - most)}`}`
}

/** A labelled value as markup. */
type MarkedFact = Readonly<{ label: Part; value: Part }>

/** A list of labelled values. */
export function factsMarkup(facts: readonly MarkedFact[]) {
  return html`<dl>
    ${facts.map(
      ({ label, value }) =>
        html`<div>
          <dt>${label}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`
}

/** Text to which the script adds a copy button. `name` describes the text to screen readers. */
export function copyable(name: string, text: Markup) {
  return html`<div class="copyable">
    <pre tabindex="0" role="group" aria-label="${name}"><code>${text}</code></pre>
  </div>`
}

/** A list, or nothing if there are no items. */
export function listMarkup(items: readonly Part[], tag: 'ul' | 'ol' = 'ul'): Part {
  if (items.length === 0) return null
  return html`<${tag}>${items.map((item) => html`<li>${item}</li>`)}</${tag}>`
}

/** A section of a page, with its heading. */
export function titled(kind: string | null, [id, title]: readonly [string, Part], content: Part) {
  const ofKind = kind !== null && html` class="${kind}"`
  return html`<section${ofKind} aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${content}
  </section>`
}

/** A table with its bodies, below the names of its columns. */
export function tableOf(kind: string, [head, bodies]: readonly [readonly string[], Part]) {
  const cells = head.map((one) => html`<th scope="col">${one}</th>`)
  return html`<table class="${kind}">
    <thead>
      <tr>
        ${cells}
      </tr>
    </thead>
    ${bodies}
  </table>`
}

export function bodyOf(rows: Part) {
  return html`<tbody>
    ${rows}
  </tbody>`
}

/** Table rows. Text becomes a cell, whereas markup remains as it is. */
export function rowsOf(rows: readonly (readonly Part[])[]) {
  return bodyOf(
    rows.map(
      (cells) =>
        html`<tr>
          ${cells.map((cell) => (typeof cell === 'string' ? html`<td>${cell}</td>` : cell))}
        </tr>`,
    ),
  )
}

/** The name and sentence of a rule, as the first cell in its row. */
export function ruleHead(rule: string, says: string) {
  const [area = rule, ...rest] = rule.split('/')
  return html`<th scope="row">
    <code>${area}/<wbr />${rest.join('/')}</code>
    <p class="faint">${withCodeNames(capitalised(says))}</p>
  </th>`
}
