import type { Credentials } from '../redact/secret.ts'
import type { CaseClass, ClassesOf } from './case-class.ts'
import { describedClasses } from './described-input.ts'
import { headerLineClasses, strangerClasses } from './header-lines.ts'
import { credentialClasses, oddValueClasses, versionClasses } from './header-values.ts'
import { combinedFlawClasses, flawedRows, servedRows } from './request-rows.ts'
import { pathClasses, queryClasses } from './targets.ts'

/** The case classes for each rule with generated cases. */
export const caseClasses = {
  'fuzz/api-key': sharedByEndpoints((input) => credentialClasses('x-api-key', input)),
  'fuzz/secret-key': sharedByEndpoints((input) => credentialClasses('x-secret-key', input)),
  'fuzz/version': sharedByEndpoints(versionClasses),
  'fuzz/path': pathClasses,
  'fuzz/query': (input) => [...queryClasses(input), ...describedClasses(input)],
  // Weights in a gate: at most 12 for lines and their order, 8 for odd values.
  'fuzz/headers': (input) => [servedRows(input), ...headerLineClasses(input), ...oddValues(input)],
  'fuzz/combined-flaws': sharedByEndpoints((input) => [
    ...flawedRows(input),
    ...combinedFlawClasses(input),
    ...strangerClasses,
  ]),
} satisfies Readonly<Record<string, ClassesOf>>

const oddValues = sharedByEndpoints(oddValueClasses)

/** Makes classes only once for all endpoints of a run with the same input, apart from what is about the endpoint. */
function sharedByEndpoints(make: ClassesOf): ClassesOf {
  const made = new WeakMap<Credentials, WeakMap<Credentials, Map<string, readonly CaseClass[]>>>()
  return (input) => {
    const { target, second } = input
    const ofTarget = made.get(target) ?? new WeakMap()
    const all = ofTarget.get(second ?? target) ?? new Map()
    // As text, the input has no credentials.
    const text = JSON.stringify({ ...input, path: '', query: null, described: null })
    const classes = all.get(text) ?? make(input)
    made.set(target, ofTarget.set(second ?? target, all.set(text, classes)))
    return classes
  }
}
