import { describe, expect, it } from 'vitest'
import { ordered, renaming } from '../../fuzz/request-changes.ts'
import { credentials } from '../../judge/testing/exchanges.ts'
import { type ClientName, clientNames } from '../../specification/client-rows.ts'
import { requiredFields } from '../../specification/endpoints.ts'
import { listEndpoint } from '../testing/contexts.ts'
import { type TestRequest, plainRequest, userAgent } from './test-request.ts'

const agent = userAgent('1.2.3')
const plainOf = (more: Partial<typeof listEndpoint>, client: ClientName = 'target'): TestRequest => {
  return plainRequest({ ...listEndpoint, ...more }, { name: client, credentials }, agent)
}
const plain = plainOf({})

describe('a plain valid request', () => {
  it('matches the specification and names the suite', () => {
    const { request, traits } = plain
    const { client, endpoint, plain: isPlain, ...others } = traits

    expect([request.method, request.target]).toEqual(['GET', '/api/customizations/list'])
    expect(request.fields.map(({ name, value }) => [name, value])).toEqual([
      ['x-api-key', credentials.apiKey],
      ['x-secret-key', credentials.secretKey],
      ['x-version', '1'],
      ['accept', 'application/json'],
      ['user-agent', 'card-switch-conformance/1.2.3'],
    ])
    expect([client, endpoint, isPlain]).toEqual(['target', 'GET /api/customizations/list', true])
    expect(new Set(Object.values(others))).toEqual(new Set([false]))
  })

  it('carries the body and the query that the endpoint needs', () => {
    const posted = plainOf({ method: 'POST', body: '{"limit":1}', query: 'page=1' })

    expect(posted.request.target).toBe('/api/customizations/list?page=1')
    expect(posted.request.fields.at(-1)).toEqual({ name: 'content-type', value: 'application/json' })
    expect(posted.without('x-api-key').request.body).toBe('{"limit":1}')
  })

  it('differs by its body and by its HTTP version', () => {
    const bodies = ['{"limit":1}', '{"limit":2}'].map((body) => plainOf({ method: 'POST', body }).hash)
    const old = plain.apply((request) => ({ ...request, form: { version: '1.0' } }))

    expect(bodies[0]).not.toBe(bodies[1])
    expect([old.hash === plain.hash, old.key === plain.key]).toEqual([false, false])
  })

  it('must succeed for the target client and a second one, unless the endpoint is inactive', () => {
    const mustSucceed = clientNames.filter((client) => plainOf({}, client).traits.plain)

    expect(mustSucceed).toEqual(['target', 'second'])
    expect(plainOf({ inactive: true }).traits.plain).toBe(false)
  })
})

const shout = (name: string): string => name.toUpperCase()
const order = requiredFields.toReversed()
const required = 'x-api-key x-secret-key x-version'
const reversed = 'x-version x-secret-key x-api-key'

describe('a change', () => {
  // The expected field names, in order.
  it.each<[string, (one: TestRequest) => TestRequest, string]>([
    ['leaves fields out', (one) => one.without('X-API-Key', 'accept'), 'x-secret-key x-version user-agent'],
    ['replaces a value in its place', (one) => one.with('X-VERSION', '2'), `${required} accept user-agent`],
    ['puts a value at the end', (one) => one.with('Cookie', 'a=b'), `${required} accept user-agent Cookie`],
    ['renames fields', (one) => one.apply(renaming(shout)), shout(`${required} accept user-agent`)],
    ['orders fields', (one) => one.apply(ordered(order)), `${reversed} accept user-agent`],
    [
      'orders renamed ones',
      (one) => one.apply(renaming(shout)).apply(ordered(order)),
      shout(`${reversed} accept user-agent`),
    ],
  ])('%s, and the request is no longer plain', (_, change, expected) => {
    const changed = change(plain)

    expect(changed.request.fields.map(({ name }) => name).join(' ')).toBe(expected)
    expect([changed.traits.plain, plain.traits.plain, plain.request.fields.length]).toEqual([false, true, 5])
  })

  it('sets values, and keeps the values of renamed fields', () => {
    const values = ({ request }: TestRequest) => request.fields.map(({ value }) => value)

    expect(values(plain.with('X-VERSION', '2'))[2]).toBe('2')
    expect(values(plain.with('Cookie', 'a=b')).at(-1)).toBe('a=b')
    expect(values(plain.apply(renaming(shout)))).toEqual(values(plain))
  })

  const list = '/api/customizations/list'
  it.each<[string, (one: TestRequest) => TestRequest, string, string]>([
    ['to another path', (one) => one.to('/api/zz'), '/api/zz', `GET ${list}`],
    ['to a path with a name', (one) => one.to('/api/zz', 'an unknown path'), '/api/zz', 'an unknown path'],
    ['with a query', (one) => one.withQuery('a=1'), `${list}?a=1`, `GET ${list}`],
    ['with two queries', (one) => one.withQuery('a=?').withQuery('b=2'), `${list}?a=?&b=2`, `GET ${list}`],
    ['with another method', (one) => one.method('HEAD'), list, `GET ${list}`],
  ])('%s makes a request that is not plain, and keeps the original', (_, change, path, endpoint) => {
    const changed = change(plain)

    expect(changed.request.target).toBe(path)
    expect(changed.traits).toEqual({ ...plain.traits, plain: false, endpoint })
    expect([plain.traits.plain, plain.request.target, plain.request.method]).toEqual([true, list, 'GET'])
  })

  it('of traits alone keeps the request plain', () => {
    expect(plain.trait({ asksForQuota: true }).traits).toEqual({ ...plain.traits, asksForQuota: true })
    expect(plain.trait({ asksForQuota: true }).request).toBe(plain.request)
  })
})
