import { listPath } from '../specification/endpoints.ts'

/** A segment `.` or `..`, percent-encoded or not, which leads to another path (RFC 3986, 6.2.2.3). */
const noDotSegment = '(?!.*/(?:\\.|%2[eE]){1,2}(?:/|$))'

/** A path character that needs no escape (RFC 3986, 3.3), or an escape. */
const pathCharacter = "(?:[\\w\\-.~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})"

const method = '[A-Z]+(?:-[A-Z]+)*'

/** Patterns for the parts of a request. */
export const patterns = {
  method: `^${method}$`,
  /** For a path that a base URL may have. */
  prefix: `^${noDotSegment}${pathCharacter}*$`,
  /** For a path under `/api/` with parameters, such as `/api/cards/{cardId}`. A parameter right after `/api/` would match every path. */
  template: `^${noDotSegment}/api/(?![^/]*\\{)(?:${pathCharacter}|\\{[A-Za-z_][\\w.-]*\\})*$`,
  /** For any endpoint except the list endpoint. */
  endpoint: `^(?!GET ${listPath}$)${noDotSegment}${method} /api/${pathCharacter}*$`,
  query: '^(?!\\?)[!-"$-~]+$',
} as const

/** The same expectations in words. */
export const expectedOf = {
  method: 'a method in capitals, such as GET',
  prefix: 'a path prefix with other characters percent-encoded, without the segments . and ..',
  template:
    'a path from /api/, without query, fragment, white space and the segments . and .., other characters percent-encoded; parameters such as {cardId} only after a fixed first segment',
  endpoint: `a method in capitals, one space and a path from /api/, such as GET /api/…, without a query and the segments . and ..; not GET ${listPath}, which must succeed`,
  query:
    'a query of visible ASCII characters, without question mark or fragment (#…), such as page=1; write a space as %20, a # in a value as %23',
} as const
