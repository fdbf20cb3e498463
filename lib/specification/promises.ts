import { clientRows } from './client-rows.ts'
import { flawRows, flaws, refusedClients, type FlawRule } from './flaws.ts'
import type { SpecRuleId } from './rules.ts'

const json = 'Responses, including errors, are JSON.'
const everyHeader = 'Every request must carry x-api-key, x-secret-key and x-version.'
const refusals = 'Each flaw of a request has its own status and error_code.'
const noEndpoint = flaws.endpoint.unknown.rule.promise
const perRequest = 'The header x-version chooses the version of each request. The default version is 1.'
const dailyQuota = flaws.quota['used-up'].rule.promise
const errorBody =
  'A failure has one of the listed statuses and codes, and a JSON body with the strings error_code and error_message.'
const tolerated =
  'Clients must tolerate new properties, another order of properties, and opaque strings of another length or format.'
const silent = 'The specification does not say so.'

/** `without a customer gets 401 and 1012, at an inactive endpoint 1011`: a status stands where it changes. */
function refusalsOfClients(): string {
  return refusedClients
    .map(({ client, refusal: { status, errorCode } }, at) => {
      const before = refusedClients[at - 1]?.refusal.status
      const told = before === status ? errorCode : `${status} and ${errorCode}`
      return `${clientRows[client].refused} ${at === 0 ? 'gets ' : ''}${told}`
    })
    .join(', ')
}

/** What the specification promises in the section of a rule that is not about one flaw, in our words; for implied rules, what stands in its place. */
const promises: Readonly<Record<Exclude<SpecRuleId, FlawRule>, string>> = {
  'conventions/json-response': json,
  'conventions/json-content-type': `${json} HTTP has a sender name the media type of what it sends.`,
  'conventions/accept-optional': 'The request header accept may be set to application/json.',
  'conventions/header-case-insensitive': `${silent} In HTTP, names of header fields have no letter case, and their order does not matter.`,
  'conventions/http-messages': `${silent} In HTTP, a reader of messages knows where each ends, and which answer belongs to which request.`,
  'endpoints/list-succeeds':
    'GET {base_url}/api/customizations/list, with the three headers and without a body, is answered with JSON.',
  'authentication/no-bypass': `${everyHeader} ${refusals}`,
  'authentication/stays-refused': `A client ${refusalsOfClients()}. Beyond its daily quota it gets 429 and 1020.`,
  'authentication/no-side-door': `${everyHeader} It does not name other ways in.`,
  'authentication/not-cached': `${everyHeader} ${refusals}`,
  'authentication/isolated-under-concurrency': `${everyHeader} ${refusals}`,
  'versioning/default-version': perRequest,
  'versioning/selected-per-request': perRequest,
  'errors/body-shape': errorBody,
  'errors/documented-pairs': errorBody,
  'quota/stays-exhausted': dailyQuota,
  'quota/per-client': dailyQuota,
  'fuzz/api-key': flaws.apiKey.invalid.rule.promise,
  'fuzz/secret-key': flaws.secretKey.nobodys.rule.promise,
  'fuzz/version': `${perRequest} ${noEndpoint}`,
  'fuzz/path': noEndpoint,
  'fuzz/query': flaws.input.invalid.rule.promise,
  'fuzz/headers': `${silent} HTTP has recipients ignore header fields that they do not know, and reject malformed ones.`,
  'fuzz/combined-flaws': refusals,
  'tolerance/added-properties': tolerated,
  'tolerance/property-order': tolerated,
  'tolerance/opaque-strings': tolerated,
  'tolerance/no-breaking-change':
    'The provider tries to avoid breaking changes. Five kinds of change are listed as non-breaking.',
  'security/no-secret-echo': `${silent} A secret that an answer repeats may end in logs and caches.`,
  'security/no-shared-cache': `${silent} In HTTP, a shared cache gives a fresh answer to whoever asks for the URL; it knows nothing of x-api-key and x-secret-key.`,
}

const promised: ReadonlyMap<string, string> = new Map([
  ...Object.entries(promises),
  ...flawRows.flatMap(({ rule }) => (rule === undefined ? [] : [[rule.id, rule.promise] as const])),
])

/** What the specification promises where it speaks of a rule, in our words; null for a rule that is not in the catalogue. */
export function promiseOf(id: string): string | null {
  return promised.get(id) ?? null
}
