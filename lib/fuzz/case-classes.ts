import type { Credentials } from '../redact/secret.ts'
import type { CaseClass, ClientInput, GeneratorInput } from './case-class.ts'
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
  'fuzz/api-key': withCases(sharedByEndpoints((input) => credentialClasses('x-api-key', input))),
  'fuzz/secret-key': withCases(sharedByEndpoints((input) => credentialClasses('x-secret-key', input))),
  'fuzz/version': withCases(sharedByEndpoints(versionClasses)),
  'fuzz/path': withCases(pathClasses),
  'fuzz/query': withCases((input) => [...queryClasses(input), ...describedClasses(input)]),
  'fuzz/headers': withCases((input) => [
    ...lineClasses(input),
    parameterOrder(input),
    ...oddValueClasses(input),
  ]),
  'fuzz/combined-flaws': withCases((input) => combinedClasses(input)),
} as const satisfies Readonly<Record<string, ClassesOf>>

const combinedClasses = sharedByEndpoints((input) => [
  ...flawedRows(input),
  ...combinedFlawClasses(input),
  ...strangerClasses,
])

type ClassesOfClient = (input: ClientInput) => readonly CaseClass[]

/** Makes classes only once for all endpoints that share their input. */
function sharedByEndpoints(classesOf: ClassesOfClient): ClassesOf {
  const made = new WeakMap<Credentials, (readonly [GeneratorInput, readonly CaseClass[]])[]>()
  return (input) => {
    const all = made.get(input.target) ?? []
    const known = all.find(([given]) => given.second === input.second && clientOf(given) === clientOf(input))
    if (known !== undefined) return known[1]
    const classes = classesOf(input)
    made.set(input.target, [...all, [input, classes]])
    return classes
  }
}

/** The part of an input that is not about the endpoint, as text without credentials. */
function clientOf(input: GeneratorInput): string {
  const { path: _, query: __, described: ___, ...client } = input
  return JSON.stringify(client)
}

function withCases(classesOf: ClassesOf): ClassesOf {
  return (input) => classesOf(input).filter(({ count }) => count !== 0)
}

/** Changes to header lines and their order, but not to values. Total weight at most 12 in a gate. */
const lineClasses = sharedByEndpoints((input) => [servedRows(input), ...linesOfClient(input)])

/** Values beyond ordinary bytes, and versions that are not integers. Total weight 8 in a gate, 10 otherwise. */
const oddValueClasses = sharedByEndpoints((input) => [
  ...oddVersionClasses(versionSubject(input)),
  ...rawValueClasses(input),
])
