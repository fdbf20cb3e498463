import { describe, expect, it } from 'vitest'
import type { Field, Request } from '../http/request.ts'
import { Secret, type Credentials } from '../redact/secret.ts'
import { factsIfKnown, factsOf } from './facts-of.ts'
import { flawless, type Facts } from './facts.ts'
import type { KnownClient, KnownEndpoint, TargetModel } from './target-model.ts'
import type { ClientName } from '../spec/clients.ts'

const listed: KnownEndpoint = {
  method: 'GET',
  path: '/api/customizations/list',
  version: '1',
  label: 'GET /api/customizations/list',
  query: null,
  invalidQuery: 'limit=abc',
  inactive: false,
  success: null,
  mayBeSent: true,
}

const paged: KnownEndpoint = { ...listed, path: '/api/cards/all', query: 'page=1', label: 'cards' }
const inactive: KnownEndpoint = { ...listed, path: '/api/cards/old', inactive: true, label: 'old' }

const target = client('target', 'key-of-the-target', 'secret-of-the-target')
const second = client('second', 'key-of-the-second', 'secret-of-the-second')

const knowledge: TargetModel = {
  clients: [
    target,
    second,
    client('noCustomer', 'key-without-customer', 'secret-without-customer'),
    client('inactive', 'key-inactive', 'secret-inactive'),
    client('unauthorized', 'key-unauthorized', 'secret-unauthorized'),
    client('exhausted', 'key-exhausted', 'secret-exhausted'),
  ],
  endpoints: [listed, paged, inactive],
  unsupportedVersion: '77',
}

function client(name: ClientName, apiKey: string, secretKey: string): KnownClient {
  return { name, credentials: credentials(apiKey, secretKey) }
}

function credentials(apiKey: string, secretKey: string): Credentials {
  return { apiKey: new Secret('KEY', apiKey), secretKey: new Secret('SECRET', secretKey) }
}

interface Sent {
  readonly key?: string | null
  readonly secret?: string | null
  readonly version?: string | null
  readonly method?: string
  readonly target?: string
  readonly more?: readonly Field[]
}

/** The plain request of the target client, but for what is given; null leaves a field out. */
function request(sent: Sent = {}): Request {
  const fields = [
    ['x-api-key', sent.key === undefined ? 'key-of-the-target' : sent.key],
    ['x-secret-key', sent.secret === undefined ? 'secret-of-the-target' : sent.secret],
    ['x-version', sent.version === undefined ? '1' : sent.version],
  ] as const
  return {
    method: sent.method ?? 'GET',
    target: sent.target ?? listed.path,
    fields: [
      ...fields.flatMap(([name, value]) => (value === null ? [] : [{ name, value }])),
      ...(sent.more ?? []),
    ],
  }
}

/** The facts that differ from those of a plain valid request. */
function flaws(sent: Sent, known: TargetModel = knowledge): Partial<Facts> {
  const plain: Readonly<Record<string, string>> = { ...flawless }
  return Object.fromEntries(
    Object.entries(factsOf(request(sent), known)).filter(([name, value]) => plain[name] !== value),
  )
}

describe('the facts of a request', () => {
  it('are those of a plain valid request, the credentials as secrets or as text', () => {
    const secrets = [
      { name: 'x-api-key', value: target.credentials.apiKey },
      { name: 'x-secret-key', value: target.credentials.secretKey },
    ]

    expect(factsOf(request(), knowledge)).toEqual(flawless)
    expect(flaws({ key: null, secret: null, more: secrets })).toEqual({})
  })

  it('do not depend on the letter case or the order of field names', () => {
    const shouted = request().fields.map(({ name, value }) => ({ name: name.toUpperCase(), value }))
    const fields = [...shouted].toReversed()

    expect(factsOf({ ...request(), fields }, knowledge)).toEqual(flawless)
  })

  it.each(['x-api-key', 'x-secret-key', 'x-version'] as const)(
    'are not known where %s is repeated',
    (name) => {
      const twice = (again: string): Request => request({ more: [{ name: again, value: '1' }] })

      expect(() => factsOf(twice(name), knowledge)).toThrow(RangeError)
      expect(() => factsOf(twice(name.toUpperCase()), knowledge)).toThrow(
        `which of 2 ${name} fields counts is not known`,
      )
      expect(factsIfKnown(twice(name), knowledge)).toBeNull()
    },
  )

  it.each([{}, { version: null }, { key: '' }])('are known otherwise: %o', (sent) => {
    expect(factsIfKnown(request(sent), knowledge)).toEqual(factsOf(request(sent), knowledge))
  })

  it('do not mind that another field is repeated', () => {
    const more = [
      { name: 'accept', value: 'a' },
      { name: 'accept', value: 'b' },
    ]

    expect(flaws({ more })).toEqual({})
  })
})

