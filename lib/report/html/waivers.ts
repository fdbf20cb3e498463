import { beginning } from '../../settings/printable.ts'
import type { Verdict, VerdictWaiver } from '../../verdict/verdict.ts'
import { waiverNotes, type WaiverNote } from '../waiver-notes.ts'
import { html, nothing, type Markup, type Part } from './markup.ts'
import { counted } from './wording.ts'

const longest = 600

/** The waivers that somebody must do something about, where nobody can miss them. */
export function waiverAlarm(verdict: Verdict): Markup {
  const notes = waiverNotes(verdict)
  if (notes.length === 0) return nothing
  const waits = verdict.profile === 'acceptance' ? '; acceptance waits for it' : ''
  return html`<section class="alarm" aria-labelledby="alarm">
    <h2 id="alarm">Waivers need attention</h2>
    ${listed(notes, 'gone', (count) => `${covered(count)} nothing, for the fault is gone. Remove ${one(count)}${waits}:`)}
    ${listed(notes, 'idle', (count) => `${covered(count)} nothing in this run. Remove what is mended:`)}
    ${listed(notes, 'expired', (count) => `${counted(count, 'waiver')} expired, and no longer ${count === 1 ? 'covers' : 'cover'} anything:`)}
  </section>`
}

function covered(count: number): string {
  return `${counted(count, 'waiver')} covered`
}

function one(count: number): string {
  return count === 1 ? 'it' : 'them'
}

function listed(
  notes: readonly WaiverNote[],
  wanted: WaiverNote['kind'],
  says: (count: number) => string,
): Markup {
  const waivers = notes.filter(({ kind }) => kind === wanted).map(({ waiver }) => waiver)
  if (waivers.length === 0) return nothing
  return html`<p>${says(waivers.length)}</p>
    <ul>
      ${waivers.map((waiver) => html`<li>${subjectOf(waiver)}: ${beginning(waiver.reason, longest)} (${beginning(waiver.owner, longest)}, until ${waiver.expires})</li>`)}
    </ul>`
}

/** Every waiver with its reason, its owner, its last day, and what became of it. */
export function waiverTable(verdict: Verdict): Markup {
  const { waivers } = verdict
  if (waivers.length === 0) return nothing
  const kinds = new Map(waiverNotes(verdict).map(({ waiver, kind }) => [waiver, kind]))
  return html`<section aria-labelledby="waivers">
    <h2 id="waivers">Waivers</h2>
    <table class="list">
      <thead>
        <tr>
          ${['Waives', 'Reason', 'Owner', 'Until', 'In this run'].map((name) => html`<th scope="col">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${waivers.map((waiver) => row(waiver, kinds.get(waiver) ?? (waiver.used ? 'covers' : 'not seen')))}
      </tbody>
    </table>
  </section>`
}

/** What became of a waiver in the run. */
type WaiverState = WaiverNote['kind'] | 'covers' | 'not seen'

const told: Readonly<Record<WaiverState, string>> = {
  covers: 'covers what was found',
  gone: 'covered nothing, for the fault is gone: remove it',
  idle: 'covered nothing: remove it if the fault is mended',
  'not seen': 'what it covers was not judged',
  expired: 'expired: covers nothing any more',
}

function row(waiver: VerdictWaiver, state: WaiverState): Markup {
  const cells: readonly Part[] = [
    beginning(waiver.reason, longest),
    beginning(waiver.owner, longest),
    waiver.expires,
    state === 'covers' ? told[state] : html`<strong>${told[state]}</strong>`,
  ]
  return html`<tr>
    <th scope="row">${subjectOf(waiver)}</th>
    ${cells.map((cell) => html`<td>${cell}</td>`)}
  </tr>`
}

function subjectOf({ rule, fingerprint }: VerdictWaiver): Markup {
  const parts = [rule, fingerprint].filter((part) => part !== null)
  return html`<code>${beginning(parts.join(' '), longest)}</code>`
}
