import fc from 'fast-check'
import type { RequiredField } from '../specification/endpoints.ts'
import { oneOf, startingAt } from './arbitraries.ts'
import {
  byTransport,
  caseClass,
  caseOfEach,
  judged,
  listed,
  type Base,
  type CaseClass,
  type MutatedRequest,
} from './case-class.ts'
import { after, splice, type MutatedValue, type Subject, type Traits } from './mutated-value.ts'
import { without } from './request-changes.ts'
import { sameShape } from './seeded.ts'
import { insertedAt, type Character } from './unicode.ts'

/** What programs write for a missing value, and wildcards. Most telling first. */
export const literals = ['null', '*', '%', 'undefined', 'true', '0', '[]', 'None', '-1', '{}', 'NaN'] as const

/** Names that every object has in some languages. Too short to count as echoes of a secret, since answers may hold them. */
const propertyNames = ['constructor', 'toString', '__proto__', 'valueOf', '__class__'] as const

/** Sizes that every common server accepts, most telling first: 255 or 256 characters are usual limits. */
export const usualSizes = [1_024, 256, 2_000, 255] as const

/** Signs that break out of a quoted text, an escape or a pattern, most telling first. */
export const signs: readonly Character[] = [
  { bytes: "'", says: "a single quote (')" },
  { bytes: '%', says: 'a percent sign (%)' },
  { bytes: '"', says: 'a double quote (")' },
  { bytes: '\\', says: 'a backslash (\\)' },
]

/** Probes that only show that they were read. None ends a statement, comments out, calls a function, reads a real file or names a host. */
export const probes = [
  "' or '1'='1",
  '{"$ne":null}',
  '*)(objectClass=*',
  '{{7*7}}',
  '../../../../../../dev/null',
  '1%0d%0a1',
  '<b>1</b>',
  "' or 1=1 or ''='",
  '" or "1"="1',
  '[$ne]=1',
  '${7*7}',
  "') or ('1'='1",
  '..%2f..%2f..%2f..%2fdev%2fnull',
  '"><i title="1',
  '1 or 1=1',
  '{"$gt":""}',
  '#{7*7}',
  '..\\..\\..\\..\\nul',
  '%27%20or%20%271%27%3d%271',
  '<%= 7*7 %>',
] as const

/** Literals in place of a credential. */
export function literalClasses(subject: Subject): readonly CaseClass[] {
  const literalsIn = (texts: readonly string[]): readonly MutatedValue[] =>
    texts.map((value) => ({ value, says: `the literal ${value} as ${subject.field}` }))
  const names = subject.inventedEach(literalsIn(propertyNames), byTransport)
  return [
    caseClass('literal', { weight: 1 }, subject.inventedEach(literalsIn(literals))),
    caseClass('property-name', listed, names),
  ]
}

/** So many right refusals exclude, with 95 % confidence, that one in 37 is let in. */
const freshValues = 110

/** Random values of the valid one's shape: how seldom a service lets one in is a matter of their number. */
export function freshClass(subject: Subject): CaseClass {
  const fresh = fc.noShrink(fc.nat()).map((seed) => {
    const value = sameShape(subject.text, seed, 'fresh')
    return subject.invented({ value, says: `a fresh value of its shape as ${subject.field}` })
  })
  return caseClass(
    'fresh',
    listed,
    Array.from({ length: freshValues }, () => fresh),
  )
}

/** Values of other sizes than the valid one. */
export function sizeClass(subject: Subject): CaseClass {
  const { length } = subject.text
  const near = [length + 1, length - 1].filter((size) => size > 0)
  const sizes = new Set([1_024, 256, ...near, ...usualSizes])
  return caseClass(
    'size',
    { weight: 1 },
    subject.inventedEach(Array.from(sizes, (size) => ofSize(subject, size))),
  )
}

/** An invalid value of one repeated letter: at most two letters are valid. */
export function ofSize(subject: Subject, size: number): MutatedValue {
  const values = ['x', 'k', 'q'].map((letter) => letter.repeat(size))
  const characters = size === 1 ? '1 character' : `${size.toLocaleString('en-US')} characters`
  return {
    value: values.find((one) => !subject.isValid(one)) ?? '',
    says: `${subject.field} of ${characters}`,
  }
}

/** The valid value with one sign in it. No two hexadecimal digits may follow a percent sign. */
export function loneSignClass(subject: Subject): CaseClass {
  const placesOf = ({ bytes }: Character): readonly number[] =>
    subject.everywhere.filter((at) => bytes !== '%' || !/^[0-9a-f]{2}/i.test(subject.text.slice(at, at + 2)))
  return caseClass(
    'lone-sign',
    { weight: 2 },
    signs.flatMap((sign) => insertedAt(placesOf(sign), subject, { characters: [sign], most: 1 })),
  )
}

