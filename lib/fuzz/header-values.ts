import fc from 'fast-check'
import type { RequiredField } from '../specification/endpoints.ts'
import { startingAt } from './arbitraries.ts'
import {
  byTransport,
  caseClass,
  caseOfEach,
  judged,
  listed,
  type Base,
  type CaseClass,
} from './case-class.ts'
import type { MutatedRequest } from './case-class.ts'
import type { Subject, Traits, ValueRow } from './mutated-value.ts'
import { without } from './request-changes.ts'
import type { Character } from './unicode.ts'

/** What programs write for a missing value, and wildcards. Most telling first. */
export const literals = ['null', '*', '%', 'undefined', 'true', '0', '[]', 'None', '-1', '{}', 'NaN'] as const

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

/** An invalid value of one repeated letter: at most two letters are valid. */
export function ofSize(subject: Subject, size: number): ValueRow {
  const values = ['x', 'k', 'q'].map((letter) => letter.repeat(size))
  const characters = size === 1 ? '1 character' : `${size.toLocaleString('en-US')} characters`
  return [`${subject.field} of ${characters}`, values.find((one) => !subject.isValid(one)) ?? '']
}

/** White space of SP and HTAB, the plainest first. */
export const blanks: readonly Character[] = [
  { bytes: ' ', says: 'a space' },
  { bytes: '\t', says: 'a tab' },
  { bytes: '  ', says: 'two spaces' },
  { bytes: '\t\t', says: 'two tabs' },
  { bytes: ' \t', says: 'a space and a tab' },
  { bytes: '\t ', says: 'a tab and a space' },
  { bytes: ' '.repeat(40), says: '40 spaces' },
]

/** Some firewalls and frameworks refuse every control character in a value, even a tab. */
export function traitsOfBlank(blank: string): Traits {
  return blank.includes('\t') ? byTransport : {}
}

/** A required field that is absent, empty, or only white space. */
export function presenceClass(subject: Subject): CaseClass {
  const { field } = subject
  const blank = (says: string, value: string): MutatedRequest =>
    subject.sent([says, value, traitsOfBlank(value)])
  return caseClass('presence', { weight: 1 }, [
    judged(`no ${field}`, without(field)),
    blank(`an empty ${field}`, ''),
    blank(`a space as ${field}`, ' '),
    blank(`a tab as ${field}`, '\t'),
    blank(`spaces and tabs as ${field}`, ' \t  '),
  ])
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

/** SP and HTAB around a valid value, on valid and flawed requests. Some servers strip only SP; trailing white space is only noted. */
export function whiteSpaceAroundClasses(subject: Subject): readonly CaseClass[] {
  const besides = basesBeside[subject.field]
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

function withAround(subject: Subject, base: Base, drawn: number): MutatedRequest {
  const behind = blanks[(drawn % some) - 1]
  const before = blanks[Math.floor(drawn / some) - 1]
  const where = [
    ...(before === undefined ? [] : [`${before.says} before it`]),
    ...(behind === undefined ? [] : [`${behind.says} after it`]),
  ]
  const [first, last] = [before?.bytes ?? '', behind?.bytes ?? '']
  const traits = { base, ...traitsOfBlank(first + last) }
  const mutated = subject.sent(
    subject.made(`with ${where.join(' and ')}`, first + subject.text + last, traits),
  )
  if (behind === undefined) return { ...mutated, weakness: 'implied' }
  if (before !== undefined || base !== 'valid') return mutated
  const as = `${subject.field}, ${behind.says} behind it`
  return { ...mutated, observe: { id: 'white-space-behind-values', as } }
}
