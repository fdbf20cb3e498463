import type { Cause } from '../../explain/causes.ts'
import { beginning } from '../../text/printable.ts'
import { groupBy, capitalised } from '../../text/counts.ts'
import { areaOf } from '../../specification/rules.ts'
import { countedRules } from '../../verdict/counted-rules.ts'
import { statuses, type Verdict } from '../../verdict/verdict.ts'
import { listOf, paragraph, type Block, type Fact, type Item, type Section } from './document.ts'
import { countsOf, exampleOf, extentOf, natureOf, rulesOf, listedNames } from './cause-text.ts'
import { findingFacts, type FindingFact } from './finding-facts.ts'
import { isCopyable, visible } from '../../text/visible.ts'
import { otherWaivers, waiverFacts, waiverFold } from './waiver-drafts.ts'
import { outcomes, statusCount } from './rule-counts.ts'

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
  /** Whether lines of a waiver are folded, since the reader can unfold them; otherwise every rule of several causes is named once above. */
  readonly folds: boolean
}

/** Rules named per cause. */
const named = 3

/** Section of violations and warnings by cause, gravest first, or null. */
export function causeSection(
  kind: 'Violations' | 'Warnings',
  verdict: Verdict,
  detail: CauseDetail,
): Section | null {
  const causes = verdict.causes.filter(({ warning }) => warning === (kind === 'Warnings'))
  if (causes.length === 0) return null
  const items = causes
    .slice(0, detail.most)
    .map((cause, place) => causeItem(cause, verdict, { detail, place }))
  return {
    id: kind.toLowerCase(),
    title: `${kind} (${countsOf(causes, verdict)})`,
    blocks: [
      // A single cause names its own rules, and counts those beyond.
      ...(detail.folds || causes.length === 1 ? [] : [paragraph(rulesOf(causes, verdict.rules).join(', '))]),
      { kind: 'list', items, hidden: causes.length - items.length },
    ],
  }
}

/** Section of lines for a waivers file that stand beside no cause of {@link causeSection}, which has those of so many; or null. */
export function otherWaiverSection(verdict: Verdict, repeatable: number): Section | null {
  const unlisted = verdict.causes.filter(({ warning }) => !warning).slice(repeatable)
  const folds = otherWaivers(unlisted, verdict)
  if (folds.length === 0) return null
  const items = [{ text: 'Each entry needs a reason and an owner.', under: folds }]
  return { id: 'to-waive', title: 'More that can be waived', blocks: listOf(items) }
}

const extent = { body: 120, field: 100, detail: 'short' } as const

function causeItem(
  cause: Cause,
  verdict: Verdict,
  { detail, place }: { readonly detail: CauseDetail; readonly place: number },
): Item {
  const { fingerprints } = cause
  const status = cause.warning ? 'warned' : 'failed'
  const sentence = short(visible(cause.sentence))
  if (place >= detail.repeatable) {
    const [name = '', ...others] = fingerprints
    const nature = `${natureOf(cause, verdict.rules)}: ${extentOf(cause, verdict.rules, named)}`
    return {
      status,
      text: `${sentence} (${nature}) [${beginning(name, longestName)}${others.length === 0 ? '' : ', …'}]`,
    }
  }
  const found = exampleOf(cause, verdict.rules)
  const facts = found === null ? [] : place < detail.full ? fullFacts(found) : briefFacts(found)
  return {
    status,
    // What was documented and answered has the names of codes.
    text: [{ strong: sentence }],
    under: [
      `${capitalised(natureOf(cause, verdict.rules))}: ${extentOf(cause, verdict.rules, named)}`,
      // The entry that waives it names them, too.
      ...(detail.folds || cause.warning ? fingerprintFacts(fingerprints) : []),
      ...facts,
      ...(detail.folds ? waiverFold : waiverFacts)([cause], verdict),
    ],
  }
}

/** Maximum shown length and number of fingerprints beside a cause. */
const longestName = 40
const mostNames = 3

function fingerprintFacts(fingerprints: readonly string[]): readonly Fact[] {
  if (fingerprints.length === 0) return []
  const names = fingerprints.map((name) => beginning(name, longestName))
  return [{ label: 'fingerprint', value: listedNames(names, mostNames) }]
}

type Shown = NonNullable<ReturnType<typeof exampleOf>>

/** Omits what the line to repeat it (case) already tells. */
function fullFacts({ finding, rule }: Shown): readonly Fact[] {
  const { curl } = finding
  return [
    ...findingFacts(finding, extent, rule).filter(({ kind }) => finding.replay === null || kind !== 'case'),
    ...(curl === null ? [] : isCopyable(curl) ? [{ label: '', value: curl, whole: true } as const] : [unfit]),
  ]
}

const unfit: Fact = { label: 'curl', value: 'not fit for a terminal, see verdict.json' }

const brief: ReadonlySet<FindingFact['kind']> = new Set(['documented', 'answered', 'before', 'after', 'sent'])

/** What was documented, answered and sent, and the line that sends it again. */
function briefFacts({ finding, rule }: Shown): readonly Fact[] {
  const { replay } = finding
  const again = replay === null || isCopyable(replay) ? replay : 'see verdict.json'
  return [
    ...findingFacts(finding, extent, rule).filter(({ kind }) => brief.has(kind)),
    ...(again === null ? [] : [{ label: 'replay', value: again, whole: true } as const]),
  ]
}

/** Rules by area: one line each, or a table of counts, in which areas that all passed share a line unless all did. */
export function areaSection({ rules }: Verdict, form: 'table' | 'lines'): Section | null {
  const all = [...groupBy(countedRules(rules), ({ id }) => areaOf(id))]
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