describe('the credentials of a request', () => {
  it('are what arrives: white space around them is stripped, and nothing else', () => {
    expect(flaws({ key: ' \tkey-of-the-target ', secret: 'secret-of-the-target\t', version: ' 1' })).toEqual(
      {},
    )
    expect(flaws({ key: '\u00a0key-of-the-target' })).toEqual({ apiKey: 'invalid' })
    expect(flaws({ secret: 'secret-of-the-target\u000b' })).toEqual({ secretKey: 'nobodys' })
    expect(flaws({ key: 'key-of -the-target' })).toEqual({ apiKey: 'invalid' })
  })

  it.each(['', ' ', '\t \t'])('are blank when they are %j', (blank) => {
    expect(flaws({ key: blank })).toEqual({ apiKey: 'blank' })
    expect(flaws({ secret: blank })).toEqual({ secretKey: 'blank' })
    expect(flaws({ version: blank })).toEqual({ version: 'blank' })
  })

  it('are absent when their fields are', () => {
    expect(flaws({ key: null })).toEqual({ apiKey: 'absent' })
    expect(flaws({ secret: null })).toEqual({ secretKey: 'absent' })
    expect(flaws({ version: null })).toEqual({ version: 'absent' })
    expect(flaws({ key: null, secret: null, version: null })).toEqual({
      apiKey: 'absent',
      secretKey: 'absent',
      version: 'absent',
    })
  })

  it('are wrong when one character is, or the letter case', () => {
    expect(flaws({ key: 'Key-of-the-target' })).toEqual({ apiKey: 'invalid' })
    expect(flaws({ key: 'key-of-the-target0' })).toEqual({ apiKey: 'invalid' })
    expect(flaws({ secret: 'secret-of-the-targe' })).toEqual({ secretKey: 'nobodys' })
  })

  it('are both wrong when they are exchanged', () => {
    expect(flaws({ key: 'secret-of-the-target', secret: 'key-of-the-target' })).toEqual({
      apiKey: 'invalid',
      secretKey: 'nobodys',
    })
  })

  it("are a valid key with another client's secret", () => {
    expect(flaws({ secret: 'secret-of-the-second' })).toEqual({ secretKey: 'another-clients' })
    expect(flaws({ key: 'key-of-the-second' })).toEqual({ secretKey: 'another-clients' })
    expect(flaws({ key: 'key-of-the-second', secret: 'secret-of-the-second' })).toEqual({})
  })

  it("leave nothing wrong with anybody's secret where the key itself is not valid", () => {
    expect(flaws({ key: 'nobody', secret: 'secret-of-the-second' })).toEqual({ apiKey: 'invalid' })
    expect(flaws({ key: null, secret: 'secret-of-the-second' })).toEqual({ apiKey: 'absent' })
    expect(flaws({ key: 'nobody', secret: 'nobodys' })).toEqual({ apiKey: 'invalid', secretKey: 'nobodys' })
  })

  it.each([
    ['without-customer', { customer: 'none' }],
    ['inactive', { state: 'inactive' }],
    ['unauthorized', { permission: 'denied' }],
    ['exhausted', { quota: 'used-up' }],
  ] as const)('of the client %s say how it fares', (name, expected) => {
    expect(flaws({ key: `key-${name}`, secret: `secret-${name}` })).toEqual(expected)
    expect(flaws({ key: `key-${name}`, secret: 'nobodys' })).toEqual({ ...expected, secretKey: 'nobodys' })
  })

  describe('of several clients with one API key', () => {
    const sharing: TargetModel = {
      ...knowledge,
      clients: [target, second, client('exhausted', 'key-of-the-target', 'secret-exhausted')],
    }

    it('are those of the client whose secret fits', () => {
      expect(flaws({}, sharing)).toEqual({})
      expect(flaws({ secret: 'secret-exhausted' }, sharing)).toEqual({ quota: 'used-up' })
    })

    it('are wrong with a secret of none of them', () => {
      expect(flaws({ secret: 'nobodys' }, sharing)).toEqual({ secretKey: 'nobodys' })
      expect(flaws({ secret: 'secret-of-the-second' }, sharing)).toEqual({ secretKey: 'another-clients' })
    })
  })

  it('are valid for each of two clients with one secret', () => {
    const twins: TargetModel = {
      ...knowledge,
      clients: [target, client('second', 'key-of-the-second', 'secret-of-the-target')],
    }

    expect(flaws({}, twins)).toEqual({})
    expect(flaws({ key: 'key-of-the-second' }, twins)).toEqual({})
  })
})

