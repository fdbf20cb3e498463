import { atUnknownPath, byTransport, caseClass, type CaseClass, type ClientInput } from './case-class.ts'
import { ofSize } from './header-values.ts'
import {
  after,
  atPlaces,
  credentialSubject,
  splice,
  versionSubject,
  type Subject,
  type ValueRow,
  type ValueRows,
} from './mutated-value.ts'
import { inTurn, raw, withQuery } from './request-changes.ts'
import { randomSegment } from './seeded.ts'
import { atEnd, controlCharacters, insertedAt, type Character } from './unicode.ts'

/** Values beyond ordinary bytes: control characters, broken and folded lines, and sizes that servers need not accept. */
export function rawValueClasses(input: ClientInput): readonly CaseClass[] {
  const subjects = [
    credentialSubject('x-api-key', input),
    credentialSubject('x-secret-key', input),
    versionSubject(input),
  ]
  const ofPairs = <Item>(items: readonly Item[], rows: (item: Item, subject: Subject) => ValueRows) =>
    pairsOf(items, subjects).flatMap(([item, subject]) => subject.cases(rows(item, subject)))
  return [
    caseClass('control-character', { weight: 2, requests: 2 }, ofPairs(controlCharacters, within)),
    caseClass(
      'control-character-at-end',
      { weight: 1, because: 'those inside a value are drawn' },
      ofPairs(controlCharacters, (one, { text }) => [atEnd(text, one, atUnknownPath)]),
    ),
    byteBehindKey(input),
    caseClass('oversized', 1, ofPairs(oversizes, oversized)),
    caseClass(
      'line-break',
      { weight: 1, requests: 2 },
      ofPairs(lineBreaks, (rows, subject) => rows(subject)),
    ),
  ]
}

/** All pairs of an item and a subject, in item order, with a different subject each time. */
function pairsOf<Item>(items: readonly Item[], subjects: readonly Subject[]) {
  // Each round moves on by one subject, so that no pair is repeated, even if the two lengths have a common factor.
  return subjects.flatMap((first, round) =>
    items.map((item, index) => [item, subjects[(index + round) % subjects.length] ?? first] as const),
  )
}

const inPair = { ...atUnknownPath, inPair: true } as const

/** A control character inside a value, where no service may strip it. Before or after a value, services may. */
function within(character: Character, { inside }: Subject): ValueRows {
  return inside.length === 0 ? [twice(character)] : insertedAt(inside, [character], inPair)
}

/** A value of one character has no inside, so the place between it and a copy of it is used. */
function twice({ bytes, says }: Character): ValueRow {
  return [`twice, with ${says} between`, (text) => text + bytes + text, inPair]
}

/**
 * Bytes after the valid key: one that some languages strip, and one that ends a string in C, followed by a character, so that a
 * success proves that the value was cut. Sent to the real path, because only that path is served.
 */
function byteBehindKey(input: ClientInput): CaseClass {
  const subject = credentialSubject('x-api-key', input)
  const bytes = [
    // Tornado and Waitress strip it, because it is white space in Latin-1.
    { added: '\xa0', name: 'a0', says: 'the byte a0', traits: { mayBeStripped: true } },
    { added: '\0x', name: '00', says: 'the byte 00 and an x', traits: {} },
  ] as const
  const because = 'some servers strip it, and some firewalls refuse it'
  return caseClass(
    'byte-behind-key',
    { because },
    bytes.map(({ added, name, says, traits }) => {
      const made = subject.sent([`followed by ${says}`, (text) => text + added, byTransport])
      // Keeps caches from storing its answer for the path that others request.
      const apart = withQuery(`_=${randomSegment(input.seed, `byte behind key: ${name}`)}`)
      return { ...made, ...traits, apply: inTurn(made.apply, apart, raw), connection: 'fresh' }
    }),
  )
}

/** Values over two lines (a bare CR, or folds). A break never ends a value and a colon never follows a CR, because parsers might see an end or a field. */
const lineBreaks: readonly ((subject: Subject) => ValueRows)[] = [
  brokenByCr,
  foldedInside('\r\n ', 'CR LF SP'),
  foldedBefore('\r\n ', 'CR LF SP'),
  foldedInside('\r\n\t', 'CR LF HTAB'),
  foldedBefore('\r\n\t', 'CR LF HTAB'),
  foldedInside('\n ', 'LF SP'),
]

function brokenByCr({ text, inside }: Subject): ValueRows {
  const lastColon = text.lastIndexOf(':')
  const cr = { bytes: '\r', says: 'a bare CR' }
  if (inside.length === 0) return lastColon === -1 ? [twice(cr)] : []
  const places = inside.filter((at) => at > lastColon)
  return brokenAt(places, cr)
}

/** A break inside a value is part of it, whereas a fold before a value is white space. */
function foldedInside(bytes: string, how: string): (subject: Subject) => ValueRows {
  const fold = { bytes, says: `a fold (${how})` }
  return ({ inside }) => (inside.length === 0 ? [twice(fold)] : brokenAt(inside, fold))
}

function foldedBefore(fold: string, says: string): () => ValueRows {
  return () => [[`folded (${says}) before it`, (text) => fold + text, atUnknownPath]]
}

function brokenAt(places: readonly number[], { bytes, says }: Character): ValueRows {
  return atPlaces(places, (at) => [
    `with ${says} ${after(at)}`,
    (text) => splice(text, at, at, bytes),
    inPair,
  ])
}

/** Sizes near the limits of common servers and gateways, most useful first. */
const oversizes = [8_192, 4_096, 16_384, 65_536, 8_190, 8_191, 8_193]

/** Values that servers need not accept. The size at which they are refused is recorded as an observation. */
function oversized(size: number, subject: Subject): ValueRows {
  const [as, value] = ofSize(subject, size)
  return [[as, value, { ...atUnknownPath, observe: { id: 'value-size', as } }]]
}
