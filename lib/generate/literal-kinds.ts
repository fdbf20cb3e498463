import type { Kind } from './fuzzed.ts'
import type { Made, Subject } from './subject.ts'
import { casesOf, kindOf } from './value-kinds.ts'

/** What programs write where a value is missing, and what stands for everything. Most telling first. */
export const literals = ['null', '*', '%', 'undefined', 'true', '0', '[]', 'None', '-1', '{}', 'NaN'] as const

/**
 * What every object has in some languages, so that it is found where keys are looked up in one. A firewall may know them. Shorter than
 * what counts as an echo of a secret: an answer may hold them of itself.
 */
const propertyNames = ['constructor', 'toString', '__proto__', 'valueOf', '__class__'] as const

/** A literal in a field. */
function literalIn({ field }: Subject, literal: string): Made {
  return { value: literal, says: `the literal ${literal} as ${field}` }
}

/** Literals in the place of a credential. */
export function literalKinds(subject: Subject): readonly Kind[] {
  const values = literals.map((literal) => literalIn(subject, literal))
  const names = propertyNames.map((name) => literalIn(subject, name))
  return [
    ...kindOf({ name: 'literal', weight: 1, gate: true }, casesOf(subject, values)),
    ...kindOf(
      { name: 'property-name', weight: 0, gate: true, always: 1 },
      casesOf(subject, names, { transportMayRefuse: true }),
    ),
  ]
}
