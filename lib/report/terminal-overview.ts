import { connectionTexts } from './connection-text.ts'
import { duration } from './duration.ts'
import { embeddedNotice } from './embedded-notice.ts'
import { askedAddress, headlineWord } from './headline.ts'
import { isPartial } from '../verdict/verdict.ts'
import { outcomes } from './outcomes.ts'
import { plural } from './plural.ts'
import type { Line, Tone } from './terminal-lines.ts'
import type { Verdict, VerdictWord } from '../verdict/verdict.ts'

const tones: Readonly<Record<VerdictWord, Tone>> = {
  conformant: 'good',
  nonconformant: 'bad',
  incomplete: 'warning',
  error: 'bad',
}

/** The tone of a verdict. Only one about all rules is good. */
export function toneOf(verdict: Verdict): Tone {
  return verdict.verdict === 'conformant' && isPartial(verdict) ? 'warning' : tones[verdict.verdict]
}

/** The verdict at a glance: the word, what was judged, how many rules came out how, what it cost. */
export function headlineLines(verdict: Verdict): readonly Line[] {
  const tone = toneOf(verdict)
  const headline: Line = { text: `${headlineWord(verdict).toUpperCase()}: ${judged(verdict)}`, tone }
  const reasons = (verdict.verdict === 'error' ? verdict.because : []).map((text) => ({
    label: '  - ',
    text,
    tone,
  }))
  if (verdict.rules.length === 0) return [headline, ...reasons]

  const notice: readonly Line[] = verdict.target.embedded
    ? [{ text: embeddedNotice, tone: 'warning' }, { text: '' }]
    : []
  return [
    ...notice,
    headline,
    { indent: 2, text: `${plural(verdict.rules.length, 'rule')}: ${outcomes(verdict.rules)}` },
    { indent: 2, text: cost(verdict) },
    ...selected(verdict),
    ...baseline(verdict),
    ...reasons,
  ]
}

function judged(verdict: Verdict): string {
  const { target, profile, strict } = verdict
  const label = target.label === null ? '' : ` (${target.label})`
  const between = connectionTexts(verdict).map((text) => `, ${text}`)
  return `${askedAddress(target)}${label}${between.join('')}, profile ${profile}${strict ? ', strict' : ''}`
}

function cost({ requests, durationMs, seed }: Verdict): string {
  const extra = [
    ...(requests.retried > 0 ? [`${requests.retried} retried`] : []),
    ...(requests.confirming > 0 ? [`${requests.confirming} to confirm`] : []),
  ]
  const detail = extra.length === 0 ? '' : ` (${extra.join(', ')})`
  const sent = `${requests.sent} of at most ${requests.budget} requests sent${detail}`
  return `${sent}, ${duration(durationMs)}, seed ${seed}`
}

function baseline({ baseline: kept }: Verdict): readonly Line[] {
  return kept === undefined ? [] : [{ indent: 2, text: `Baseline ${kept.did}: ${kept.file}` }]
}

function selected({ selection: { only } }: Verdict): readonly Line[] {
  return only === null ? [] : [{ indent: 2, text: `A part of the rules: only ${only.join(', ')}` }]
}
