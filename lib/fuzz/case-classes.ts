import type { CaseClass, GeneratorInput } from './case-class.ts'
import { combinedFlawClasses } from './combined-flaws.ts'
import { describedClasses } from './described-input.ts'
import { linesOfClient, parameterOrder, strangerClasses } from './header-lines.ts'
import { credentialClasses } from './header-values.ts'
import { versionSubject } from './mutated-value.ts'
import { pathClasses } from './path-classes.ts'
import { queryClasses } from './queries.ts'
import { rawValueClasses } from './raw-values.ts'
import { flawedRows, servedRows } from './request-rows.ts'
import { oddVersionClasses, versionClasses } from './versions.ts'

type ClassesOf = (input: GeneratorInput) => readonly CaseClass[]

/** The case classes for each rule with generated cases, without classes that are empty for an input. */
export const caseClasses = {
  'fuzz/api-key': withCases((input) => credentialClasses('x-api-key', input)),
  'fuzz/secret-key': withCases((input) => credentialClasses('x-secret-key', input)),
  'fuzz/version': withCases(versionClasses),
  'fuzz/path': withCases(pathClasses),
  'fuzz/query': withCases((input) => [...queryClasses(input), ...describedClasses(input)]),
  'fuzz/headers': withCases((input) => [...headerLineClasses(input), ...oddValueClasses(input)]),
  'fuzz/combined-flaws': withCases((input) => [
    ...flawedRows(input),
    ...combinedFlawClasses(input),
    ...strangerClasses,
  ]),
} as const satisfies Readonly<Record<string, ClassesOf>>

function withCases(classesOf: ClassesOf): ClassesOf {
  return (input) => classesOf(input).filter(({ count }) => count !== 0)
}

/** Changes to header lines and their order, but not to values. Total weight at most 12 in a gate. */
export function headerLineClasses(input: GeneratorInput): readonly CaseClass[] {
  return [servedRows(input), ...linesOfClient(input), parameterOrder(input)]
}

/** Values beyond ordinary bytes, and versions that are not integers. Total weight 8 in a gate, 10 otherwise. */
export function oddValueClasses(input: GeneratorInput): readonly CaseClass[] {
  return [...oddVersionClasses(versionSubject(input)), ...rawValueClasses(input)]
}
