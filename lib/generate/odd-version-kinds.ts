import fc, { type Arbitrary } from 'fast-check'
import { brokenEncodings } from './broken-encoding-kinds.ts'
import type { Fuzzed, Kind } from './fuzzed.ts'
import { probes, signs } from './injection-kinds.ts'
import { after } from './inserted.ts'
import { literals } from './literal-kinds.ts'
import { ofSize, usualSizes } from './size-kinds.ts'
import { altered, invented, type Made, type Subject } from './subject.ts'
import { bidirectional, combiningMarks, emoji, type Character } from './unicode-characters.ts'
import { casesOf, kindOf, oneOf } from './value-kinds.ts'

/** Versions that are not integers, however they are read. */
export function oddVersionKinds(subject: Subject): readonly Kind[] {
  const sizes = usualSizes.map((size) => ofSize(subject, size))
  const wholeProbes = probes.map((probe) => asVersion(probe))
  return [
    ...kindOf(
      { name: 'version-not-an-integer', weight: 2, gate: true },
      casesOf(subject, notIntegers(subject).map(asVersion)),
    ),
    ...kindOf({ name: 'version-unicode', weight: 1, gate: true }, unreadable(subject)),
    ...kindOf({ name: 'version-size', weight: 1, gate: true }, casesOf(subject, sizes)),
    ...kindOf(
      { name: 'version-injection', weight: 1, gate: false },
      casesOf(subject, wholeProbes, byTransport),
    ),
  ]
}

/** Most telling first: what lenient parsers read as the served version, then what breaks out of a quoted text, then the literals. */
function notIntegers({ text }: Subject): readonly string[] {
  return [
    `${text}abc`,
    'abc',
    `${text}'`,
    `${text}.5`,
    'null',
    `v${text}`,
    `${text},2`,
    ...signs.map(({ character }) => `${text}${character}`),
    ...literals.filter((literal) => !/^-?\d+$/.test(literal)),
  ].filter((value, index, all) => all.indexOf(value) === index)
}

function asVersion(value: string): Made {
  return { value, says: `x-version ${value}` }
}

const byTransport = { transportMayRefuse: true } as const

const noDigits = [...emoji, ...bidirectional, ...combiningMarks]

/** Characters beyond ASCII that are no digits, and broken UTF-8: after the served version, before it, and alone. */
function unreadable(subject: Subject): readonly Arbitrary<Fuzzed>[] {
  return [noDigits, brokenEncodings].flatMap((characters) => {
    const character = oneOf(characters)
    if (character === null) return []
    return [fc.tuple(character, fc.nat(2)).map(([one, place]) => withUnreadable(subject, one, place))]
  })
}

function withUnreadable(subject: Subject, { bytes, says }: Character, place: number): Fuzzed {
  const { length } = subject.text
  if (place === 0) return altered(subject, `with ${says} ${after(length)}`, [[0, length], bytes], byTransport)
  if (place === 1) return altered(subject, `with ${says} ${after(0)}`, [bytes, [0, length]], byTransport)
  return invented(subject, { value: bytes, says: `${says} as x-version` }, byTransport)
}
