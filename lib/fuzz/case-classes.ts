import type { Credentials } from '../redact/secret.ts'
import {
  caseClass,
  mayBan,
  onlyObserved,
  type CaseClass,
  type CaseDraw,
  type GeneratorInput,
  type Share,
} from './case-class.ts'
import { describedClasses } from './described-input.ts'
import { lineRows, strangerRows } from './header-lines.ts'
import { credentialClasses, oddVersionClasses, versionClasses } from './header-values.ts'
import { rawValueRows } from './raw-values.ts'
import { combinedFlawClasses, flawedRows, servedRows } from './request-rows.ts'
import { pathRows, queryRows } from './targets.ts'

type ClassesOf = (input: GeneratorInput) => readonly CaseClass[]

/** The case classes for each rule with generated cases. */
export const caseClasses = {
  'fuzz/api-key': sharedByEndpoints((input) => credentialClasses('x-api-key', input)),
  'fuzz/secret-key': sharedByEndpoints((input) => credentialClasses('x-secret-key', input)),
  'fuzz/version': sharedByEndpoints(versionClasses),
  'fuzz/path': (input) =>
    classesOf(pathRows(input), {
      'unknown-path': { weight: 2, because: 'versioning/unknown-endpoint asks for such a path' },
      'unknown-path-with-segments': { weight: 2 },
      'unknown-path-with-suffix': { weight: 2 },
      'unknown-path-in-utf-8': { weight: 2 },
      'unknown-path-with-query': { always: 1, because: 'one case shows whether such queries are read' },
      'unknown-path-with-quote': { always: 1, because: 'one case shows whether an error repeats the path' },
      'unknown-path-with-backslash': { because: 'some servers read it as a slash, or refuse it' },
      'unknown-path-long': { weight: 1, because: mayBan },
      'unknown-path-with-broken-encoding': { weight: 3, because: mayBan },
      'near-path': { weight: 5 },
      'near-path-of-strangers': { weight: 4 },
      'doubled-slash': { weight: 1, because: onlyObserved },
    }),
  'fuzz/query': (input) => [
    ...classesOf(queryRows(input), {
      'odd-queries': { always: 3, because: 'the most telling cases' },
      'number-values': { weight: 5 },
      'text-values': { weight: 3 },
      'parameter-names': { weight: 4 },
      'random-parameters': { weight: 2 },
      'repeated-parameter': { weight: 2 },
      'many-parameters': { weight: 1 },
      'other-formats': { because: onlyObserved },
      'raw-encoding': { weight: 2 },
      'injection-strings': { weight: 4, because: mayBan },
      'large-query': { weight: 1, because: mayBan },
    }),
    ...describedClasses(input),
  ],
  // Weights in a gate: at most 12 for lines and their order, 8 for odd values.
  'fuzz/headers': (input) => [
    servedRows(input),
    ...classesOf(lineRows(input), {
      'name-case': { weight: 2, once: 1 },
      'field-order': { weight: 2 },
      'unrelated-fields': { weight: 1, once: 1, because: 'rows contain such fields' },
      'many-unrelated-fields': { weight: 1, once: 1, because: 'servers and firewalls limit their number' },
      'malformed-fields': { always: 2, because: 'one field for tracing, another for caches' },
      'odd-codings': { because: onlyObserved },
      duplicates: { weight: 2, because: onlyObserved },
      'two-wrong': { weight: 1 },
      'joined-versions': { because: 'versioning/malformed-version sends such a list' },
      'look-alike-names-raw': { weight: 2, because: 'clients never write such names' },
      'gateway-fields': { weight: 2, because: onlyObserved },
      'other-accept-values': { weight: 1, because: onlyObserved },
      'hop-by-hop': { weight: 1, because: onlyObserved },
      'parameter-order': { weight: 1, once: 1, requests: 2 },
    }),
    ...oddValueClasses(input),
  ],
  'fuzz/combined-flaws': sharedByEndpoints((input) => [
    ...flawedRows(input),
    ...combinedFlawClasses(input),
    ...classesOf(strangerRows, {
      'look-alike-names': { weight: 2 },
      'gateway-fields-of-strangers': { weight: 1, because: 'rows contain such fields' },
    }),
  ]),
} as const satisfies Readonly<Record<string, ClassesOf>>

/** Values beyond ordinary bytes, and versions that are not integers. */
const oddValueClasses = sharedByEndpoints((input) => [
  ...oddVersionClasses(input),
  ...classesOf(rawValueRows(input), {
    'control-character': { weight: 2, requests: 2 },
    'control-character-at-end': { weight: 1, because: 'those inside a value are drawn' },
    'byte-behind-key': { because: 'some servers strip it, and some firewalls refuse it' },
    oversized: { weight: 1 },
    'line-break': { weight: 1, requests: 2 },
  }),
])

/** The classes with these cases, in the order of the shares. The first cases come `once`, and are not repeated. */
function classesOf<Rows extends Readonly<Record<string, readonly CaseDraw[]>>>(
  rows: Rows,
  shares: { readonly [Name in keyof Rows]: Share & { readonly once?: number } },
): readonly CaseClass[] {
  return Object.entries<Share & { readonly once?: number }>(shares).map(([name, { once = 0, ...share }]) => {
    const cases = rows[name] ?? []
    return caseClass(name, share, cases.slice(once), cases.slice(0, once))
  })
}

/** Makes classes only once for all endpoints of a run with the same input, apart from what is about the endpoint. */
function sharedByEndpoints(make: ClassesOf): ClassesOf {
  const made = new WeakMap<Credentials, Map<string, readonly CaseClass[]>>()
  return (input) => {
    const ofTarget = made.get(input.target) ?? new Map<string, readonly CaseClass[]>()
    const ofClient = JSON.stringify({ ...input, path: '', query: null, described: null })
    const classes = ofTarget.get(ofClient) ?? make(input)
    made.set(input.target, ofTarget.set(ofClient, classes))
    return classes
  }
}
