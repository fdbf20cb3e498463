import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { RuleStatus } from '../../judge/record.ts'
import { printable } from '../../text/printable.ts'
import { html, nothing, trusted, type Markup, type Part } from '../render/markup.ts'
import { icon, iconSprite } from '../render/parts.ts'

/** The parts of a page. */
interface Shell {
  /** What the page is, in its header. */
  readonly name: string
  readonly title: string
  /** Set if the page is about the suite's own service. */
  readonly notice?: string | null
  readonly main: Part
  /** How the page was made, below everything else. */
  readonly made?: string
  /** `wide` for tables with many columns. */
  readonly kind?: 'wide'
  /** Text at the bottom of every printed sheet, next to its number. */
  readonly foot?: string
}

/** The outcome shown on a page, with an icon next to its heading. */
export function heroOf(tone: RuleStatus, heading: string, content: Part): Markup {
  return html`<section class="hero box ${tone}" aria-labelledby="outcome">
    <h1 id="outcome" tabindex="-1">${icon(tone)}${heading}</h1>
    ${content}
  </section>`
}

const [script = '', style = ''] = ['./page.js', './page.css'].map((name) =>
  readFileSync(new URL(name, import.meta.url), 'utf8'),
)

/** A self-contained page with inline styles and script, which loads nothing. */
export function pageShell({ name, title, notice = null, main, made, kind, foot = title }: Shell): string {
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
        <main>${notice === null ? nothing : html`<p class="box warned toned">${notice}</p>`} ${main}</main>
        ${made === undefined ? nothing : html`<footer><p>${made}</p></footer>`}
        <p class="sr" role="status" id="copied"></p>
      </body>
    </html> `
  return page.toString()
}

/** Numbers the printed sheets and names the report on each. */
function sheetStyle(foot: string): string {
  return `@page { @bottom-left { content: ${cssString(foot)} } @bottom-right { content: 'Sheet\\a0 ' counter(page) '\\a0 of\\a0 ' counter(pages) } }`
}

/** Text as a CSS string, escaped so that nothing in it can end the string. */
function cssString(text: string): string {
  const characters = [...printable(text)].map((one) =>
    /[\w ,.:/()-]/.test(one) ? one : `\\${(one.codePointAt(0) ?? 0).toString(16)} `,
  )
  return `'${characters.join('')}'`
}

/** Allows only these styles and this script, by hash. */
function policy(styles: string): string {
  return `default-src 'none'; style-src ${hashOf(styles)}; script-src ${hashOf(script)}; base-uri 'none'; form-action 'none'`
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
