import type { SpecRuleId } from '../../specification/rules.ts'
import type { RuleRow } from './profile-rows.ts'

// What each profile sends, and why a gate leaves something out. `profile-choice.ts` applies it; suites ask through their context.

/** What nearly equals a credential. */
const wrongCredentials = {
  further: ['invented'],
}

/**
 * What is sent by rule, in the order in which a small budget is spent: by faults of the proof that a gate finds per request, without
 * those that rules before it find. Rules that add none come last, in the order of the catalogue.
 */
export const sentByRule = {
  'conventions/accept-optional': {},
  'endpoints/list-succeeds': {
    mostTelling: 'plain-again',
    further: ['plain'],
  },
  'conventions/header-case-insensitive': {},
  'versioning/selected-per-request': {},
  'input/invalid-parameters': { further: ['known-invalid'] },
  'authentication/customer-not-found': {},
  'authentication/endpoint-inactive': {},
  'authentication/endpoint-unauthorized': {},
  'authentication/api-key-missing': { further: ['absent'] },
  'authentication/secret-key-missing': { further: ['absent'] },
  'versioning/endpoint-not-in-version': {
    further: ['unsupported'],
  },
  'versioning/version-missing': { further: ['absent'] },
  'versioning/unknown-endpoint': {},
  'quota/stays-exhausted': {},
  'fuzz/secret-key': {},
  'authentication/no-side-door': {},
  'fuzz/api-key': { share: 1.05 },
  'versioning/malformed-version': {
    mostTelling: 'v1',
  },
  'fuzz/headers': {
    share: 0.75,
  },
  'fuzz/version': {},
  'fuzz/combined-flaws': {
    share: 0.25,
  },
  'fuzz/query': {
    share: 0.75,
  },
  'quota/per-client': {},
  'authentication/secret-key-invalid': wrongCredentials,
  'authentication/api-key-invalid': { mostTelling: 'extended', ...wrongCredentials },
  'fuzz/path': {
    share: 0.9,
  },
  'authentication/isolated-under-concurrency': {},
  'quota/exhausted': {},
  'authentication/stays-refused': {},
  'authentication/no-bypass': {
    mostTelling: 'key-absent-secret-absent-version-valid',
    further: ['key-absent-secret-absent-version-valid'],
  },
  'conventions/json-response': {},
  'conventions/json-content-type': {},
  'authentication/not-cached': {
    mostTelling: 'secret-key-wrong',
  },
  'versioning/default-version': {},
  'errors/body-shape': {},
  'errors/documented-pairs': {},
  'tolerance/added-properties': {},
  'tolerance/property-order': {},
  'tolerance/opaque-strings': {},
  'tolerance/no-breaking-change': {},
  'conventions/http-messages': {},
  'security/no-secret-echo': {},
  'security/no-shared-cache': {},
} as const satisfies Readonly<Record<SpecRuleId, RuleRow>>
