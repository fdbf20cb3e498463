import { html, type Markup } from './markup.ts'

/** A text to be copied, with a button that does so where the script runs; `name` says to a screen reader what is copied. */
export function copyable(name: string, text: Markup): Markup {
  return html`<div class="copyable">
    <pre tabindex="0" role="group" aria-label="${name}"><code>${text}</code></pre>
    <button type="button" class="js-only" aria-label="Copy ${name}">Copy</button>
  </div>`
}
