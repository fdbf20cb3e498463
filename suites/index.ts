import type { Area } from '../lib/run/plan/cases.ts'
import type { SpecRuleId } from '../lib/specification/rules.ts'
import { authentication } from './authentication.suite.ts'
import { conventions } from './conventions.suite.ts'
import { endpoints } from './endpoints.suite.ts'
import { errors } from './errors.suite.ts'
import { fuzzing } from './fuzz.suite.ts'
import { input } from './input.suite.ts'
import { quota } from './quota.suite.ts'
import { security } from './security.suite.ts'
import { tolerance } from './tolerance.suite.ts'
import { versioning } from './versioning.suite.ts'

/**
 * The order in which a small budget is spent: by how many additional planted faults a rule finds per request in a gate. Rules
 * that find no additional faults come last, in catalogue order.
 */
const ranked: readonly SpecRuleId[] = [
  'conventions/accept-optional',
  'endpoints/list-succeeds',
  'conventions/header-case-insensitive',
  'versioning/selected-per-request',
  'input/invalid-parameters',
  'authentication/customer-not-found',
  'authentication/endpoint-inactive',
  'authentication/endpoint-unauthorized',
  'authentication/api-key-missing',
  'authentication/secret-key-missing',
  'versioning/endpoint-not-in-version',
  'versioning/version-missing',
  'versioning/unknown-endpoint',
  'quota/stays-exhausted',
  'fuzz/secret-key',
  'authentication/no-side-door',
  'fuzz/api-key',
  'versioning/malformed-version',
  'fuzz/headers',
  'fuzz/version',
  'fuzz/combined-flaws',
  'fuzz/query',
  'quota/per-client',
  'authentication/secret-key-invalid',
  'authentication/api-key-invalid',
  'fuzz/path',
  'authentication/isolated-under-concurrency',
  'quota/exhausted',
  'authentication/stays-refused',
  'authentication/no-bypass',
  'authentication/not-cached',
  'versioning/default-version',
]

/** All areas in the order of the specification. The catalogue determines when each rule is judged. */
export const suites: readonly Area[] = [
  conventions,
  endpoints,
  authentication,
  versioning,
  errors,
  input,
  quota,
  fuzzing,
  tolerance,
  security,
].map(({ title, rules }) => ({
  title,
  rules: rules.map((one) => {
    const rank = ranked.findIndex((id) => id === one.id)
    return rank === -1 ? one : { ...one, rank }
  }),
}))
