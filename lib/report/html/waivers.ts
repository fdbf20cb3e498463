import { beginning } from '../printable.ts'
import type { Verdict, VerdictRule, VerdictWaiver } from '../verdict.ts'
import { html, nothing, type Markup, type Part } from './markup.ts'
import { counted } from './wording.ts'

const longest = 600

/** What became of a waiver. `unneeded`: what it covers was judged, and there was nothing to cover. */
export type WaiverState = 'covers' | 'unneeded' | 'not seen' | 'expired'

/** What became of a waiver in this run. */
export function stateOf({ expired, used, rule }: VerdictWaiver, rules: readonly VerdictRule[]): WaiverState {
  if (expired) return 'expired'
  if (used) return 'covers'
  const status = rules.find(({ id }) => id === rule)?.status
  if (rule === null) return rules.length === 0 ? 'not seen' : 'unneeded'
  return status === undefined || status === 'inconclusive' || status === 'untested' ? 'not seen' : 'unneeded'
}

/** The waivers that somebody must do something about, where nobody can miss them. */
export function waiverAlarm({ waivers, rules }: Verdict): Markup {
  const unneeded = waivers.filter((waiver) => stateOf(waiver, rules) === 'unneeded')
  const expired = waivers.filter((waiver) => stateOf(waiver, rules) === 'expired')
  if (unneeded.length + expired.length === 0) return nothing
  return html`<section class="alarm" aria-labelledby="alarm">
    <h2 id="alarm">Waivers need attention</h2>
    ${unneeded.length === 0 ? nothing : listed(`${counted(unneeded.length, 'waiver')} covered nothing in this run. Remove what is mended:`, unneeded)}
    ${expired.length === 0 ? nothing : listed(`${counted(expired.length, 'waiver')} expired, and no longer ${expired.length === 1 ? 'covers' : 'cover'} anything:`, expired)}
  </section>`
}

function listed(sentence: string, waivers: readonly VerdictWaiver[]): Markup {
  return html`<p>${sentence}</p>
    <ul>
      ${waivers.map((one) => html`<li>${subjectOf(one)}: ${beginning(one.reason, longest)} (${beginning(one.owner, longest)}, until ${one.expires})</li>`)}
    </ul>`
}

/** Every waiver with its reason, its owner, its last day, and what became of it. */
export function waiverTable({ waivers, rules }: Verdict): Markup {
  if (waivers.length === 0) return nothing
  return html`<section aria-labelledby="waivers">
    <h2 id="waivers">Waivers</h2>
    <table class="list">
      <thead>
        <tr>
          ${['Waives', 'Reason', 'Owner', 'Until', 'In this run'].map((name) => html`<th scope="col">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${waivers.map((waiver) => row(waiver, stateOf(waiver, rules)))}
      </tbody>
    </table>
  </section>`
}

const told: Readonly<Record<WaiverState, string>> = {
  covers: 'covers what was found',
  unneeded: 'covered nothing: remove it if the fault is mended',
  'not seen': 'the rule was not judged',
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
