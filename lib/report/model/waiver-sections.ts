import { waiverSubject } from '../../settings/waivers.ts'
import { countedRules } from '../../verdict/counted-rules.ts'
import type { Verdict, VerdictRule } from '../../verdict/verdict.ts'
import type { Cause } from '../../explain/causes.ts'
import { findingsOf, listedNames, natureOf, waivedCauses } from './cause-text.ts'
import { listOf, type Item, type Phrase, type Section } from './document.ts'
import { isCovered, waiverNotes } from './headline.ts'
import { short } from './sections.ts'
import { visible } from '../../text/visible.ts'
import { capitalised, plural } from '../../text/counts.ts'

/** Section of causes, rules and endpoints covered by waivers, gravest first, or null. */
export function waivedSection(verdict: Verdict): Section | null {
  const { rules, target } = verdict
  const covered = rules.filter(isCovered)
  const endpoints = target.notJudged.filter(({ waived }) => waived !== undefined)
  const counts = [
    ...(covered.length === 0 ? [] : [plural(countedRules(covered).length, 'rule')]),
    ...(endpoints.length === 0 ? [] : [plural(endpoints.length, 'endpoint')]),
  ]
  if (counts.length === 0) return null
  const causes = waivedCauses(verdict)
  const told = new Set<string>(causes.flatMap((cause) => cause.rules))
  const items = [
    ...causes.map((cause) => waivedCause(cause, rules)),
    ...covered.filter(({ id }) => !told.has(id)).map(waivedRule),
    ...endpoints.map(({ endpoint, because, waived = '' }): Item => ({
      status: 'waived',
      text: [{ code: short(endpoint) }, `: not judged (${short(because)}); ${short(waived)}`],
    })),
  ]
  return { id: 'waived', title: `Waived (${counts.join(', ')})`, blocks: listOf(items) }
}

const mostReasons = 3
const mostNames = 10

function waivedCause(cause: Cause, rules: readonly VerdictRule[]): Item {
  const reasons = new Set(findingsOf(cause, rules).flatMap(({ finding: { waived } }) => waived ?? []))
  return {
    status: 'waived',
    text: [{ strong: short(visible(cause.sentence)) }],
    under: [
      `${capitalised(natureOf(cause, rules))}: ${plural(cause.cases.length, 'finding')} of ${listedNames(cause.rules, mostNames)}`,
      ...[...reasons].slice(0, mostReasons).map((reason) => `Agreed: ${short(reason)}`),
    ],
  }
}

function waivedRule({ id, because }: VerdictRule): Item {
  return { status: 'waived', text: [{ code: id }, `: ${short(because ?? 'no reason was given')}`] }
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
  idle: 'covered nothing: remove it if the fault is fixed',
  expired: 'expired: covers nothing any more',
} as const
