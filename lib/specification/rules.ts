import { memberNames } from '../text/members.ts'
import { pairCount } from './answers.ts'

/** The level of a rule, which decides what a breach means for the verdict. */
export type Level = 'documented' | 'implied' | 'requested' | 'expectation'

/**
 * The phases in which rules are judged, in order: in parallel, alone, quota exhaustion, risk of a lockout or ban, and summaries. The
 * scenarios in `alone` are played before the first phase, because their answers also count for cases of other rules.
 */
export const phases = ['together', 'alone', 'quota', 'last', 'summary'] as const

export type Phase = (typeof phases)[number]

/** A catalogue entry. */
export type Rule = Readonly<{
  level: Level
  /** The section of the specification, or another source. */
  section: string
  /** The requirement, as one sentence. */
  says: string
  phase: Phase
  /** The settings that the rule needs in addition to a permitted client. */
  needs?: string
}>

/** Makes rules of one level, judged in the phase `together` by default. */
function ofLevel(level: Level) {
  return (section: string, row: Pick<Rule, 'says'> & Partial<Rule>): Rule => ({
    level,
    section,
    phase: 'together',
    ...row,
  })
}

const [documented, implied] = [ofLevel('documented'), ofLevel('implied')]
const [requested, expectation] = [ofLevel('requested'), ofLevel('expectation')]

const quotaClient =
  'FIXTURE_EXHAUSTED_API_KEY and FIXTURE_EXHAUSTED_SECRET_KEY, a client whose quota is used up, or a disposable one (FIXTURE_DISPOSABLE_…)'

