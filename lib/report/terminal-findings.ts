import { alikeText, exampleOf, extentOf, mostRules, toldCauses, type Leading } from './causes-in.ts'
import type { Finding } from '../judge/record.ts'
import { findingRows, type Extent } from './finding-rows.ts'
import { beginning, printable } from '../settings/printable.ts'
import type { Line, Tone } from './terminal-lines.ts'
import type { Verdict } from '../verdict/verdict.ts'
import { visible } from './visible.ts'

/**
 * How causes of a kind are presented: so many in full, with all that a reader needs to see and to repeat them, so many with a line to
 * repeat them, and so many in all.
 */
interface Manner {
  readonly title: string
  readonly mark: string
  readonly tone: Tone
  readonly isWarning: boolean
  readonly full: number
  readonly repeatable: number
  readonly most: number
}

const violation: Manner = {
  title: 'Violations',
  mark: '✗ ',
  tone: 'bad',
  isWarning: false,
  full: 1,
  repeatable: 3,
  most: 10,
}
const warning: Manner = {
  title: 'Warnings',
  mark: '! ',
  tone: 'warning',
  isWarning: true,
  full: 0,
  repeatable: 1,
  most: 5,
}

const extent: Extent = { body: 200, field: 100, detail: 'short' }
const longestSentence = 500
/** Characters of a sentence that stands alone, in most terminals one line. */
const longestLine = 97
/** Beyond that, nobody copies a line from a terminal. */
const longestCopy = 4_000
const labelWidth = 12

/** What is wrong and makes the verdict nonconformant, by cause. */
export function violationLines(verdict: Verdict): readonly Line[] {
  return causeLines(verdict, violation)
}

/** What the profile does not count as a violation, in short. */
export function warningLines(verdict: Verdict): readonly Line[] {
  return causeLines(verdict, warning)
}

function causeLines(verdict: Verdict, manner: Manner): readonly Line[] {
  const told = toldCauses(verdict, manner)
  if (told === null) return []

  const { causes, leading, hidden } = told
  return [
    { text: `${manner.title} (${told.counts})`, tone: 'strong' },
    // Every rule is named once, however many causes there are and are shown.
    ...(causes.length === 1 && (causes[0]?.rules.length ?? 0) <= mostRules
      ? []
      : [{ indent: 2, text: [...new Set(causes.flatMap(({ rules }) => rules))].toSorted().join(', ') }]),
    ...leading.flatMap((one, place) => linesOf(one, verdict, { manner, place })),
    ...(hidden > 0 ? [{ text: '' }, { text: `… and ${hidden} more in verdict.json` }] : []),
  ]
}

function linesOf(
  one: Leading,
  { rules }: Verdict,
  { manner, place }: { readonly manner: Manner; readonly place: number },
): readonly Line[] {
  const { cause } = one
  const alike = alikeText(one)
  const sentence = beginning(visible(cause.sentence), longestSentence)
  if (place >= manner.repeatable) {
    const first: readonly Line[] = place === manner.repeatable ? [{ text: '' }] : []
    return [...first, { label: manner.mark, text: shortened(sentence), tone: manner.tone }]
  }
  const found = exampleOf(cause, rules)
  const rows = found === null ? [] : findingRows(found, extent)
  // The sentence says what is documented, and the line to repeat it names the case.
  const told = rows.filter(({ label }) =>
    place < manner.full
      ? label !== 'documented' && (label !== 'case' || found?.replay === null)
      : label === 'again',
  )
  return [
    { text: '' },
    { label: manner.mark, text: sentence, tone: manner.tone },
    { indent: 4, text: extentOf(cause) },
    ...(alike === null ? [] : [{ indent: 4, text: alike }]),
    ...told.map(({ label, value, whole }) => {
      const line = { indent: 4, label: label.padEnd(labelWidth), text: value }
      return whole === true ? { ...line, whole } : line
    }),
    ...(found === null || place >= manner.full ? [] : curlOf(found)),
  ]
}

function shortened(sentence: string): string {
  return sentence.length <= longestLine ? sentence : `${sentence.slice(0, longestLine - 1)}…`
}

/** A line that had to be escaped to be shown would no longer say what was sent, so that copying it would mislead. */
function curlOf({ curl }: Finding): readonly Line[] {
  if (curl === null) return []
  const nothing = { indent: 4, label: 'curl'.padEnd(labelWidth) }
  if (curl.length > longestCopy) return [{ ...nothing, text: `${curl.length} characters, see verdict.json` }]
  if (printable(curl) !== curl) return [{ ...nothing, text: 'not fit for a terminal, see verdict.json' }]
  return [{ indent: 4, text: curl, whole: true }]
}
