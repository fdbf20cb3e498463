import type { RuleStatus } from '../../judge/record.ts'
import { isPartial, type Verdict, type VerdictWord } from '../../verdict/verdict.ts'
import { isGreen } from '../model/headline.ts'
import { html, trusted, type Markup } from './markup.ts'

/** Shapes of statuses, distinct without colour. */
const shapes: Readonly<Record<RuleStatus, string>> = {
  passed: '<path d="M4.5 8.4l2.4 2.4 4.6-5.2"/>',
  failed: '<path d="M5.4 5.4l5.2 5.2M10.6 5.4l-5.2 5.2"/>',
  warned: '<path d="M8 4.4v4.4M8 11.2v.2"/>',
  waived: '<path d="M4.3 9c1.2-2.4 2.5-2.4 3.7-1s2.5 1.4 3.7-1"/>',
  inconclusive: '<path d="M6 6.3a2 2 0 1 1 2.6 2c-.4.2-.6.5-.6 1M8 11.3v.2"/>',
  untested: '<path d="M5 8h6"/>',
}

const tones: Readonly<Record<VerdictWord, RuleStatus>> = {
  conformant: 'passed',
  nonconformant: 'failed',
  incomplete: 'inconclusive',
  error: 'failed',
}

/** Status whose look a verdict has; a partial verdict, or one with a waived breach of security, never has a tick. */
export function toneOfVerdict(verdict: Verdict): RuleStatus {
  if (verdict.verdict !== 'conformant' || isGreen(verdict)) return tones[verdict.verdict]
  return isPartial(verdict) ? 'untested' : 'warned'
}

/** Shapes, once in a page, for {@link icon}. */
export const iconSprite: Markup = trusted(
  `<svg class="sprite" aria-hidden="true">${Object.entries(shapes)
    .map(
      ([name, path]) =>
        `<symbol id="i-${name}" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7.25"/>${path}</symbol>`,
    )
    .join('')}</svg>`,
)

/** Icon of a status, for eyes only: its word must stand beside it. */
export function icon(status: RuleStatus): Markup {
  return html`<svg class="icon ${status}" aria-hidden="true"><use href="#i-${status}" /></svg>`
}

/** Icon and word of a status. */
export function badge(status: RuleStatus): Markup {
  return html`<span class="badge ${status}">${icon(status)}${status}</span>`
}

/** Tab icon of a verdict, as a data URL. */
export function tabIcon(verdict: Verdict): Markup {
  const colour = { passed: '#12693c', failed: '#b3261e', inconclusive: '#9a4100', warned: '#7a5200' }
  const tone = toneOfVerdict(verdict)
  const fill = tone === 'untested' || tone === 'waived' ? '#4d5866' : colour[tone]
  const image = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="none" stroke="#fff" stroke-width="1.8" stroke-linecap="round"><circle cx="8" cy="8" r="8" fill="${fill}" stroke="none"/>${shapes[tone]}</svg>`
  return html`<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(image)}" />`
}
