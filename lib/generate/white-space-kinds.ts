import fc from 'fast-check'
import type { RequiredField } from '../spec/endpoints.ts'
import type { Base, Fuzzed, Kind } from './fuzzed.ts'
import { after, inside } from './inserted.ts'
import { startingAt } from './starting-at.ts'
import { altered, sent, type Subject, type Traits } from './subject.ts'
import { kindOf, oneOf } from './value-kinds.ts'

/**
 * SP and HTAB around a valid value, which are no part of it: on a valid request first, with SP, then on requests with one flaw
 * elsewhere, and on a valid one again. Some servers strip SP alone, so that a value with HTAB may be another one to them; many strip
 * nothing behind a value, which is written down.
 */
export function whiteSpaceAroundKinds(subject: Subject): readonly Kind[] {
  return [
    ...kindOf({ name: 'white-space-around', weight: 1, gate: true }, [
      spaces.map((drawn) => withAround(subject, 'valid', drawn)),
      ...basesBeside[subject.field].map((base) => anyAround.map((drawn) => withAround(subject, base, drawn))),
    ]),
    ...kindOf(
      { name: 'white-space-before', weight: 0, gate: true, always: subject.field === 'x-version' ? 0 : 1 },
      (['valid', ...basesBeside[subject.field].slice(0, 2)] as const).map((base) =>
        fc.constant(withAround(subject, base, some)),
      ),
    ),
    ...kindOf(
      { name: 'white-space-behind', weight: 0, gate: false, always: 0 },
      blanks.map((_, index) => fc.constant(withAround(subject, 'valid', index + 1))),
    ),
  ]
}

/** SP and HTAB inside of a value, where they are a part of it; a single space first. */
export function whiteSpaceInsideKinds(subject: Subject): readonly Kind[] {
  const place = oneOf(inside(subject))
  const cases =
    place === null
      ? []
      : [fc.constant(space), fc.constantFrom(...blanks)].map((blank) =>
          fc
            .tuple(blank, place)
            .map(([{ text, says }, at]) =>
              altered(
                subject,
                `with ${says} ${after(at)}`,
                [[0, at], text, [at, subject.text.length]],
                traitsOfBlank(text),
              ),
            ),
        )
  return kindOf({ name: 'white-space-inside', weight: 1, gate: true }, cases)
}

/** Some firewalls of frameworks refuse every control character in a value, a tab too. */
export function traitsOfBlank(blank: string): Traits {
  return blank.includes('\t') ? { transportMayRefuse: true } : {}
}

const space = { text: ' ', says: 'a space' } as const

const blanks = [
  space,
  { text: '\t', says: 'a tab' },
  { text: '  ', says: 'two spaces' },
  { text: '\t\t', says: 'two tabs' },
  { text: ' \t', says: 'a space and a tab' },
  { text: '\t ', says: 'a tab and a space' },
  { text: ' '.repeat(40), says: '40 spaces' },
] as const

/** Requests whose field is right: with one flaw in another field, or with nothing wrong. */
const basesBeside: Readonly<Record<RequiredField, readonly Base[]>> = {
  'x-api-key': ['secret-key-wrong', 'version-unsupported', 'secret-key-absent', 'version-absent', 'valid'],
  'x-secret-key': ['api-key-wrong', 'version-unsupported', 'api-key-absent', 'version-absent', 'valid'],
  'x-version': ['api-key-wrong', 'secret-key-wrong', 'api-key-absent', 'secret-key-absent', 'valid'],
}

/** Before the value, after it, or both: one number for the two, so that there is always some. */
const some = blanks.length + 1
const anyAround = fc.integer({ min: 1, max: some * some - 1 })
/** A space before the value, and one after it. */
const spaces = startingAt(some + 1, anyAround)

function withAround(subject: Subject, base: Base, drawn: number): Fuzzed {
  const whole = [0, subject.text.length] as const
  const behind = blanks[(drawn % some) - 1]
  const before = blanks[Math.floor(drawn / some) - 1]
  const where = [
    ...(before === undefined ? [] : [`${before.says} before it`]),
    ...(behind === undefined ? [] : [`${behind.says} after it`]),
  ]
  const [first, last] = [before?.text ?? '', behind?.text ?? '']
  const made = subject.made(`with ${where.join(' and ')}`, [first, whole, last])
  const fuzzed = sent(subject, made, { base, ...traitsOfBlank(first + last) })
  if (behind === undefined) return { ...fuzzed, implied: true }
  if (before !== undefined || base !== 'valid') return fuzzed
  return {
    ...fuzzed,
    observe: { id: 'white-space-behind-values', as: `${subject.field}, ${behind.says} behind it` },
  }
}
