import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { iconSprite } from '../render/icons.ts'
import { html, nothing, trusted, type Markup } from '../render/markup.ts'

/** Parts of a page. */
interface Shell {
  readonly title: string
  readonly body: Markup
  readonly icon?: Markup
  readonly script: boolean
}

const [style, script] = ['./page.css', './page.js'].map((name) =>
  readFileSync(new URL(name, import.meta.url), 'utf8'),
)
// Not in a template, which a formatter may change: the hashes cover every character.
const styleElement = trusted(`<style>${style}</style>`)
const scriptElement = trusted(`<script>${script}</script>`)

/** Self-contained page, which loads nothing and has only its own style and script. */
export function pageShell({ title, body, icon = nothing, script: hasScript }: Shell): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy(hasScript)}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        ${icon} ${styleElement}${hasScript ? scriptElement : nothing}
      </head>
      <body>
        ${iconSprite} ${body}
      </body>
    </html> `
  return page.toString()
}

/** Allows only this style and script, by hash, and images only as data. */
function policy(hasScript: boolean): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${hashOf(style)}'`,
    ...(hasScript ? [`script-src 'sha256-${hashOf(script)}'`, 'img-src data:'] : []),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
}

function hashOf(text = ''): string {
  return createHash('sha256').update(text).digest('base64')
}