/** All rules, in report order. The ids are public, and their meaning never changes. */
export const rules = {
  'conventions/json-response': documented('Endpoints, common conventions', {
    says: 'every body, on success and on error, is JSON',
    phase: 'summary',
  }),
  'conventions/json-content-type': implied('Endpoints, common conventions; RFC 9110, 8.3', {
    says: 'every body is labelled application/json or +json, with or without parameters, in any letter case',
    phase: 'summary',
  }),
  'conventions/accept-optional': documented('Endpoints, common conventions', {
    says: 'sending accept: application/json or leaving it out changes no outcome, on success or on any error',
  }),
  'conventions/header-case-insensitive': implied('RFC 9110, 5.1 and 5.3', {
    says: 'the letter case and the order of request header names change no outcome',
  }),
  'conventions/http-messages': implied('RFC 9112, 2 to 9; RFC 9110, 9.3.2', {
    says: 'messages are framed as HTTP requires: HEAD gets no content and the length of GET, no coding is used that the request refuses, nothing follows an answer, connection: close is honoured, HTTP/1.0 gets no chunks, header sections may arrive in pieces, answers keep the order of requests, and an encoded line end adds no field (acceptance)',
    phase: 'last',
  }),
  'endpoints/list-succeeds': documented('Endpoints', {
    says: 'GET /api/customizations/list with the three valid headers always succeeds',
    phase: 'summary',
  }),
  'authentication/api-key-missing': documented('Authentication, rule 2', {
    says: 'a request without x-api-key is refused with 400 and 1001',
  }),
  'authentication/secret-key-missing': documented('Authentication, rule 3', {
    says: 'a request without x-secret-key is refused with 400 and 1002',
  }),
  'authentication/api-key-invalid': documented('Authentication, rule 5', {
    says: 'an invalid API key is refused with 401 and 1006, even if it nearly matches the valid one',
  }),
  'authentication/secret-key-invalid': documented('Authentication, rule 6', {
    says: 'a secret that does not belong to a valid key is refused with 401 and 1007, even if it nearly matches',
  }),
  'authentication/customer-not-found': documented('Authentication, rule 7', {
    says: 'credentials that no customer matches are refused with 401 and 1012',
    needs: 'FIXTURE_NO_CUSTOMER_API_KEY and FIXTURE_NO_CUSTOMER_SECRET_KEY, a client without a customer',
  }),
  'authentication/endpoint-inactive': documented('Authentication, rule 8', {
    says: 'a request for an inactive endpoint is refused with 401 and 1011',
    needs:
      'FIXTURE_INACTIVE_API_KEY and FIXTURE_INACTIVE_SECRET_KEY, a client for which the endpoint is inactive, or FIXTURE_INACTIVE_ENDPOINT',
  }),
  'authentication/endpoint-unauthorized': documented('Authentication, rule 9', {
    says: 'a client that is not permitted to use the endpoint is refused with 401 and 1013',
    needs: 'FIXTURE_UNAUTHORIZED_API_KEY and FIXTURE_UNAUTHORIZED_SECRET_KEY, a client that is not permitted',
  }),
  'authentication/no-bypass': documented('Authentication', {
    says: 'every combination of a valid, absent, blank or wrong key, secret and version gets one of the codes of its flaws, and none with a certain flaw succeeds, not even with HEAD',
  }),
  'authentication/stays-refused': documented('Authentication, rules 7 to 9; Limits', {
    says: 'a client that is inactive, not permitted, without a customer or exhausted is refused with one of the codes of its flaws, whatever else is wrong with the request',
    phase: 'last',
    needs:
      'FIXTURE_NO_CUSTOMER_…, FIXTURE_INACTIVE_…, FIXTURE_UNAUTHORIZED_… or FIXTURE_EXHAUSTED_…, a client that is refused',
  }),
  'authentication/no-side-door': implied('Authentication; plain security', {
    says: 'without valid credentials, nothing succeeds through a near miss of the path, or through a field or query that some gateways trust',
    phase: 'last',
  }),
  'authentication/not-cached': documented('Authentication', {
    says: 'a flawed request is still refused right after a success for the same URL, on the same connection or another',
    phase: 'alone',
  }),
  'authentication/isolated-under-concurrency': documented('Authentication', {
    says: 'each of many concurrent requests with different headers and flaws gets its own correct answer',
    phase: 'alone',
  }),
  'versioning/version-missing': documented('Authentication, rule 4', {
    says: 'a request without x-version is refused with 400 and 1003',
  }),
  'versioning/default-version': documented('Versioning', { says: 'version 1 is served' }),
  'versioning/endpoint-not-in-version': documented('Versioning; Errors, rule 1', {
    says: 'an endpoint requested in a version in which it does not exist is refused with 400 and 1010',
  }),
  'versioning/unknown-endpoint': documented('Errors, rule 1', {
    says: 'a path under /api/ whose first segment is random is refused with 400 and 1010',
  }),
  'versioning/selected-per-request': documented('Versioning', {
    says: 'the version of one request has no effect on the next, on the same connection or in parallel',
    phase: 'alone',
  }),
  'versioning/malformed-version': implied('Authentication, header table', {
    says: 'a value that is not an integer never selects a version',
  }),
  'errors/body-shape': documented('Errors', {
    says: 'every error body is an object with the strings error_code and error_message, and may have other properties',
    phase: 'summary',
  }),
  'errors/documented-pairs': documented('Errors', {
    says: `every failure in the run is one of the ${pairCount} documented pairs of status and error_code`,
    phase: 'summary',
  }),
  'input/invalid-parameters': documented('Errors, rule 2', {
    says: 'input known to be invalid is refused with 400 and 1030',
    needs:
      'FIXTURE_INVALID_QUERY, a query that must be refused; without it, the suite tries likely parameters',
  }),
  'quota/exhausted': documented('Limits; Errors, rule 3', {
    says: 'a client whose daily quota is used up is refused with 429 and 1020',
    phase: 'quota',
    needs: quotaClient,
  }),
  'quota/stays-exhausted': documented('Limits', {
    says: 'once its quota is used up, every further request from a client is refused',
    phase: 'quota',
    needs: quotaClient,
  }),
  'quota/per-client': documented('Limits', {
    says: "clients that were served are still served right after another client's quota runs out",
    phase: 'quota',
    needs: quotaClient,
  }),
  'fuzz/api-key': documented('Authentication, rule 5', {
    says: 'no generated key other than the valid one authenticates; each gets its documented error',
  }),
  'fuzz/secret-key': documented('Authentication, rule 6', {
    says: 'no generated secret other than the valid one authenticates; each gets its documented error',
  }),
  'fuzz/version': documented('Versioning; Errors, rule 1', {
    says: 'generated integers used as versions are served or refused as documented',
  }),
  'fuzz/path': documented('Errors, rule 1', {
    says: 'generated paths that no service has get 400 and 1010; near misses of known paths get success, a documented error or a redirect to the known path',
  }),
  'fuzz/query': documented('Errors, rule 2', {
    says: 'generated parameters get success or 400 and 1030, never anything undocumented; parameters described in an endpoints file are answered as its schemas say',
  }),
  'fuzz/headers': implied('RFC 9110, 5; plain security', {
    says: 'unrelated headers change no outcome; bytes beyond ASCII, control characters, folded lines and oversized values never get success or a 5xx',
  }),
  'fuzz/combined-flaws': documented('Authentication; Errors', {
    says: 'generated combinations of flaws get one of the codes of their flaws',
  }),
  'tolerance/added-properties': expectation('Versioning, tolerated changes', {
    says: 'with properties added at every level, every answer in the run still meets all expectations of the suite and the endpoints file',
    phase: 'summary',
  }),
  'tolerance/property-order': expectation('Versioning, tolerated changes', {
    says: 'with its properties in another order, every answer in the run still meets all expectations of the suite and the endpoints file',
    phase: 'summary',
  }),
  'tolerance/opaque-strings': expectation('Versioning, tolerated changes', {
    says: 'with its opaque strings longer, shorter, empty or in another format, every answer in the run still meets all expectations of the suite and the endpoints file',
    phase: 'summary',
  }),
  'tolerance/no-breaking-change': requested('Versioning, breaking changes', {
    says: 'since the baseline, answers changed only in the ways that the specification allows',
    phase: 'summary',
    needs: 'RUN_BASELINE, a baseline file',
  }),
  'security/no-secret-echo': implied('plain security', {
    says: 'no header or body of an answer repeats the secret key that was sent (values of 12 characters or more)',
    phase: 'summary',
  }),
  'security/no-shared-cache': implied('RFC 9111, 4.1 and 5.2.2; plain security', {
    says: 'a success is not offered to shared caches: no positive max-age or s-maxage without private, no-store, no-cache or Vary on the credentials',
    phase: 'summary',
  }),
}