describe('the endpoint of a request', () => {
  it.each([
    '/api/zzqwertyuiopasdf',
    '/api/zzqwertyuiopasdf/list',
    '/api/zzqwertyuiopasdf/customizations/list',
    '/api/zzqwertyuiopasdf/',
  ])('is unknown: %s', (path) => {
    expect(flaws({ target: path })).toEqual({ endpoint: 'unknown' })
  })

  it.each([
    '/api/customizations/list/',
    '/api/customizations/LIST',
    '/api/Customizations/list',
    '/api//customizations/list',
    '/api/customizations//list',
    '/api/customizations',
    '/api/customizations/lists',
    '/api/customizations/list.json',
    '/api/customizations/list/1',
    '/API/customizations/list',
    '/v1/customizations/list',
    '/v1/zzqwertyuiopasdf',
    '/zzqwertyuiopasdf/list',
    '/api/zzshort',
    '/api/list/zzqwertyuiopasdf',
    '/',
  ])('may exist though it is not shown: %s', (path) => {
    expect(flaws({ target: path })).toEqual({ endpoint: 'uncertain' })
  })

  // Near misses of known paths by the catalogue of fuzzing: a letter off, a suffix, another encoding of the same.
  it.each(['/api/customization/list', '/api/customizations.json', '/api/%63ustomizations/list'])(
    'may exist though its first segment is a near miss: %s',
    (path) => {
      expect(flaws({ target: path })).toEqual({ endpoint: 'uncertain' })
    },
  )

  it('may exist under another method', () => {
    expect(flaws({ method: 'HEAD' })).toEqual({ endpoint: 'uncertain' })
    expect(flaws({ method: 'POST' })).toEqual({ endpoint: 'uncertain' })
  })

  it('may be inactive, whoever asks', () => {
    expect(flaws({ target: '/api/cards/old' })).toEqual({ state: 'inactive' })
    expect(flaws({ target: '/api/cards/old', key: null })).toEqual({ state: 'inactive', apiKey: 'absent' })
  })

  it('is asked for under the version that it is known under', () => {
    const versioned: TargetModel = { ...knowledge, endpoints: [listed, { ...paged, version: '3' }] }
    const of = (version: string): Partial<Facts> =>
      flaws({ target: '/api/cards/all?page=1', version }, versioned)

    expect(of('3')).toEqual({})
    expect(of('1')).toEqual({ version: 'other' })
    expect(of('77')).toEqual({ version: 'unsupported' })
    expect(flaws({ version: '3' }, versioned)).toEqual({ version: 'other' })
  })

  it('may be known under several versions, each with what belongs to it', () => {
    const versioned: TargetModel = {
      ...knowledge,
      endpoints: [listed, paged, { ...paged, version: '2', query: 'size=1' }],
    }

    expect(flaws({ target: '/api/cards/all?page=1', version: '1' }, versioned)).toEqual({})
    expect(flaws({ target: '/api/cards/all?size=1', version: '2' }, versioned)).toEqual({})
    expect(flaws({ target: '/api/cards/all?page=1', version: '2' }, versioned)).toEqual({
      input: 'uncertain',
    })
  })
})

describe('the version of a request', () => {
  it('is 1 where no endpoint is known', () => {
    const unknowing: TargetModel = { ...knowledge, endpoints: [] }

    expect(flaws({ version: '1' }, unknowing)).toEqual({ endpoint: 'uncertain' })
    expect(flaws({ version: '2' }, unknowing)).toEqual({ endpoint: 'uncertain', version: 'other' })
  })
})

describe('the input of a request', () => {
  it.each([
    ['/api/customizations/list?limit=abc', { input: 'invalid' }],
    ['/api/customizations/list?limit=1', { input: 'uncertain' }],
    ['/api/customizations/list?limit=abc&page=1', { input: 'uncertain' }],
    ['/api/customizations/list?limit=ABC', { input: 'uncertain' }],
    ['/api/customizations/list?a=1?b', { input: 'uncertain' }],
    ['/api/cards/all?page=1', {}],
    ['/api/cards/all', { input: 'uncertain' }],
    ['/api/cards/all?page=1&debug=true', { input: 'uncertain' }],
    ['/api/cards/all?limit=abc', { input: 'invalid' }],
    ['/api/zzqwertyuiopasdf?limit=abc', { endpoint: 'unknown', input: 'uncertain' }],
  ])('of %s', (path, expected) => {
    expect(flaws({ target: path })).toEqual(expected)
  })

  it('is uncertain with any query where none is known to be invalid', () => {
    const unknowing: TargetModel = { ...knowledge, endpoints: [{ ...listed, invalidQuery: null }] }

    expect(flaws({ target: '/api/customizations/list?limit=abc' }, unknowing)).toEqual({ input: 'uncertain' })
  })

  it('is uncertain without the query of a plain request where no query is known to be invalid', () => {
    const unknowing: TargetModel = { ...knowledge, endpoints: [{ ...paged, invalidQuery: null }] }

    expect(flaws({ target: '/api/cards/all' }, unknowing)).toEqual({ input: 'uncertain' })
  })
})
