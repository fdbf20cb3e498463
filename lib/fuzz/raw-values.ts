import fc from 'fast-check'
import { requiredFields } from '../specification/endpoints.ts'
import { atUnknownPath, byTransport, caseClass, type CaseClass, type ClientInput } from './case-class.ts'
import { ofSize } from './header-values.ts'
import {
  atEnd,
  atPlaces,
  inserted,
  insertedAt,
  subjectOf,
  type Subject,
  type ValueRow,
  type ValueRows,
} from './mutated-value.ts'
import { inTurn, raw, withQuery } from './request-changes.ts'
import { randomSegment } from './seeded.ts'
import { controlCharacters, type Character } from './unicode.ts'

/** Values beyond ordinary bytes: control characters, broken and folded lines, and sizes that servers need not accept. */
export function rawValueClasses(input: ClientInput): readonly CaseClass[] {
  const subjects = requiredFields.map((field) => subjectOf(field, input))
  /** Each item with each subject, in item order, with a different subject each time. */
  const ofPairs = <Item>(items: readonly Item[], rows: (item: Item, subject: Subject) => ValueRows) =>
    // Each round moves on by one subject, so that no pair is repeated, even if the two lengths have a common factor.
    subjects.flatMap((first, round) =>
      items.flatMap((item, index) => {
        const subject = subjects[(index + round) % subjects.length] ?? first
        return subject.cases(rows(item, subject))
      }),
    )
  // A control character inside a value, where no service may strip it. Before or after a value, services may.
  const controls = ofPairs(controlCharacters, (one, { inside }) =>
    inside.length === 0 ? [twice(one)] : insertedAt(inside, [one], 1, inPair),
  )
  const atEnds = ofPairs(controlCharacters, (one, { text }) => [atEnd(text, one, atUnknownPath)])
  const behindKey = bytesBehind.map(([bytes, name, says, traits]) => {
    const row = [`followed by ${says}`, (text: string) => text + bytes, byTransport] as const
    const made = subjectOf('x-api-key', input).sent(row)
    // Keeps caches from storing its answer for the path that others request.
    const apart = withQuery(`_=${randomSegment(input.seed, `byte behind key: ${name}`)}`)
    return { ...made, ...traits, apply: inTurn(made.apply, apart, raw), connection: 'fresh' as const }
  })
  // The size at which a value is refused is recorded as an observation.
  const oversized = ofPairs(oversizes, (size, subject) => {
    const [as, value] = ofSize(subject, size)
    return [[as, value, { ...atUnknownPath, observe: { id: 'value-size', as } }]]
  })
  const stripped = 'some servers strip it, and some firewalls refuse it'
  return [
    caseClass('control-character', { weight: 2, requests: 2 }, controls),
    caseClass('control-character-at-end', { weight: 1, because: 'those inside a value are drawn' }, atEnds),
    caseClass('byte-behind-key', { because: stripped }, behindKey),
    caseClass('oversized', 1, oversized),
    caseClass('line-break', { weight: 1, requests: 2 }, ofPairs(lineBreaks, broken)),
  ]
}

const inPair = { ...atUnknownPath, inPair: true } as const

/** A value of one character has no inside, so the place between it and a copy of it is used. */
function twice({ bytes, says }: Character): ValueRow {
  return [`twice, with ${says} between`, (text) => text + bytes + text, inPair]
}

/**
 * Bytes after the valid key: one that some languages strip, and one that ends a string in C, followed by a character, so that a
 * success proves that the value was cut. Sent to the real path, because only that path is served.
 */
const bytesBehind = [
  // Tornado and Waitress strip it, because it is white space in Latin-1.
  ['\xa0', 'a0', 'the byte a0', { mayBeStripped: true }],
  ['\0x', '00', 'the byte 00 and an x', {}],
] as const

/** Sizes near the limits of common servers and gateways, most useful first. */
const oversizes = [8_192, 4_096, 16_384, 65_536, 8_190, 8_191, 8_193]

/** Values over two lines. A break never ends a value and a colon never follows a CR, because parsers might see an end or a field. */
const lineBreaks = [
  ['a bare CR', '\r', 'inside'],
  ['CR LF SP', '\r\n ', 'inside'],
  ['CR LF SP', '\r\n ', 'before'],
  ['CR LF HTAB', '\r\n\t', 'inside'],
  ['CR LF HTAB', '\r\n\t', 'before'],
  ['LF SP', '\n ', 'inside'],
] as const

/** A break inside a value is part of it, whereas a fold before a value is white space. */
function broken([how, bytes, where]: (typeof lineBreaks)[number], { text, inside }: Subject): ValueRows {
  if (where === 'before') return [[`folded (${how}) before it`, (valid) => bytes + valid, atUnknownPath]]
  const says = bytes === '\r' ? how : `a fold (${how})`
  const mayBreak = (at: number) => bytes !== '\r' || at > text.lastIndexOf(':')
  if (inside.length === 0) return mayBreak(0) ? [twice({ bytes, says })] : []
  const breaks = fc.constant({ bytes, says })
  return atPlaces(inside.filter(mayBreak), breaks, (one, at) => [...inserted(one, at), inPair])
}
