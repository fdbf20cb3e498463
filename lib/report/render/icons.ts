import type { RuleStatus } from '../../judge/record.ts'
import { isPartial, type Verdict, type VerdictWord } from '../../verdict/verdict.ts'
import { html, trusted, type Markup } from './markup.ts'

/** What a status or a verdict looks like: a shape of its own, so that its colour is never needed. */
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

/** Which status a verdict looks like. One about a part of the rules has no tick, whatever it says. */
export function toneOfVerdict(verdict: Verdict): RuleStatus {
  return verdict.verdict === 'conformant' && isPartial(verdict) ? 'untested' : tones[verdict.verdict]
}

/** The shapes, to stand once in a page; {@link icon} shows them. */
export const iconSprite: Markup = trusted(
  `<svg class="sprite" aria-hidden="true">${Object.entries(shapes)
    .map(
      ([name, path]) =>
        `<symbol id="i-${name}" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7.25"/>${path}</symbol>`,
    )
    .join('')}</svg>`,
)

/** A status as its shape, for eyes only: its word must stand beside it. */
export function icon(status: RuleStatus): Markup {
  return html`<svg class="icon ${status}" aria-hidden="true"><use href="#i-${status}" /></svg>`
}

/** A status as its shape and its word. */
export function badge(status: RuleStatus): Markup {
  return html`<span class="badge ${status}">${icon(status)}${status}</span>`
}

/** The verdict in the tab of a browser, as an address that is its own content. */
export function tabIcon(verdict: Verdict): Markup {
  const colour = { passed: '#12693c', failed: '#b3261e', inconclusive: '#9a4100' }
  const tone = toneOfVerdict(verdict)
  const fill = tone === 'passed' || tone === 'failed' || tone === 'inconclusive' ? colour[tone] : '#4d5866'
  const image = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="none" stroke="#fff" stroke-width="1.8" stroke-linecap="round"><circle cx="8" cy="8" r="8" fill="${fill}" stroke="none"/>${shapes[tone]}</svg>`
  return html`<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(image)}" />`
}
