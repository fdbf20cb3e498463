import type { SpecRuleId } from '../../specification/rules.ts'
import { except, none, only, onlyWhole, unlessEssential, type RuleRow } from './profile-rows.ts'

// What each profile sends, and why a gate leaves something out. `profile-choice.ts` applies it; suites ask through their context.

const observed = 'only observed: no fault is told by it'
const refusable = 'firewalls refuse it by themselves, and may ban the sender'

/** What nearly equals a credential. */
const wrongCredentials = {
  further: ['invented'],
  classes: {
    'near misses at every position': none('the first, a middle and the last character stand for the others'),
    'near misses': except(['half', 'first-dropped'], 'generated ones cut and drop elsewhere'),
    'near misses of the second client': only(['extended', 'letter-case'], "the target client's stand for it"),
  },
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
    classes: { 'what locks the client': none('a gate does not wait') },
  },
  'conventions/header-case-insensitive': {
    classes: {
      'forms of a valid request': only(
        ['upper-case', 'capitalised', 'mixed-case', 'version-secret-api', 'secret-version-api'],
        'the spellings, and the orders that differ most',
      ),
      'forms with a wrong key': only(['upper-case'], 'one spelling tells whether a refusal depends on it'),
      'forms with a wrong secret': only(['upper-case', 'version-secret-api'], 'one spelling and one order'),
    },
  },
  'versioning/selected-per-request': {
    counts: {
      'versions in flight by themselves': onlyWhole(2, 'a crowd holds them'),
    },
  },
  'input/invalid-parameters': { further: ['known-invalid'] },
  'authentication/customer-not-found': {},
  'authentication/endpoint-inactive': {},
  'authentication/endpoint-unauthorized': {},
  'authentication/api-key-missing': { further: ['absent'] },
  'authentication/secret-key-missing': { further: ['absent'] },
  'versioning/endpoint-not-in-version': {
    further: ['unsupported'],
    classes: { 'a random version': none('generated versions cover it (fuzz/version)') },
    counts: {
      'random versions': onlyWhole(12, 'all of them must be served to be a breach'),
    },
  },
  'versioning/version-missing': { further: ['absent'] },
  'versioning/unknown-endpoint': {
    classes: {
      paths: except(['with-list'], 'generated paths cover it (fuzz/path)'),
      'beside and below the list': only(
        ['random-end', 'grandchild'],
        'both ends: what serves one of them is asked at all depths',
        { essential: 'none' },
      ),
    },
  },
  'quota/stays-exhausted': {
    counts: {
      'exhausted-client': { all: 20, gate: 3, essential: 1, because: 'a gate runs often' },
      'disposable-client': { all: 20, gate: 3, essential: 1, because: 'it was refused once already' },
    },
    classes: {
      'after a silence': none('a gate does not wait'),
      'after a wrong secret': none('it may lock the client'),
    },
  },
  'fuzz/secret-key': {},
  'authentication/no-side-door': {
    classes: {
      strangers: only(['with-a-wrong-secret'], 'generated requests of strangers come without credentials'),
      doors: except(
        ['authorization', 'x-forwarded-for', 'cookie', 'query'],
        'one request tries some at once, and generated requests of strangers bring an authorization',
      ),
      'doors, several at once': { gate: 'all', all: 'none', because: 'one request finds any of them' },
      'closed doors, several at once': { gate: 'all', all: 'none', because: 'one request finds any of them' },
      'closed doors, one by one': none(`a gate tries some at once; of others, ${refusable}`),
      'other methods': none(observed),
      'as other clients': {
        gate: 'none',
        unnamed: true,
        because: `a vendor could know the suite by its name: that matters when one is accepted; ${refusable}`,
      },
    },
  },
  'fuzz/api-key': { share: 1.05 },
  'versioning/malformed-version': {
    mostTelling: 'v1',
    classes: {
      values: except(['quoted', 'semantic', 'date', 'default'], 'the others are read as a number more often'),
      'values beyond ASCII': only(['superscript-two-in-latin-1'], 'one byte that counts as a digit'),
    },
  },
  'fuzz/headers': {
    share: 0.75,
  },
  'fuzz/version': {},
  'fuzz/combined-flaws': {
    share: 0.25,
    classes: {
      'pages for browsers as breaches': none('frameworks greet browsers with pages: a warning'),
    },
    counts: {
      'requests for refining': { all: 120, gate: 40, essential: 40, because: 'each counts against a quota' },
    },
  },
  'fuzz/query': {
    share: 0.75,
  },
  'quota/per-client': {
    classes: {
      'the second client': unlessEssential('one client tells of a common quota'),
      'once more at the end': unlessEssential('they were asked when the first 1020 came'),
    },
  },
  'authentication/secret-key-invalid': wrongCredentials,
  'authentication/api-key-invalid': { mostTelling: 'extended', ...wrongCredentials },
  'fuzz/path': {
    share: 0.9,
  },
  'authentication/isolated-under-concurrency': {
    classes: {
      'flaws in flight': {
        gate: 'all',
        essential: { only: ['api-key-absent', 'secret-key-absent', 'version-unsupported'] },
        leads: [
          'client-inactive',
          'api-key-wrong',
          'version-unsupported',
          'version-absent',
          'secret-key-wrong',
        ],
        because: 'the last have few others in flight: one for each thing that is looked up comes first',
      },
      'the valid request first': { gate: 'none', essential: 'all', because: 'it tells least' },
      'requests as they are': {
        gate: 'none',
        essential: { except: ['valid'] },
        because: 'conventions/accept-optional must send them without accept anyway',
      },
    },
    counts: {
      'copies of each request': { all: 5, gate: 1, essential: 1, because: 'a gate runs often' },
      'valid requests at once': onlyWhole(24, 'a gate runs often'),
    },
  },
  'quota/exhausted': {},
  'authentication/stays-refused': {
    classes: {
      'flaws of a refused client': only(
        ['wrong-secret', 'unsupported-version', 'query'],
        'each is a request of a client that may be locked',
        { essential: { only: ['wrong-secret'] } },
      ),
      'a query of its own': none('other rules may have sent it: their answer counts'),
    },
  },
  'authentication/no-bypass': {
    mostTelling: 'key-absent-secret-absent-version-valid',
    further: ['key-absent-secret-absent-version-valid'],
    classes: {
      'combinations on an unknown endpoint': only(
        ['key-valid-secret-wrong-version-valid', 'key-absent-secret-absent-version-valid'],
        'the known endpoint gets all of them',
      ),
      'flaws by HEAD': only(
        ['api-key-absent', 'secret-key-wrong'],
        'one that lacks a credential, and one that has a wrong one',
      ),
      'flaws beside invalid input': only(
        [
          'key-absent-secret-valid-version-valid',
          'key-valid-secret-wrong-version-valid',
          'key-valid-secret-valid-version-wrong',
        ],
        'one flaw of each field',
      ),
    },
  },
  'conventions/json-response': {},
  'conventions/json-content-type': {},
  'authentication/not-cached': {
    mostTelling: 'secret-key-wrong',
    classes: {
      'a plain success before': none('any form of a valid request is one: a gate must send some anyway'),
      'a success of its own': only(
        ['version-absent', 'api-key-wrong', 'secret-key-wrong', 'version-unsupported'],
        'other flaws share a success: the first is asked about on its connection, the others on another',
      ),
      'on both connections': only(['api-key-wrong', 'secret-key-wrong'], 'the flaws that a cache overlooks'),
      'the target client beside a second one': none('the second client was served before, too'),
      'what a success leaves behind': none('faults of caches and sessions are few, and a gate runs often'),
    },
    counts: {
      'connections of each refusal': onlyWhole(12, 'a gate runs often'),
      'wrong secrets in a row': onlyWhole(
        15,
        'with wrong pairs before them, more than thirty guesses: a gate must not lock the client',
      ),
      'connections of each other refusal': onlyWhole(
        4,
        'what is wrong with a client or its input is looked up behind what all requests pass',
      ),
    },
  },
  'versioning/default-version': {},
  'errors/body-shape': {},
  'errors/documented-pairs': {},
  'tolerance/added-properties': {},
  'tolerance/property-order': {},
  'tolerance/opaque-strings': {},
  'tolerance/no-breaking-change': {},
  'conventions/http-messages': {
    classes: {
      'messages on the raw socket': {
        gate: 'none',
        inAcceptance: true,
        because: 'servers and gateways frame messages, and they seldom change',
      },
    },
  },
  'security/no-secret-echo': {},
  'security/no-shared-cache': {},
} as const satisfies Readonly<Record<SpecRuleId, RuleRow>>
