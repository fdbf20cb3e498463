import {
  atUnknownPath,
  byTransport,
  caseOfEach,
  type CaseClass,
  type CaseDraw,
  type ClientInput,
} from './case-class.ts'
import { ofSize } from './header-values.ts'
import { after, atPlaces, credentialSubject, splice, versionSubject, type Subject } from './mutated-value.ts'
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
  const controls = pairsOf(controlCharacters, subjects)
  return [
    caseOfEach('control-character', { weight: 2, requests: 2 }, controls, controlWithin),
    caseOfEach(
      'control-character-at-end',
      { weight: 1, because: 'those inside a value are drawn' },
      controls,
      ([one, subject]) => atEnd(subject, one, atUnknownPath),
    ),
    byteBehindKey(input),
    caseOfEach('oversized', 1, pairsOf(oversizes, subjects), oversized),
    caseOfEach('line-break', { weight: 1, requests: 2 }, pairsOf(lineBreaks, subjects), ([of, subject]) =>
      of(subject),
    ),
  ]
}

type Pair<Item> = readonly [item: Item, subject: Subject]

/** All pairs of an item and a subject, in item order, with a different subject each time. */
function pairsOf<Item>(items: readonly Item[], subjects: readonly Subject[]): readonly Pair<Item>[] {
  // Each round moves on by one subject, so that no pair is repeated, even if the two lengths have a common factor.
  return subjects.flatMap((first, round) =>
    items.map((item, index): Pair<Item> => [item, subjects[(index + round) % subjects.length] ?? first]),
  )
}

/** A control character inside a value, where no service may strip it. Before or after a value, services may. */
function controlWithin([character, subject]: Pair<Character>): readonly CaseDraw[] {
  if (subject.text.length < 2) return [twice(subject, character)]
  return insertedAt(subject.inside, subject, { characters: [character], traits: atUnknownPath, inPair: true })
}

/** A value of one character has no inside, so the place between it and a copy of it is used. */
function twice(subject: Subject, { bytes, says }: Character): CaseDraw {
  return subject.alteredInPair(`twice, with ${says} between`, (text) => text + bytes + text, atUnknownPath)
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
  const share = { because: 'some servers strip it, and some firewalls refuse it' }
  return caseOfEach('byte-behind-key', share, bytes, ({ added, name, says, traits }) => {
    const made = subject.altered(`followed by ${says}`, subject.text + added, byTransport)
    // Keeps caches from storing its answer for the path that others request.
    const apart = withQuery(`_=${randomSegment(input.seed, `byte behind key: ${name}`)}`)
    return { ...made, ...traits, apply: inTurn(made.apply, apart, raw), connection: 'fresh' as const }
  })
}

/** Values over two lines (a bare CR, or folds). A break never ends a value and a colon never follows a CR, because parsers might see an end or a field. */
const lineBreaks: readonly ((subject: Subject) => readonly CaseDraw[])[] = [
  brokenByCr,
  foldedInside('\r\n ', 'CR LF SP'),
  foldedBefore('\r\n ', 'CR LF SP'),
  foldedInside('\r\n\t', 'CR LF HTAB'),
  foldedBefore('\r\n\t', 'CR LF HTAB'),
  foldedInside('\n ', 'LF SP'),
]

function brokenByCr(subject: Subject): readonly CaseDraw[] {
  const lastColon = subject.text.lastIndexOf(':')
  const cr = { bytes: '\r', says: 'a bare CR' }
  if (subject.text.length < 2) return lastColon === -1 ? [twice(subject, cr)] : []
  const places = subject.inside.filter((at) => at > lastColon)
  return brokenAt(places, subject, cr)
}

/** A break inside a value is part of it, whereas a fold before a value is white space. */
function foldedInside(bytes: string, how: string): (subject: Subject) => readonly CaseDraw[] {
  const fold = { bytes, says: `a fold (${how})` }
  return (subject) =>
    subject.text.length < 2 ? [twice(subject, fold)] : brokenAt(subject.inside, subject, fold)
}

function foldedBefore(fold: string, says: string): (subject: Subject) => readonly CaseDraw[] {
  return (subject) => [subject.altered(`folded (${says}) before it`, fold + subject.text, atUnknownPath)]
}

function brokenAt(
  places: readonly number[],
  subject: Subject,
  { bytes, says }: Character,
): readonly CaseDraw[] {
  return atPlaces(places, (at) =>
    subject.alteredInPair(`with ${says} ${after(at)}`, (text) => splice(text, at, at, bytes), atUnknownPath),
  )
}

/** Sizes near the limits of common servers and gateways, most useful first. */
const oversizes = [8_192, 4_096, 16_384, 65_536, 8_190, 8_191, 8_193]

/** Values that servers need not accept. The size at which they are refused is recorded as an observation. */
function oversized([size, subject]: Pair<number>): CaseDraw {
  const [as, value] = ofSize(subject, size)
  return subject.invented([as, value, { ...atUnknownPath, observe: { id: 'value-size', as } }])
}