/** Strings that an interpreter would take for code. A firewall may refuse them by itself. */
export function injectionClass(subject: Subject): CaseClass {
  const whole = probes.map((value) => ({ value, says: `${value} as ${subject.field}` }))
  const continued = subject.mutated(`with ' and '1'='1 after it`, `${subject.text}' and '1'='1`)
  return caseClass(
    'injection',
    { weight: 2 },
    subject.inventedEach([...whole.slice(0, 1), continued, ...whole.slice(1)], byTransport),
  )
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

/** A required field that is absent, empty, or only white space. */
export function presenceClass(subject: Subject): CaseClass {
  const { field } = subject
  const values = [
    { value: '', says: `an empty ${field}` },
    { value: ' ', says: `a space as ${field}` },
    { value: '\t', says: `a tab as ${field}` },
    { value: ' \t  ', says: `spaces and tabs as ${field}` },
  ]
  return caseClass('presence', { weight: 1 }, [
    judged(`no ${field}`, without(field)),
    ...values.map((made) => subject.sent(made, traitsOfBlank(made.value))),
  ])
}

/** SP and HTAB around a valid value, on valid and flawed requests. Some servers strip only SP; trailing white space is only noted. */
export function whiteSpaceAroundClasses(subject: Subject): readonly CaseClass[] {
  const { field } = subject
  const besides = basesBeside[field]
  return [
    caseClass('white-space-around', { weight: 1 }, [
      spaces.map((drawn) => withAround(subject, 'valid', drawn)),
      ...besides.map((base) => anyAround.map((drawn) => withAround(subject, base, drawn))),
    ]),
    caseOfEach('white-space-before', listed, ['valid', ...besides.slice(0, 2)] as const, (base) =>
      withAround(subject, base, some),
    ),
    caseOfEach('white-space-behind', listed, blanks, (_, index) => withAround(subject, 'valid', index + 1)),
  ]
}

/** SP and HTAB inside a value, where they are part of it; a single space first. */
export function whiteSpaceInsideClass(subject: Subject): CaseClass {
  const { text } = subject
  const cases = oneOf(subject.inside).flatMap((place) =>
    [fc.constant(space), fc.constantFrom(...blanks)].map((blank) =>
      fc
        .tuple(blank, place)
        .map(([{ text: white, says }, at]) =>
          subject.altered(`with ${says} ${after(at)}`, splice(text, at, at, white), traitsOfBlank(white)),
        ),
    ),
  )
  return caseClass('white-space-inside', { weight: 1 }, cases)
}

/** Some firewalls and frameworks refuse every control character in a value, even a tab. */
function traitsOfBlank(blank: string): Traits {
  return blank.includes('\t') ? byTransport : {}
}

/** Bases with this field intact: one flaw in another field, or none. */
const basesBeside: Readonly<Record<RequiredField, readonly Base[]>> = {
  'x-api-key': ['secret-key-wrong', 'version-unsupported', 'secret-key-absent', 'version-absent', 'valid'],
  'x-secret-key': ['api-key-wrong', 'version-unsupported', 'api-key-absent', 'version-absent', 'valid'],
  'x-version': ['api-key-wrong', 'secret-key-wrong', 'api-key-absent', 'secret-key-absent', 'valid'],
}

/** White space before the value, after it, or both, as one number that is never zero. */
const some = blanks.length + 1
const anyAround = fc.integer({ min: 1, max: some * some - 1 })
/** A space on each side of the value. */
const spaces = startingAt(some + 1, anyAround)

function withAround(subject: Subject, base: Base, drawn: number): MutatedRequest {
  const behind = blanks[(drawn % some) - 1]
  const before = blanks[Math.floor(drawn / some) - 1]
  const where = [
    ...(before === undefined ? [] : [`${before.says} before it`]),
    ...(behind === undefined ? [] : [`${behind.says} after it`]),
  ]
  const [first, last] = [before?.text ?? '', behind?.text ?? '']
  const made = subject.mutated(`with ${where.join(' and ')}`, first + subject.text + last)
  const mutated = subject.sent(made, { base, ...traitsOfBlank(first + last) })
  if (behind === undefined) return { ...mutated, weakness: 'implied' }
  if (before !== undefined || base !== 'valid') return mutated
  return {
    ...mutated,
    observe: { id: 'white-space-behind-values', as: `${subject.field}, ${behind.says} behind it` },
  }
}
