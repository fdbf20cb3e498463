import { createHash } from 'node:crypto'
import { askedAddress, headlineWord } from '../headline.ts'
import { beginning } from '../../settings/printable.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { tabIcon } from './icons.ts'
import { html, trusted, type Markup } from './markup.ts'
import { pageScript } from './script.ts'
import { pageStyle } from './style.ts'

const longestTitle = 200

/** The head of the page: its title, its style and its script, and a policy that lets nothing else in. */
export function head(verdict: Verdict): Markup {
  const { target, startedAt } = verdict
  const subject = beginning(target.label ?? askedAddress(target), longestTitle)
  return html`<head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${policy}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="referrer" content="no-referrer" />
    <meta name="color-scheme" content="light dark" />
    <title>${headlineWord(verdict)}: ${subject}, ${startedAt.slice(0, 10)}</title>
    ${tabIcon(verdict)} ${style}${script}
  </head>`
}

/** Not in a template, where a formatter may add white space: their hashes are of every character. */
const style = trusted(`<style>${pageStyle}</style>`)
const script = trusted(`<script>${pageScript}</script>`)

/** Only this style and this script, by their hashes; an image may only be its own address. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${hashOf(pageStyle)}'`,
  `script-src 'sha256-${hashOf(pageScript)}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}
