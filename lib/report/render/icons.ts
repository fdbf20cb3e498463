import type { RuleStatus } from '../../judge/record.ts'
import { html, trusted, type Markup } from './markup.ts'

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
export const iconSprite: Markup = trusted(
  `<svg class="sprite" aria-hidden="true">${Object.entries(shapes)
    .map(
      ([name, path]) =>
        `<symbol id="i-${name}" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7.25"/>${path}</symbol>`,
    )
    .join('')}</svg>`,
)

/** The icon for a status. It is hidden from screen readers, so the word must appear next to it. */
export function icon(status: RuleStatus): Markup {
  return html`<svg class="icon ${status}" aria-hidden="true"><use href="#i-${status}" /></svg>`
}

/** The icon and word for a status. */
export function badge(status: RuleStatus): Markup {
  return html`<span class="badge ${status}">${icon(status)}${status}</span>`
}
