import { isRuleId, type SpecRuleId } from './rules.ts'

const json = 'Responses, including errors, are JSON.'
const everyHeader = 'Every request must carry x-api-key, x-secret-key and x-version.'
const refusals = 'Each flaw of a request has its own status and error_code.'
const noEndpoint =
  'An endpoint that does not exist under the requested version is answered with 400 and error_code 1010.'
const wrongKey = 'An API key that is not valid is answered with 401 and error_code 1006.'
const wrongSecret = 'A secret key that is not valid is answered with 401 and error_code 1007.'
const invalidInput = 'Invalid input parameters are answered with 400 and error_code 1030.'
const perRequest = 'The header x-version chooses the version of each request. The default version is 1.'
const dailyQuota = 'Each client has a daily quota. Beyond it, requests fail with 429 and error_code 1020.'
const errorBody =
  'A failure has one of the listed statuses and codes, and a JSON body with the strings error_code and error_message.'
const tolerated =
  'Clients must tolerate new properties, another order of properties, and opaque strings of another length or format.'
const silent = 'The specification does not say so.'

/** What the specification promises in the section of a rule, in our words; for implied rules, what stands in its place. */
const promises = {
  'conventions/json-response': json,
  'conventions/json-content-type': `${json} HTTP has a sender name the media type of what it sends.`,
  'conventions/accept-optional': 'The request header accept may be set to application/json.',
  'conventions/header-case-insensitive': `${silent} In HTTP, names of header fields have no letter case, and their order does not matter.`,
  'endpoints/list-succeeds':
    'GET {base_url}/api/customizations/list, with the three headers and without a body, is answered with JSON.',
  'authentication/api-key-missing': 'An absent API key header is answered with 400 and error_code 1001.',
  'authentication/secret-key-missing':
    'An absent secret key header is answered with 400 and error_code 1002.',
  'authentication/api-key-invalid': wrongKey,
  'authentication/secret-key-invalid': wrongSecret,
  'authentication/customer-not-found':
    'If no customer matches the credentials, the answer is 401 with error_code 1012.',
  'authentication/endpoint-inactive': 'If the endpoint is inactive, the answer is 401 with error_code 1011.',
  'authentication/endpoint-unauthorized':
    'If the client is not permitted to use the endpoint, the answer is 401 with error_code 1013.',
  'authentication/no-bypass': `${everyHeader} ${refusals}`,
  'authentication/stays-refused':
    'A client without a customer gets 401 and 1012, at an inactive endpoint 1011, without permission 1013. Beyond its daily quota it gets 429 and 1020.',
  'authentication/no-side-door': `${everyHeader} It does not name other ways in.`,
  'authentication/not-cached': `${everyHeader} ${refusals}`,
  'authentication/isolated-under-concurrency': `${everyHeader} ${refusals}`,
  'versioning/version-missing': 'An absent version header is answered with 400 and error_code 1003.',
  'versioning/default-version': perRequest,
  'versioning/endpoint-not-in-version': noEndpoint,
  'versioning/unknown-endpoint': noEndpoint,
  'versioning/selected-per-request': perRequest,
  'versioning/malformed-version':
    'The value of x-version is an integer. What else is answered to another value is not said.',
  'errors/body-shape': errorBody,
  'errors/documented-pairs': errorBody,
  'input/invalid-parameters': invalidInput,
  'quota/exhausted': dailyQuota,
  'quota/stays-exhausted': dailyQuota,
  'quota/per-client': dailyQuota,
  'fuzz/api-key': wrongKey,
  'fuzz/secret-key': wrongSecret,
  'fuzz/version': `${perRequest} ${noEndpoint}`,
  'fuzz/path': noEndpoint,
  'fuzz/query': invalidInput,
  'fuzz/headers': `${silent} HTTP has recipients ignore header fields that they do not know, and reject malformed ones.`,
  'fuzz/combined-flaws': refusals,
  'tolerance/added-properties': tolerated,
  'tolerance/property-order': tolerated,
  'tolerance/opaque-strings': tolerated,
  'tolerance/no-breaking-change':
    'The provider tries to avoid breaking changes. Five kinds of change are listed as non-breaking.',
  'security/no-secret-echo': `${silent} A secret that an answer repeats may end in logs and caches.`,
} as const satisfies Readonly<Record<SpecRuleId, string>>

/** What the specification promises where it speaks of a rule, in our words; null for a rule that is not in the catalogue. */
export function promiseOf(id: string): string | null {
  return isRuleId(id) ? promises[id] : null
}
