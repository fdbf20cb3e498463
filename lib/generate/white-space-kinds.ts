import fc, { type Arbitrary } from 'fast-check'
import type { RequiredField } from '../spec/endpoints.ts'
import type { Base, Fuzzed, Kind } from './fuzzed.ts'
import { after, inside } from './inserted.ts'
import { altered, sent, type Subject } from './subject.ts'
import { kindOf, oneOf } from './value-kinds.ts'

/** SP and HTAB around a valid value, which are no part of it: on a valid request first, then on requests with one flaw elsewhere. */
export function whiteSpaceAroundKinds(subject: Subject): readonly Kind[] {
  return kindOf(
    { name: 'white-space-around', weight: 1, gate: true },
    basesBeside[subject.field].map((base) => around(subject, base)),
  )
}

/** SP and HTAB inside of a value, where they are a part of it. */
export function whiteSpaceInsideKinds(subject: Subject): readonly Kind[] {
  const place = oneOf(inside(subject))
  const blank = oneOf(blanks)
  const cases =
    place === null || blank === null
      ? []
      : [
          fc
            .tuple(blank, place)
            .map(([{ text, says }, at]) =>
              altered(subject, `with ${says} ${after(at)}`, [[0, at], text, [at, subject.text.length]]),
            ),
        ]
  return kindOf({ name: 'white-space-inside', weight: 1, gate: true }, cases)
}

const blanks = [
  { text: ' ', says: 'a space' },
  { text: '\t', says: 'a tab' },
  { text: '  ', says: 'two spaces' },
  { text: '\t\t', says: 'two tabs' },
  { text: ' \t', says: 'a space and a tab' },
  { text: '\t ', says: 'a tab and a space' },
  { text: ' '.repeat(40), says: '40 spaces' },
] as const

/** Requests whose field is right: with nothing wrong, or with one flaw in another field. */
const basesBeside: Readonly<Record<RequiredField, readonly Base[]>> = {
  'x-api-key': ['valid', 'secret-key-wrong', 'version-unsupported', 'secret-key-absent', 'version-absent'],
  'x-secret-key': ['valid', 'api-key-wrong', 'version-unsupported', 'api-key-absent', 'version-absent'],
  'x-version': ['valid', 'api-key-wrong', 'secret-key-wrong', 'api-key-absent', 'secret-key-absent'],
}

/** Before the value, after it, or both: one number for the two, so that there is always some. */
function around(subject: Subject, base: Base): Arbitrary<Fuzzed> {
  const whole = [0, subject.text.length] as const
  const some = blanks.length + 1
  return fc.integer({ min: 1, max: some * some - 1 }).map((drawn) => {
    const behind = blanks[(drawn % some) - 1]
    const before = blanks[Math.floor(drawn / some) - 1]
    const where = [
      ...(before === undefined ? [] : [`${before.says} before it`]),
      ...(behind === undefined ? [] : [`${behind.says} after it`]),
    ]
    const pieces = [before?.text ?? '', whole, behind?.text ?? '']
    return sent(subject, subject.made(`with ${where.join(' and ')}`, pieces), { base })
  })
}
