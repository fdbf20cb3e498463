import { waiverSubject } from '../settings/waivers.ts'
import type { Verdict, VerdictRule } from '../verdict/verdict.ts'
import { listOf, type Item, type Phrase, type Section } from './document.ts'
import { isCovered, waiverNotes } from './headline.ts'
import { short } from './sections.ts'
import { visible } from './visible.ts'
import { plural } from './words.ts'

/** Section of breaches, rules and endpoints covered by waivers, or null. */
export function waivedSection({ rules, target: { notJudged } }: Verdict): Section | null {
  const covered = rules.filter(isCovered)
  const endpoints = notJudged.filter(({ waived }) => waived !== undefined)
  const counts = [
    ...(covered.length === 0 ? [] : [plural(covered.length, 'rule')]),
    ...(endpoints.length === 0 ? [] : [plural(endpoints.length, 'endpoint')]),
  ]
  if (counts.length === 0) return null
  const items = endpoints.map(({ endpoint, because, waived = '' }): Item => ({
    status: 'waived',
    text: [{ code: short(endpoint) }, `: not judged (${short(because)}); ${short(waived)}`],
  }))
  return {
    id: 'waived',
    title: `Waived (${counts.join(', ')})`,
    blocks: listOf([...covered.map(coveredItem), ...items]),
  }
}

const mostFindings = 10

function coveredItem({ id, status, because, findings }: VerdictRule): Item {
  const whole = status === 'waived'
  const covered = findings.flatMap(({ summary, case: name, waived }): readonly Phrase[] =>
    waived === undefined
      ? []
      : [[short(visible(summary)), ' (', { code: short(name) }, whole ? ')' : `); ${short(waived)}`]],
  )
  const more = covered.length - mostFindings
  return {
    status: 'waived',
    text: [{ code: id }, whole ? `: ${short(because ?? 'no reason was given')}` : ', in part'],
    under: [
      ...covered.slice(0, mostFindings),
      ...(more > 0 ? [`${plural(more, 'more finding')} in verdict.json`] : []),
    ],
  }
}

/** Section of waivers that expired or are not needed, or null. */
export function waiverSection(verdict: Verdict): Section | null {
  const notes = waiverNotes(verdict)
  if (notes.length === 0) return null
  const items = notes.map(({ says }): Item => ({ status: 'warned', text: short(says) }))
  return { id: 'alarm', title: `Waivers to look at (${notes.length})`, blocks: listOf(items) }
}

/** Table of waivers with reason, owner, last day and effect, or null. */
export function waiverTable(verdict: Verdict): Section | null {
  if (verdict.waivers.length === 0) return null
  const kinds = new Map(waiverNotes(verdict).map(({ waiver, kind }) => [waiver, kind]))
  const rows = verdict.waivers.map((waiver): readonly Phrase[] => {
    const { reason, owner, expires, used } = waiver
    const kind = kinds.get(waiver)
    const state = kind === undefined ? waiverStates[used ? 'covers' : 'unseen'] : waiverStates[kind]
    return [
      [{ code: short(waiverSubject(waiver)) }],
      short(reason),
      short(owner),
      expires,
      used && kind === undefined ? state : [{ strong: state }],
    ]
  })
  const head = ['Waives', 'Reason', 'Owner', 'Until', 'In this run']
  return { id: 'waivers', title: 'Waivers', blocks: [{ kind: 'table', head, rows }] }
}

const waiverStates = {
  covers: 'covers what was found',
  unseen: 'what it covers was not judged',
  gone: 'covered nothing, because the fault is gone: remove it',
  partly: 'names faults that are gone: remove their fingerprints',
  idle: 'covered nothing: remove it if the fault is mended',
  expired: 'expired: covers nothing any more',
} as const
