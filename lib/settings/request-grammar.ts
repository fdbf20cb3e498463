import { listPath } from '../specification/endpoints.ts'

/** A segment `.` or `..`, percent-encoded or not, which leads to another path (RFC 3986, 6.2.2.3). */
const noDotSegment = '(?!.*/(?:\\.|%2[eE]){1,2}(?:/|$))'

/** A path character that needs no escape (RFC 3986, 3.3), or an escape. */
const pathCharacter = "(?:[\\w\\-.~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})"

const method = '[A-Z]+(?:-[A-Z]+)*'

/** Patterns of the parts of a request. */
export const patterns = {
  method: `^${method}$`,
  /** Of a path that a base URL may have. */
  prefix: `^${noDotSegment}${pathCharacter}*$`,
  /** Of a path from `/api/` with parameters, as `/api/cards/{cardId}`: under one right below `/api/` every path would be an endpoint. */
  template: `^${noDotSegment}/api/(?![^/]*\\{)(?:${pathCharacter}|\\{[A-Za-z_][\\w.-]*\\})*$`,
  /** Of an endpoint other than the list endpoint. */
  endpoint: `^(?!GET ${listPath}$)${noDotSegment}${method} /api/${pathCharacter}*$`,
  query: '^(?!\\?)[!-"$-~]+$',
} as const

/** What is expected of them, in words. */
export const expectedOf = {
  method: 'a method in capitals, as GET',
  prefix: 'a path prefix in which other characters are percent-encoded, without the segments . and ..',
  template:
    'a path from /api/, without query, fragment, white space and the segments . and .., other characters percent-encoded; parameters as {cardId} after a fixed first segment',
  endpoint: `a method in capitals, one space and a path from /api/, as GET /api/…, without a query and the segments . and ..; another endpoint than GET ${listPath}, which must succeed`,
  query:
    'a query of visible ASCII characters, without the question mark and without a fragment (#…), as page=1; a space is %20, a # in a value %23',
} as const
