import type { Cause } from '../judge/causes.ts'
import type { Finding } from '../judge/record.ts'
import { beginning } from '../settings/printable.ts'
import { groupBy } from '../spec/group-by.ts'
import { areaOf } from '../spec/rules.ts'
import { statuses, type Verdict, type VerdictRule } from '../verdict/verdict.ts'
import { withCodeNames } from './codes.ts'
import { listOf, paragraph, type Block, type Fact, type Item, type Section, type Phrase } from './document.ts'
import {
  alikeTexts,
  causesIn,
  countsOf,
  exampleOf,
  extentOf,
  findingFacts,
  leadingCauses,
  type Leading,
} from './findings.ts'
import { isCovered, waiverNotes } from './headline.ts'
import { isCopyable, visible } from './visible.ts'
import { fingerprintsOf, waiverFacts, waiverFold } from './waiver-drafts.ts'
import { outcomes, plural, statusCount } from './words.ts'

const longestText = 600

/** Cuts a text of unknown origin. */
export function short(text: string): string {
  return beginning(text, longestText)
}

/** Detail of causes; the first ones get more. */
interface CauseDetail {
  /** Causes with everything needed to see and repeat them. */
  readonly full: number
  /** Causes with a line to repeat them; the others get one line each. */
  readonly repeatable: number
  readonly most: number
  /** Rules named per cause. */
  readonly named: number
  /** Whether every rule is named once above, unless the causes name them all. */
  readonly allRules: boolean
  /** Whether lines of a waiver are folded, since the reader can unfold them. */
  readonly folds: boolean
}

/** Section of violations and warnings by cause, gravest first, or null. */
export function causeSection(
  kind: 'Violations' | 'Warnings',
  verdict: Verdict,
  detail: CauseDetail,
): Section | null {
  const causes = causesIn(verdict).filter(({ warning }) => warning === (kind === 'Warnings'))
  if (causes.length === 0) return null
  const leading = leadingCauses(causes)
  const items = leading.slice(0, detail.most).map((one, place) => causeItem(one, verdict, { detail, place }))
  return {
    id: kind.toLowerCase(),
    title: `${kind} (${countsOf(causes)})`,
    blocks: [...allRules(causes, detail), { kind: 'list', items, hidden: leading.length - items.length }],
  }
}

/** Every rule of the causes once, whatever the number of causes. */
function allRules(causes: readonly Cause[], { allRules: isWanted, named }: CauseDetail): readonly Block[] {
  const names = [...new Set(causes.flatMap(({ rules }) => rules))].toSorted()
  const isTold = causes.length === 1 && names.length <= named
  return !isWanted || isTold ? [] : [paragraph(names.join(', '))]
}

const extent = { body: 200, field: 100, detail: 'short' } as const
/** Maximum length of a one-line cause, in characters: one line in most terminals. */
const longestLine = 97

function causeItem(
  one: Leading,
  verdict: Verdict,
  { detail, place }: { readonly detail: CauseDetail; readonly place: number },
): Item {
  const { cause } = one
  const status = cause.warning ? 'warned' : 'failed'
  const sentence = short(visible(cause.sentence))
  const fingerprints = fingerprintsOf(cause, verdict.rules)
  if (place >= detail.repeatable) {
    const [name = '', ...others] = fingerprints
    const suffix = ` [${beginning(name, longestName)}${others.length === 0 ? '' : ', …'}]`
    const room = longestLine - suffix.length
    const line = sentence.length <= room ? sentence : `${sentence.slice(0, room - 1)}…`
    return { status, text: [line, suffix] }
  }
  const found = exampleOf(cause, verdict.rules)
  const told = found === null ? [] : place < detail.full ? fullFacts(found) : repeatFacts(found)
  return {
    status,
    text: [{ strong: short(withCodeNames(sentence)) }],
    under: [
      extentOf(cause, detail.named),
      ...alikeTexts(one).map(short),
      ...fingerprintFacts(fingerprints),
      ...told,
      ...(detail.folds ? waiverFold(cause, verdict) : waiverFacts(cause, verdict)),
    ],
  }
}

/** Maximum shown length and number of fingerprints beside a cause. */
const longestName = 40
const mostNames = 3

function fingerprintFacts(fingerprints: readonly string[]): readonly Fact[] {
  if (fingerprints.length === 0) return []
  const names = fingerprints.slice(0, mostNames).map((name) => beginning(name, longestName))
  const more = fingerprints.length - names.length
  return [{ label: 'fingerprint', value: `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}` }]
}

/** Omits what the sentence (documented answer) and the line to repeat it (case) already tell. */
function fullFacts(finding: Finding): readonly Fact[] {
  const left = finding.replay === null ? ['documented'] : ['documented', 'case']
  const { curl } = finding
  return [
    ...findingFacts(finding, extent).filter(({ label }) => !left.includes(label)),
    ...(curl === null ? [] : isCopyable(curl) ? [{ label: '', value: curl, whole: true } as const] : [unfit]),
  ]
}

