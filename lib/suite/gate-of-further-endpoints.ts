import type { RuleId } from '../spec/rules.ts'

/**
 * The cases that a gate sends to each further endpoint, by rule: one for each flaw of the request. A gate must
 * stay within its budget with two further endpoints; all else is for the other profiles.
 */
const inGate: Readonly<Partial<Record<RuleId, readonly string[]>>> = {
  'endpoints/list-succeeds': ['plain'],
  'input/invalid-parameters': ['known-invalid'],
  'versioning/version-missing': ['absent'],
  'versioning/endpoint-not-in-version': ['unsupported'],
  'authentication/api-key-missing': ['absent'],
  'authentication/secret-key-missing': ['absent'],
  'authentication/api-key-invalid': ['invented'],
  'authentication/secret-key-invalid': ['invented'],
  'authentication/no-bypass': ['key-absent-secret-absent-version-valid'],
}

/** Whether a gate sends a case: all for the list endpoint, few for a further one, whose label stands behind an `@` in the name. */
export function isInGate(rule: RuleId, name: string): boolean {
  const [plainName = '', ...label] = name.split('@')
  return label.length === 0 || inGate[rule]?.includes(plainName) === true
}
