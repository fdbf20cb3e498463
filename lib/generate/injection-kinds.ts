import type { Arbitrary } from 'fast-check'
import type { Fuzzed, Kind } from './fuzzed.ts'
import { everywhere, inserted } from './inserted.ts'
import type { Made, Subject } from './subject.ts'
import { casesOf, kindOf } from './value-kinds.ts'

/** The valid value with one sign in it that breaks out of a quoted text, an escape or a pattern. */
export function loneSignKinds(subject: Subject): readonly Kind[] {
  return kindOf(
    { name: 'lone-sign', weight: 2, gate: true },
    signs.flatMap((sign) => withSign(subject, sign)),
  )
}

/** Whole strings that an interpreter would take for more than a value. A firewall may refuse them by itself. */
export function injectionKinds(subject: Subject): readonly Kind[] {
  const whole: Made[] = probes.map((value) => ({ value, says: `${value} as ${subject.field}` }))
  const continued = subject.made(`with ' and '1'='1 after it`, [[0, subject.text.length], `' and '1'='1`])
  const [first = [], ...others] = whole.map((made) => [made])
  return kindOf(
    { name: 'injection', weight: 2, gate: false },
    casesOf(subject, [...first, continued, ...others.flat()], { transportMayRefuse: true }),
  )
}

interface Sign {
  readonly character: string
  readonly says: string
}

/** Most telling first. */
export const signs: readonly Sign[] = [
  { character: "'", says: "a single quote (')" },
  { character: '%', says: 'a percent sign (%)' },
  { character: '"', says: 'a double quote (")' },
  { character: '\\', says: 'a backslash (\\)' },
]

/**
 * Probes: where one works, it shows that it was read, and does nothing else. None ends a statement, comments out the rest of
 * one, runs a function, reads a file that holds anything, or names a host.
 */
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

/** A percent sign is alone where no two hexadecimal digits follow it. */
function withSign(subject: Subject, { character, says }: Sign): readonly Arbitrary<Fuzzed>[] {
  const { text } = subject
  const places = everywhere(subject).filter(
    (at) => character !== '%' || !/^[0-9a-f]{2}/i.test(text.slice(at, at + 2)),
  )
  return inserted(subject, { characters: [{ bytes: character, says }], places, most: 1 })
}
