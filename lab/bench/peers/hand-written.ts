import { documentedPairs, type ErrorCode } from '../../../lib/specification/answers.ts'
import type { Texts } from '../../../tests/support/program.ts'

/** Settings of a run against a service with every fixture, by name. */
export type Fixtures = Texts

/** A request that a careful tester writes by hand, with the answers that the specification allows. */
export interface HandWritten {
  readonly name: string
  readonly path: string
  readonly headers: Texts
  /** Status and error_code of each. Success has no code. */
  readonly allowed: readonly { readonly status: number; readonly errorCode: ErrorCode | null }[]
}

const listPath = '/api/customizations/list'

/**
 * The tests that can be written by hand with all fixtures: the valid request, every documented code once, and
 * the usual variants of a header (absent, empty, cut, longer, in another letter case, from another client).
 * Thirty requests, asserted as strictly as the specification permits.
 */
export function handWritten(fixtures: Fixtures): readonly HandWritten[] {
  const client = (prefix: string): Readonly<Record<'x-api-key' | 'x-secret-key' | 'x-version', string>> => ({
    'x-api-key': fixtures[`${prefix}_API_KEY`] ?? '',
    'x-secret-key': fixtures[`${prefix}_SECRET_KEY`] ?? '',
    'x-version': '1',
  })
  const valid = client('TARGET')
  const { 'x-api-key': key, 'x-secret-key': secret, 'x-version': version } = valid
  const inCapitals = { 'X-API-KEY': key, 'X-SECRET-KEY': secret, 'X-VERSION': '1' }
  const accept = { accept: 'application/json' }
  const one = (name: string, headers: Texts, codes: readonly ErrorCode[], path = listPath): HandWritten => {
    return { name, path, headers: { ...accept, ...headers }, allowed: allowedOf(codes) }
  }

  return [
    one('valid', valid, []),
    { ...one('valid, without accept', valid, []), headers: valid },
    one('valid, header names in capitals', inCapitals, []),
    one('valid, another client', client('FIXTURE_SECOND'), []),
    one('no API key', { 'x-secret-key': secret, 'x-version': version }, ['1001']),
    one('no secret key', { 'x-api-key': key, 'x-version': version }, ['1002']),
    one('no version', { 'x-api-key': key, 'x-secret-key': secret }, ['1003']),
    one('none of the three', {}, ['1001', '1002', '1003']),
    one('no credentials', { 'x-version': version }, ['1001', '1002']),
    one('empty API key', { ...valid, 'x-api-key': '' }, ['1001', '1006']),
    one('empty secret key', { ...valid, 'x-secret-key': '' }, ['1002', '1007']),
    one('empty version', { ...valid, 'x-version': '' }, ['1003', '1010', '1030']),
    one('unknown API key', { ...valid, 'x-api-key': 'no-such-key' }, ['1006', '1012']),
    one('API key cut by one', { ...valid, 'x-api-key': key.slice(0, -1) }, ['1006', '1012']),
    one('API key with one more', { ...valid, 'x-api-key': `${key}x` }, ['1006', '1012']),
    one('API key in lower case', { ...valid, 'x-api-key': key.toLowerCase() }, ['1006', '1012']),
    one('wrong secret key', { ...valid, 'x-secret-key': 'no-such-secret' }, ['1007', '1012']),
    one('secret key cut by one', { ...valid, 'x-secret-key': secret.slice(0, -1) }, ['1007', '1012']),
    one('secret key with one more', { ...valid, 'x-secret-key': `${secret}x` }, ['1007', '1012']),
    one('secret key in lower case', { ...valid, 'x-secret-key': secret.toLowerCase() }, ['1007', '1012']),
    one("another client's secret key", { ...client('FIXTURE_SECOND'), 'x-api-key': key }, ['1007', '1012']),
    one('unknown version', { ...valid, 'x-version': '2147483647' }, ['1010']),
    one('version that is not a number', { ...valid, 'x-version': 'abc' }, ['1003', '1010', '1030']),
    one('unknown path', valid, ['1010'], '/api/no-such-endpoint'),
    one('no customer', client('FIXTURE_NO_CUSTOMER'), ['1012']),
    one('inactive', client('FIXTURE_INACTIVE'), ['1011']),
    one('not permitted', client('FIXTURE_UNAUTHORIZED'), ['1013']),
    one('quota used up', client('FIXTURE_EXHAUSTED'), ['1020']),
    one('invalid query', valid, ['1030'], `${listPath}?${fixtures['FIXTURE_INVALID_QUERY'] ?? ''}`),
    one('unknown optional parameter', valid, [], `${listPath}?further=1`),
  ]
}

/** No code means success. */
function allowedOf(codes: readonly ErrorCode[]): HandWritten['allowed'] {
  if (codes.length === 0) return [{ status: 200, errorCode: null }]
  return documentedPairs
    .filter(({ errorCode }) => codes.includes(errorCode))
    .map(({ status, errorCode }) => ({ status, errorCode }))
}
