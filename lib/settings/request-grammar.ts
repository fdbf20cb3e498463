import { listPath } from '../specification/endpoints.ts'
import { hasDotSegment, noDotSegment, pathCharacter } from './base-url.ts'
import type { CredentialSearch } from './hide-secrets.ts'
import { issue, parsed, type Parsed, type SettingIssue } from './issue.ts'

/** Pattern of a method. */
export const methodPattern = '[A-Z]+(?:-[A-Z]+)*'

/** Pattern of a path from `/api/`, other characters percent-encoded. */
const apiPathPattern = `/api/${pathCharacter}*`

/** Pattern of a path from `/api/` with parameters, as `/api/cards/{cardId}`. */
export const templatePattern = `/api/(?:${pathCharacter}|\\{[A-Za-z_][\\w.-]*\\})*`

const endpoint = new RegExp(`^(?<method>${methodPattern}) (?<path>${apiPathPattern})$`)

/** Reads an endpoint other than the list endpoint, as `GET /api/…`, or null. */
export function readEndpoint(
  setting: string,
  given: string | undefined,
): Parsed<{ readonly method: string; readonly path: string } | null> {
  if (given === undefined) return parsed(null)

  const { method, path } = endpoint.exec(given)?.groups ?? {}
  if (method === undefined || path === undefined) {
    const expected = 'a method in capitals, one space and a path from /api/, as GET /api/…, without a query'
    return parsed(null, issue(setting, { given, expected }))
  }
  if (hasDotSegment(path)) return parsed(null, issue(setting, { given, expected: noDotSegment }))
  if (method === 'GET' && path === listPath) {
    const expected = `another endpoint than GET ${listPath}, which must succeed`
    return parsed(null, issue(setting, { given, expected }))
  }
  return parsed({ method, path })
}

const mistakesOfQueries = [
  { wrong: /^\?/, expected: 'a query without the question mark', hint: 'leave the ? out' },
  { wrong: /#/, expected: 'a query without a fragment (#…)', hint: 'a # in a value is %23' },
  {
    wrong: /[^!-~]/,
    expected: 'a query of visible ASCII characters, without white space',
    hint: 'percent-encode the others: a space is %20',
  },
]

/** Issues of a query; a credential in a URL would reach every log on its way. */
export function queryIssues(
  setting: string,
  given: string,
  search: CredentialSearch,
): readonly SettingIssue[] {
  const malformed = mistakesOfQueries
    .filter(({ wrong }) => wrong.test(given))
    .map(({ expected, hint }) => issue(setting, { given, expected, hint }))
  const found = search.in(given)
  if (found === null) return malformed

  const leak = issue(setting, {
    given: `a query of ${given.length} characters that holds ${found} or most of it`,
    expected: 'a query without any of the configured credentials',
    hint: 'credentials go into headers; a URL is written to logs',
  })
  return [...malformed, leak]
}
