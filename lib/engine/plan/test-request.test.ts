import { describe, expect, it } from 'vitest'
import { Secret } from '../../redact/secret.ts'
import { credentials } from '../../judge/testing/exchanges.ts'
import type { KnownEndpoint } from '../../judge/target-model.ts'
import { requiredFields } from '../../specification/endpoints.ts'
import { plainRequest, userAgent, type TestRequest } from './test-request.ts'

const endpoint: KnownEndpoint = {
  method: 'GET',
  path: '/api/customizations/list',
  version: '1',
  label: 'GET /api/customizations/list',
  query: null,
  body: null,
  invalidQuery: null,
  inactive: false,
  success: null,
  described: null,
  mayBeSent: true,
}
const second = { apiKey: new Secret('SECOND_KEY', 'k2'), secretKey: new Secret('SECOND_SECRET', 's2') }
const agent = userAgent('1.2.3')
const plain = plainRequest(endpoint, credentials, { client: 'target', agent })

function names(sent: TestRequest): readonly string[] {
  return sent.request.fields.map(({ name }) => name)
}

function valueOf(sent: TestRequest, name: string): string | Secret | undefined {
  return sent.request.fields.find((field) => field.name === name)?.value
}

describe('a plain valid request', () => {
  it('is as the specification shows it, and names the suite', () => {
    expect(plain.request).toEqual({
      method: 'GET',
      target: '/api/customizations/list',
      fields: [
        { name: 'x-api-key', value: credentials.apiKey },
        { name: 'x-secret-key', value: credentials.secretKey },
        { name: 'x-version', value: '1' },
        { name: 'accept', value: 'application/json' },
        { name: 'user-agent', value: 'card-switch-conformance/1.2.3' },
      ],
    })
    expect(plain.traits).toEqual({
      client: 'target',
      endpoint: 'GET /api/customizations/list',
      plain: true,
      observed: false,
      transportMayRefuse: false,
      mayRedirect: false,
      asksForQuota: false,
    })
  })

  it('differs by the version of HTTP that it is sent in', () => {
    const old = plain.apply((request) => ({ ...request, form: { version: '1.0' } }))

    expect(old.hash).not.toBe(plain.hash)
    expect(old.key).not.toBe(plain.key)
  })

  it('carries the body that the endpoint needs, labelled, and differs by it', () => {
    const [one, other] = ['{"limit":1}', '{"limit":2}'].map((body) =>
      plainRequest({ ...endpoint, method: 'POST', body }, credentials, { client: 'target', agent }),
    )

    expect(one?.request.body).toBe('{"limit":1}')
    expect(one?.request.fields.at(-1)).toEqual({ name: 'content-type', value: 'application/json' })
    expect(one?.without('x-api-key').as('second', second).request.body).toBe('{"limit":1}')
    expect(one?.hash).not.toBe(other?.hash)
  })

  it('carries the query that the endpoint needs', () => {
    const paged = plainRequest({ ...endpoint, query: 'page=1' }, credentials, { client: 'target', agent })

    expect(paged.request.target).toBe('/api/customizations/list?page=1')
  })

  it.each([
    ['target', false, true],
    ['second', false, true],
    ['inactive', false, false],
    ['noCustomer', false, false],
    ['unauthorized', false, false],
    ['exhausted', false, false],
    ['disposable', false, false],
    ['target', true, false],
  ] as const)('of %s, the endpoint inactive: %s, must succeed: %s', (client, inactive, isPlain) => {
    expect(plainRequest({ ...endpoint, inactive }, credentials, { client, agent }).traits.plain).toBe(isPlain)
  })
})

describe('a change', () => {
  it('leaves a field out, whatever the letter case', () => {
    expect(names(plain.without('X-API-Key', 'accept'))).toEqual(['x-secret-key', 'x-version', 'user-agent'])
    expect(names(plain.without('unknown'))).toEqual(names(plain))
  })

  it('puts a value in the place of another, or at the end', () => {
    const changed = plain.with('X-VERSION', '2').with('Cookie', 'a=b')

    expect(names(changed)).toEqual([...names(plain), 'Cookie'])
    expect(valueOf(changed, 'x-version')).toBe('2')
    expect(valueOf(changed, 'Cookie')).toBe('a=b')
  })

  it('names the fields anew, values and order as they were', () => {
    const shouted = plain.named((name) => name.toUpperCase())

    expect(names(shouted)).toEqual(names(plain).map((name) => name.toUpperCase()))
    expect(shouted.request.fields.map(({ value }) => value)).toEqual(
      plain.request.fields.map(({ value }) => value),
    )
  })

  it('orders the three fields, before all others', () => {
    const order = requiredFields.toReversed()

    expect(names(plain.ordered(order))).toEqual([...order, 'accept', 'user-agent'])
    expect(names(plain.named((name) => name.toUpperCase()).ordered(order))).toEqual(
      [...order, 'accept', 'user-agent'].map((name) => name.toUpperCase()),
    )
  })

  it('goes to another path, under the name that reports call it by', () => {
    const there = plain.to('/api/zz/list', 'an unknown path')

    expect([there.request.target, there.traits.endpoint]).toEqual(['/api/zz/list', 'an unknown path'])
    expect(plain.to('/api/zz').traits.endpoint).toBe(plain.traits.endpoint)
  })

  it('adds a query to none and to one', () => {
    const once = plain.withQuery('a=1')

    expect(once.request.target).toBe('/api/customizations/list?a=1')
    expect(once.withQuery('b=2').request.target).toBe('/api/customizations/list?a=1&b=2')
  })

  it("takes another client's credentials, and then counts against that client", () => {
    const other = plain.as('second', second)

    expect([valueOf(other, 'x-api-key'), valueOf(other, 'x-secret-key')]).toEqual([
      second.apiKey,
      second.secretKey,
    ])
    expect(other.traits).toMatchObject({ client: 'second', plain: true })
    expect(plain.as('exhausted', second).traits).toMatchObject({ client: 'exhausted', plain: false })
    expect(plain.without('x-version').as('second', second).traits.plain).toBe(false)
  })

  it.each<[string, (one: TestRequest) => TestRequest]>([
    ['without a field', (one) => one.without('accept')],
    ['with another value', (one) => one.with('x-version', '1')],
    ['with other names', (one) => one.named((name) => name)],
    ['in another order', (one) => one.ordered(requiredFields)],
    ['to another path', (one) => one.to('/api/zz')],
    ['with a query', (one) => one.withQuery('a=1')],
    ['with another method', (one) => one.method('HEAD')],
  ])('%s makes it no plain request any more, and leaves the first as it was', (_, change) => {
    const before = structuredClone(plain.request.target)

    expect(change(plain).traits.plain).toBe(false)
    expect([plain.traits.plain, plain.request.target, plain.request.method]).toEqual([true, before, 'GET'])
    expect(plain.request.fields).toHaveLength(5)
  })

  it('of traits alone leaves it plain', () => {
    expect(plain.trait({ asksForQuota: true }).traits).toEqual({ ...plain.traits, asksForQuota: true })
    expect(plain.trait({ asksForQuota: true }).request).toBe(plain.request)
  })
})