/** The public id of any rule: an area of the specification or a user's prefix, followed by a name. */
export type RuleId = `${string}/${string}`

/** The public id of a rule in the specification. */
export type SpecRuleId = keyof typeof rules

/** Whether a text is the id of a rule in the specification. */
export function isRuleId(id: string): id is SpecRuleId {
  return Object.hasOwn(rules, id)
}

/** All ids in the specification, in report order. */
export const ruleIds: readonly SpecRuleId[] = memberNames(rules)

/** The catalogue entry for a rule in the specification. */
export function ruleOf(id: SpecRuleId) {
  return rules[id]
}

/** The area of a rule, that is, its id up to the slash. */
export function areaOf(id: RuleId) {
  return id.slice(0, id.indexOf('/'))
}

/** The rules that are judged on every exchange in the run, without separate requests. */
export const runWideRules = [
  'conventions/json-response',
  'conventions/json-content-type',
  'errors/body-shape',
  'errors/documented-pairs',
  'security/no-secret-echo',
  'security/no-shared-cache',
] as const satisfies readonly SpecRuleId[]

export type RunWideRuleId = (typeof runWideRules)[number]

/** Rules by id, in report order. */
export type Catalogue = ReadonlyMap<RuleId, Rule>

/** The rules in the specification. */
export const specCatalogue: Catalogue = new Map(ruleIds.map((id) => [id, ruleOf(id)]))

/** The place of a rule in the catalogue. Rules outside the specification come last. */
export function placeOfRule(id: string) {
  return isRuleId(id) ? ruleIds.indexOf(id) : ruleIds.length
}

/** The catalogue of rules that come with their entries. */
export function catalogueOf(areas: readonly DeclaredRules[]): Catalogue {
  const declared = areas.flatMap((area) => area.rules)
  const sorted = declared.toSorted((a, b) => placeOfRule(a.id) - placeOfRule(b.id))
  return new Map(sorted.map(({ id, entry }) => [id, entry]))
}

/** A rule with its catalogue entry. */
export type DeclaredRule = Readonly<{ id: RuleId; entry: Rule }>

/** The rules declared by a part of a specification, or by a user. */
export type DeclaredRules = { readonly rules: readonly DeclaredRule[] }

/** The catalogue entry for a rule. Throws a RangeError for a rule that is not in the catalogue. */
export function entryOf(catalogue: Catalogue, id: RuleId) {
  const entry = catalogue.get(id)
  if (entry === undefined) throw new RangeError(`this run has no rule ${id}`)
  return entry
}

/** The counted rules, that is, rules about the service. Expectations about the suite or the endpoints file are not counted. */
export function countedRules<One extends Counted>(all: readonly One[]): readonly One[] {
  const levelOf = ({ id, level = isRuleId(id) ? rules[id].level : 'documented' }: Counted) => level
  return all.filter((one) => levelOf(one) !== 'expectation')
}

type Counted = Readonly<{ id: string; level?: Level }>

/** Whether ids and globs select a rule; null selects all. */
export function isSelected(only: readonly string[] | null, id: string) {
  return only === null || only.some((glob) => matchesGlob(glob, id))
}

/** Whether a name matches a glob; `*` matches any characters. */
export function matchesGlob(glob: string, id: string) {
  const pieces = glob.split(/\*+/)
  // Also limits the work for a glob with many stars.
  if (pieces.join('').length > id.length) return false
  const pattern = pieces.map((piece) => piece.replaceAll(/\W/g, String.raw`\$&`)).join('.*')
  return new RegExp(`^${pattern}$`, 's').test(id)
}
