import { describe, expect, it } from 'vitest'
import type { Field, Request } from '../http/request.ts'
import { Secret, type Credentials } from '../redact/secret.ts'
import { factsIfKnown, factsOf, flawless, type Facts, versionFact } from './facts.ts'
import type { KnownClient, KnownEndpoint, TargetModel } from './target-model.ts'
import { clientNames, type ClientName } from '../specification/client-rows.ts'
import { flawRows } from '../specification/flaws.ts'

const listed: KnownEndpoint = {
  method: 'GET',
  path: '/api/customizations/list',
  version: '1',
  label: 'GET /api/customizations/list',
  query: null,
  body: null,
  invalidQuery: 'limit=abc',
  inactive: false,
  success: null,
  described: null,
  mayBeSent: true,
}

const paged: KnownEndpoint = { ...listed, path: '/api/cards/all', query: 'page=1', label: 'cards' }
const inactive: KnownEndpoint = { ...listed, path: '/api/cards/old', inactive: true, label: 'old' }

const target = client('target', 'key-of-the-target', 'secret-of-the-target')
const second = client('second', 'key-of-the-second', 'secret-of-the-second')

const model: TargetModel = {
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

/** The plain request of the target client, with changes; null omits a field. */
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
function flaws(sent: Sent, known: TargetModel = model): Partial<Facts> {
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

    expect(factsOf(request(), model)).toEqual(flawless)
    expect(flaws({ key: null, secret: null, more: secrets })).toEqual({})
  })

  it('do not depend on the letter case or the order of field names', () => {
    const shouted = request().fields.map(({ name, value }) => ({ name: name.toUpperCase(), value }))
    const fields = [...shouted].toReversed()

    expect(factsOf({ ...request(), fields }, model)).toEqual(flawless)
  })

  it.each(['x-api-key', 'x-secret-key', 'x-version'] as const)(
    'are not known where %s is repeated',
    (name) => {
      const twice = (again: string): Request => request({ more: [{ name: again, value: '1' }] })

      expect(() => factsOf(twice(name), model)).toThrow(RangeError)
      expect(() => factsOf(twice(name.toUpperCase()), model)).toThrow(
        `which of several ${name} fields counts is not known`,
      )
      expect(factsIfKnown(twice(name), model)).toBeNull()
    },
  )

  it.each([{}, { version: null }, { key: '' }])('are known otherwise: %o', (sent) => {
    expect(factsIfKnown(request(sent), model)).toEqual(factsOf(request(sent), model))
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
      ...model,
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
      ...model,
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

  // Near misses from the fuzzing catalogue: a letter off, a suffix, another encoding.
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
    const versioned: TargetModel = { ...model, endpoints: [listed, { ...paged, version: '3' }] }
    const of = (version: string): Partial<Facts> =>
      flaws({ target: '/api/cards/all?page=1', version }, versioned)

    expect(of('3')).toEqual({})
    expect(of('1')).toEqual({ version: 'other' })
    expect(of('77')).toEqual({ version: 'unsupported' })
    expect(flaws({ version: '3' }, versioned)).toEqual({ version: 'other' })
  })

  it('may be known under several versions, each with what belongs to it', () => {
    const versioned: TargetModel = {
      ...model,
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
    const unknowing: TargetModel = { ...model, endpoints: [] }

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
    const unknowing: TargetModel = { ...model, endpoints: [{ ...listed, invalidQuery: null }] }

    expect(flaws({ target: '/api/customizations/list?limit=abc' }, unknowing)).toEqual({ input: 'uncertain' })
  })

  it('is uncertain without the query of a plain request where no query is known to be invalid', () => {
    const unknowing: TargetModel = { ...model, endpoints: [{ ...paged, invalidQuery: null }] }

    expect(flaws({ target: '/api/cards/all' }, unknowing)).toEqual({ input: 'uncertain' })
  })
})

const known = { served: '1', unsupported: '99' }

/** The text as it arrives, one character per byte. */
function bytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

describe('the fact about a version', () => {
  it.each([
    ['blank', ['']],
    ['served', ['1']],
    ['unsupported', ['99', '100000000', '2147483647', '123456789']],
    [
      'out-of-range',
      ['2147483648', '-1', '4294967297', '9007199254740993', '18446744073709551617', `1${'0'.repeat(309)}`],
    ],
    ['other', ['0', '2', '3', '99999999']],
    ['odd', ['00', '01', '+1', '+01', '-0', '-01', '007', '12.0', '1.0', '1.', '+1.00', '-10.0']],
    ['odd', ['0x1', '0XfF', '+0x1F', '-0x0', '0o7', '0o17', '-0O7', '0b1', '0b101', '+0B10']],
    ['odd', ['1e0', '1E2', '12e3', '1e+10', '1e-2', '-1e0', '1.e2', '1.5e1', '1.25e2', '+10.50e12']],
    ['odd', ['1_0', '12_345', '1_000_000', '+1_0', '-1_00']],
    ['odd', ['０', '１', '１２', '-１', '+１０', '١', '٤٢']],
    ['malformed', ['abc', 'v1', '1abc', '1 1', '1;', '1,2', 'null', '½', '一', '\u200b1', '٤٢x', 'x٤٢']],
    ['malformed', ['--1', '+-1', '++1', '+', '-', '1-', '1.5', '.0', '1.0.0', '1.01', 'v1.0', '1.0a']],
    [
      'malformed',
      ['0x', '0xg', '0x1g', '1x1', 'v0x1', '0o', '0o8', '0o18', 'v0o7', '0b', '0b2', '0b12', 'v0b1'],
    ],
    ['malformed', ['e1', '1e', '1e+', '1ee1', 'v1e0', '1e0x', '1e1.5', '1e*2', '1.xe2', '1..e2', '1.5e']],
    ['malformed', ['_1', '1_', '1__0', 'v1_0', '1_0x', '1_x', '1_0_']],
  ] as const)('is %s', (fact, values) => {
    for (const value of values) expect(versionFact(bytes(value), known), value).toBe(fact)
  })
})

describe('the fact about a body', () => {
  const posting: KnownEndpoint = { ...listed, method: 'POST', path: '/api/cards', body: '{"limit":1}' }
  const inputOf = (more: Partial<Request>): Facts['input'] =>
    factsOf({ method: 'POST', target: '/api/cards', fields: [], ...more }, { ...model, endpoints: [posting] })
      .input

  it.each([
    [{ body: '{"limit":1}' }, 'valid'],
    [{ body: '{"limit":2}' }, 'uncertain'],
    [{}, 'uncertain'],
    [{ body: '{"limit":1}', target: '/api/cards?a=1' }, 'uncertain'],
  ] as const)('of %j is %s', (more, fact) => {
    expect(inputOf(more)).toBe(fact)
  })
})

describe('a client that a flaw needs', () => {
  it.each(flawRows.filter(({ part }) => part === 'client'))(
    'gives its fact: $id',
    ({ fact, value, needs }) => {
      const name = clientNames.find((one) => one === needs) ?? 'target'
      const given = { ...model, clients: [client(name, 'key-of-one', 'secret-of-one')] }

      expect(flaws({ key: 'key-of-one', secret: 'secret-of-one' }, given)).toEqual({ [fact]: value })
    },
  )
})
