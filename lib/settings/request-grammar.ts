import { listPath } from '../specification/endpoints.ts'

/** Ajv options for our own schemas; checking each against the meta-schema would take 20 ms. */
export const ownSchema = {
  meta: false,
  validateSchema: false,
  allErrors: true,
  verbose: true,
  allowUnionTypes: true,
  code: { source: true, esm: true },
} as const

/** Schema of a string, with a description of the expected value. */
export function stringLike(pattern: string, description: string) {
  return { type: 'string', pattern, description }
}

/** A segment `.` or `..`, percent-encoded or not, which leads to another path (RFC 3986, 6.2.2.3). */
const noDotSegment = '(?!.*/(?:\\.|%2[eE]){1,2}(?:/|$))'

/** A path character that needs no escape (RFC 3986, 3.3), or an escape. */
const pathCharacter = "(?:[\\w\\-.~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})"

const method = '[A-Z]+(?:-[A-Z]+)*'

/** The parts of a request, as schemas whose descriptions say what is expected. */
export const grammar = {
  method: stringLike(`^${method}$`, 'a method in capitals, such as GET'),
  /** For a path that a base URL may have. */
  prefix: stringLike(
    `^${noDotSegment}${pathCharacter}*$`,
    'a path prefix with other characters percent-encoded, without the segments . and ..',
  ),
  /** For a path under `/api/` with parameters, such as `/api/cards/{cardId}`. A parameter right after `/api/` would match every path. */
  template: stringLike(
    `^${noDotSegment}/api/(?![^/]*\\{)(?:${pathCharacter}|\\{[A-Za-z_][\\w.-]*\\})*$`,
    'a path from /api/, without query, fragment, white space and the segments . and .., other characters percent-encoded; parameters such as {cardId} only after a fixed first segment',
  ),
  /** For any endpoint except the list endpoint. */
  endpoint: stringLike(
    `^(?!GET ${listPath}$)${noDotSegment}${method} /api/${pathCharacter}*$`,
    `a method in capitals, one space and a path from /api/, such as GET /api/…, without a query and the segments . and ..; not GET ${listPath}, which must succeed`,
  ),
  query: stringLike(
    '^(?!\\?)[!-"$-~]+$',
    'a query of visible ASCII characters, without question mark or fragment (#…), such as page=1; write a space as %20, a # in a value as %23',
  ),
}