const unfit: Fact = { label: 'curl', value: 'not fit for a terminal, see verdict.json' }

function repeatFacts({ replay }: Finding): readonly Fact[] {
  if (replay === null) return []
  return [
    isCopyable(replay)
      ? { label: 'again', value: replay, whole: true }
      : { label: 'again', value: 'see verdict.json' },
  ]
}

/** Rules by area: one line each, or a table of counts, in which areas that all passed share a line unless all did. */
export function areaSection({ rules }: Verdict, form: 'table' | 'lines'): Section | null {
  const all = [...groupBy(rules, ({ id }) => areaOf(id))]
  if (all.length === 0) return null
  const id = 'areas'
  const title = 'Rules by area'
  if (form === 'lines') {
    const facts = all.map(([area, members]) => ({ label: area, value: outcomes(members) }))
    return { id, title, blocks: [{ kind: 'facts', facts }] }
  }
  const open = all.filter(([, members]) => statusCount(members, 'passed') < members.length)
  const shown = open.length === 0 ? all : open
  const passed = all.filter((one) => !shown.includes(one)).map(([area]) => area)
  const rows = shown.map(([area, members]) => [
    area,
    ...statuses.map((status) => `${statusCount(members, status) || '·'}`),
  ])
  const rest = passed.length === 0 ? [] : [paragraph(`all passed: ${passed.join(', ')}`)]
  return { id, title, blocks: [{ kind: 'table', head: ['area', ...statuses], rows }, ...rest] }
}

/** Section of breaches and rules covered by waivers, or null. */
export function waivedSection({ rules }: Verdict): Section | null {
  const covered = rules.filter(isCovered)
  if (covered.length === 0) return null
  return {
    id: 'waived',
    title: `Waived (${plural(covered.length, 'rule')})`,
    blocks: listOf(covered.map(coveredItem)),
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
    const { rule, fingerprint, reason, owner, expires, used } = waiver
    const kind = kinds.get(waiver)
    const state = kind === undefined ? waiverStates[used ? 'covers' : 'unseen'] : waiverStates[kind]
    const subject = [rule, fingerprint].filter((part) => part !== null).join(' ')
    return [
      [{ code: short(subject) }],
      short(reason),
      short(owner),
      expires,
      used ? state : [{ strong: state }],
    ]
  })
  const head = ['Waives', 'Reason', 'Owner', 'Until', 'In this run']
  return { id: 'waivers', title: 'Waivers', blocks: [{ kind: 'table', head, rows }] }
}

const waiverStates = {
  covers: 'covers what was found',
  unseen: 'what it covers was not judged',
  gone: 'covered nothing, because the fault is gone: remove it',
  idle: 'covered nothing: remove it if the fault is mended',
  expired: 'expired: covers nothing any more',
} as const

/** Section of what no verdict covers; null if no rule was judged. */
export function notCoveredSection({ notCovered, rules }: Verdict): Section | null {
  if (notCovered.length === 0 || rules.length === 0) return null
  const items = notCovered.map((text) => ({ text: short(text) }))
  return { id: 'not-covered', title: 'Not covered by any verdict', blocks: listOf(items) }
}

const mostValues = 60

/** Section of observations where the specification is silent, or null. */
export function observationSection({ observations }: Verdict): Section | null {
  if (observations.length === 0) return null
  return {
    id: 'observations',
    title: 'Observations',
    blocks: [
      paragraph('What the run saw where the specification says nothing. None of it is judged.', 'faint'),
    ],
    parts: observations.slice(0, mostValues).map(({ id, value }) => ({
      id: short(id),
      title: [short(id)],
      blocks: valueBlocks(value),
    })),
  }
}

function valueBlocks(value: unknown): readonly Block[] {
  if (typeof value !== 'object' || value === null) return [paragraph(valueText(value))]
  const entries = Object.entries(value)
  if (entries.length === 0) return [paragraph('none')]
  if (Array.isArray(value)) {
    const items = value.map((one) => ({ text: valueText(one) }))
    return listOf(items, mostValues, true)
  }
  const more = entries.length - mostValues
  const facts = entries
    .slice(0, mostValues)
    .map(([name, one]) => ({ label: short(name), value: valueText(one) }))
  return [{ kind: 'facts', facts }, ...(more > 0 ? [paragraph(`${more} more in verdict.json`)] : [])]
}

function valueText(value: unknown): string {
  return short(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
}

/** Drops missing sections. */
export function present(sections: readonly (Section | null)[]): readonly Section[] {
  return sections.filter((section) => section !== null)
}
