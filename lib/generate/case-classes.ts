import type { CaseClass, CredentialField, GeneratorInput } from './case-class.ts'
import { clientFieldClasses } from './client-fields.ts'
import { combinedFlawClasses } from './combined-flaws.ts'
import { disguiseClasses, storeClass } from './disguises.ts'
import { duplicateClasses } from './duplicates.ts'
import { equivalentLines, parameterOrder } from './header-lines.ts'
import {
  injectionClass,
  literalClasses,
  loneSignClass,
  presenceClass,
  sizeClass,
  whiteSpaceAroundClasses,
  whiteSpaceInsideClass,
} from './header-values.ts'
import { gatewayFieldClasses, oddNames, strangerClasses } from './misplaced-fields.ts'
import { credentialSubject, versionSubject } from './mutated-value.ts'
import { nearMissClasses } from './near-misses.ts'
import { pathClasses } from './paths.ts'
import { queryClasses } from './queries.ts'
import { rawValueClasses } from './raw-values.ts'
import { brokenEncodingClass, separatorAtEndClass, unicodeClass } from './unicode.ts'
import { oddVersionClasses, versionClasses } from './versions.ts'

type ClassesOf = (input: GeneratorInput) => readonly CaseClass[]

/** What each rule that generates its cases sends; classes that have no case for an input are left out. */
export const caseClasses = {
  'fuzz/api-key': withCases((input) => credentialClasses('x-api-key', input)),
  'fuzz/secret-key': withCases((input) => credentialClasses('x-secret-key', input)),
  'fuzz/version': withCases(versionClasses),
  'fuzz/path': withCases(pathClasses),
  'fuzz/query': withCases(queryClasses),
  'fuzz/headers': withCases((input) => [...headerLineClasses(input), ...oddValueClasses(input)]),
  'fuzz/combined-flaws': withCases((input) => [...combinedFlawClasses(input), ...strangerClasses(input)]),
} as const satisfies Readonly<Record<string, ClassesOf>>

function withCases(classesOf: ClassesOf): ClassesOf {
  return (input) => classesOf(input).filter(({ count }) => count !== 0)
}

/**
 * What is sent in the place of a credential: values that nearly equal it first, half of all cases; then all else that is wrong
 * with a header value, as far as every HTTP client can send it. A gate's classes have a weight of 20 in all, all classes of 23.
 */
function credentialClasses(field: CredentialField, input: GeneratorInput): readonly CaseClass[] {
  const subject = credentialSubject(field, input)
  return [
    ...nearMissClasses(subject),
    storeClass(subject),
    ...disguiseClasses(subject, field, input),
    loneSignClass(subject),
    ...literalClasses(subject),
    sizeClass(subject),
    whiteSpaceInsideClass(subject),
    unicodeClass(subject),
    brokenEncodingClass(subject),
    presenceClass(subject),
    ...whiteSpaceAroundClasses(subject),
    injectionClass(subject),
    separatorAtEndClass(subject),
  ]
}

/** What is done to header lines and to the order of things, values apart. A gate's classes have a weight of 12 at most. */
export function headerLineClasses(input: GeneratorInput): readonly CaseClass[] {
  return [
    ...equivalentLines,
    ...clientFieldClasses(input),
    ...duplicateClasses(input),
    ...oddNames,
    ...gatewayFieldClasses,
    parameterOrder(input),
  ]
}

/** Values beyond ordinary bytes, and versions that are not integers. A gate's classes have a weight of 8 in all, all of 10. */
export function oddValueClasses(input: GeneratorInput): readonly CaseClass[] {
  return [...oddVersionClasses(versionSubject(input)), ...rawValueClasses(input)]
}
