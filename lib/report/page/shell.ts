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
  /** The target of a link that skips the header, and its name. */
  readonly skip: readonly [id: string, called: string]
  readonly title: string
  readonly main: Part
  /** How the page was made, below everything else. */
  readonly made?: string
  readonly script?: boolean
  /** `wide` for tables with many columns. */
  readonly kind?: 'wide'
  /** Text at the bottom of every printed sheet, next to its number. */
  readonly foot?: string
}

/** The outcome shown on a page, with an icon next to its heading. */
export function heroOf(tone: RuleStatus, [id, heading]: readonly [string, string], content: Part): Markup {
  return html`<section class="hero ${tone}" aria-labelledby="${id}">
    ${icon(tone)}
    <div>
      <h1 id="${id}" tabindex="-1">${heading}</h1>
      ${content}
    </div>
  </section>`
}

const [script = '', ...sheets] = ['./page.js', './page.css', './lists.css', './paper.css'].map((name) =>
  readFileSync(new URL(name, import.meta.url), 'utf8'),
)
const style = sheets.join('')
// Not part of a template, which a formatter may change, because the hashes cover every character.
const styleElement = trusted(`<style>${style}</style>`)
const scriptElement = trusted(`<script>${script}</script>`)

/** A self-contained page with inline styles and script, which loads nothing. */
export function pageShell(shell: Shell): string {
  const { name, skip, title, main, made, script: hasScript = false, foot, kind = '' } = shell
  const more = foot === undefined ? [] : [sheetStyle(foot)]
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy(hasScript, more)}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        ${styleElement}${more.map((one) => trusted(`<style>${one}</style>`))}${hasScript ? scriptElement : nothing}
      </head>
      <body class="${kind}">
        ${iconSprite}<a class="skip" href="#${skip[0]}">Skip to ${skip[1]}</a>
        <header>
          <p><strong>${name}</strong> card-switching and customization service</p>
        </header>
        <main>${main}</main>
        ${made === undefined ? nothing : html`<footer><p>${made}</p></footer>`}
        ${hasScript ? html`<p class="sr" role="status" id="copied"></p>` : nothing}
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
function policy(hasScript: boolean, more: readonly string[]): string {
  const styles = [style, ...more].map((one) => `'sha256-${hashOf(one)}'`)
  return [
    "default-src 'none'",
    `style-src ${styles.join(' ')}`,
    ...(hasScript ? [`script-src 'sha256-${hashOf(script)}'`] : []),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
}

function hashOf(text = ''): string {
  return createHash('sha256').update(text).digest('base64')
}
