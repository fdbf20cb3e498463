import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { MutatedRequest, CaseClass } from '../../lib/generate/case-class.ts'
import { percentEncoded } from '../../lib/generate/queries.ts'
import {
  adding,
  inHttp10,
  inTurn,
  raw,
  setting,
  to,
  without,
  withQuery,
} from '../../lib/generate/request-changes.ts'
import type { GeneratedCase } from '../../lib/engine/plan/cases.ts'
import type { TestRequest } from '../../lib/engine/plan/test-request.ts'
import { fieldsOf } from '../../lib/http/request.ts'
import { requiredFields } from '../../lib/specification/endpoints.ts'
import { temporaryFolder } from '../../lib/settings/testing/read.ts'
import { combinations } from '../../suites/cases/combinations.ts'
import { invalidKeys, invalidSecrets } from '../../suites/cases/credentials.ts'
import { flawedRequests } from '../../lib/engine/plan/flawed-requests.ts'
import { sideDoors } from '../../suites/cases/side-doors.ts'
import { casesOf, contextWith, fuzzRules, classesOf, type CasesFor } from '../support/fuzz-contexts.ts'
import { brokenBy, payloadIn } from './promises.ts'
import type { Credentials } from '../../lib/redact/secret.ts'
import type { SuiteContext } from '../../lib/engine/plan/suite-context.ts'

/** An endpoints file with another path to ask, and one that must not be asked. */
const endpoints = [
  { method: 'GET', path: '/api/cards/%C3%A9tages/x', versions: [7], query: { required: ['q'] } },
  { method: 'POST', path: '/api/cards', versions: [1] },
]

/**
 * Settings that differ in all that generators look at, by what is special about them; `file` holds {@link endpoints}. None of
 * the credentials holds anything of a payload.
 */
function settingsWith(file: string): Readonly<Record<string, Readonly<Record<string, string>>>> {
  return {
    'opaque credentials, a second client': {
      TARGET_QUERY: 'page=1&to=3',
      FIXTURE_SECOND_API_KEY: 'key-of-the-second-client-Zx81',
      FIXTURE_SECOND_SECRET_KEY: 'sec-of-the-second-client-Qw37',
    },
    'a UUID and base64, further endpoints': {
      TARGET_API_KEY: '3f2a9c0d-1e4b-5a67-89ab-cdef01234567',
      TARGET_SECRET_KEY: 'b3BlbiBzZXNhbWUgbm93IQ==',
      TARGET_VERSION: '3',
      TARGET_ENDPOINTS: file,
    },
    'signs of all sorts': {
      TARGET_API_KEY: 'ab:cd"ef\'gh%41\\ij,kl=mn/op+q',
      TARGET_SECRET_KEY: 'rs?tu&vw[xy]z{A}B~C^D@E!F*G:H I',
    },
    'credentials of a thousand characters': {
      TARGET_API_KEY: `ey${'Ab3-Cd9_'.repeat(125)}`,
      TARGET_SECRET_KEY: `sk${'Xy7.Zw2q'.repeat(125)}`,
    },
  }
}

/** Whose credentials are valid. */
function clientsOf({ target, fixtures: { second } }: SuiteContext): readonly Credentials[] {
  return second === null ? [target] : [target, second]
}

/** Of every kind, or all that it lists where these are more. */
const casesOfEach = 250
/** Shrinking sends simpler cases: so many of each, for the first cases of a kind. */
const [shrunk, simplerOfEach] = [8, 12]

interface Outgoing {
  readonly name: string
  readonly request: TestRequest
  readonly alone: boolean
}

/** What goes out for these cases, what is sent before them, and what the first ones are shrunk to. */
function* outgoingOf(cases: Iterable<GeneratedCase>): Generator<Outgoing> {
  let left = shrunk
  for (const one of cases) {
    yield one
    if (one.before !== null) yield { name: `${one.name}, before it`, request: one.before, alone: one.alone }
    left -= 1
    if (left >= 0) yield* firstOf(one.simpler(), simplerOfEach)
  }
}

function* firstOf<T>(items: Iterable<T>, count: number): Generator<T> {
  let left = count
  for (const item of items) {
    if (left === 0) return
    left -= 1
    yield item
  }
}

/** Not known of a required field that is repeated. */
function isRefused(request: TestRequest, { documented }: SuiteContext): boolean {
  const isRepeated = requiredFields.some((name) => fieldsOf(request.request, name).length > 1)
  return !isRepeated && documented(request).every(({ errorCode }) => errorCode !== null)
}

/** For each promise that is broken, by what first. */
function broken(all: Iterable<Outgoing>, context: CasesFor['context']): readonly string[] {
  const found = new Map<string, string>()
  const clients = clientsOf(context)
  for (const { name, request, alone } of all) {
    const { transportMayRefuse } = request.traits
    const mustBeRefused = isRefused(request, context)
    const outgoing = { request: request.request, alone, transportMayRefuse, mustBeRefused }
    for (const says of brokenBy(outgoing, clients)) {
      if (!found.has(says)) found.set(says, `${says}: not ${name}`)
    }
  }
  return [...found.values()]
}

const folder = temporaryFolder({ 'endpoints.json': JSON.stringify(endpoints) })
const settings = settingsWith(join(folder, 'endpoints.json'))

const opaque = settings['opaque credentials, a second client'] ?? {}

describe.each(Object.entries(settings))('with %s', async (_, env) => {
  for (const RUN_SEED of env === opaque ? ['0', '1', '79933837'] : ['2']) {
    const context = await contextWith({ ...env, RUN_SEED })
    const all = context.endpoints.flatMap((endpoint) =>
      fuzzRules.map((rule) => ({ rule, endpoint, context, label: endpoint.label })),
    )

    it.each(all)(`$rule keeps every promise for $label, with seed ${RUN_SEED}`, (made) => {
      for (const kind of classesOf(made)) {
        const cases = casesOf(kind, Math.max(kind.count ?? 0, casesOfEach), made)

        expect(broken(outgoingOf(cases), context)).toEqual([])
      }
    })
  }

  it('the listed cases of other rules keep them as well', async () => {
    const context = await contextWith(env)
    const listed = [
      ...combinations(context),
      ...invalidKeys(context),
      ...invalidSecrets(context),
      ...context.endpoints.flatMap((endpoint) => flawedRequests(context, endpoint)),
      ...sideDoors(context),
    ].map(({ name, request }) => ({ name, request, alone: false }))

    expect(listed.length).toBeGreaterThan(100)
    expect(broken(listed, context)).toEqual([])
  })
})

const context = await contextWith(opaque)
const made = { rule: 'fuzz/headers', context, endpoint: context.list } as const
const { apiKey, secretKey } = context.target

function brokenByBent(bent: Partial<MutatedRequest>): readonly string[] {
  const mutated: MutatedRequest = {
    says: 'bent',
    apply: (request) => request,
    treatment: 'oracle',
    transportMayRefuse: false,
    ...bent,
  }
  const kind: CaseClass = { name: 'bent', weight: 1, gate: true, nth: () => fc.constant(mutated) }
  return broken(outgoingOf(casesOf(kind, 1, made)), context)
}

const fresh = { connection: 'fresh' } as const
const nowhere = { transportMayRefuse: true, toUnknownPath: true }
const key = (value: string): MutatedRequest['apply'] => setting('x-api-key', value)
const behindKey = (bytes: string): MutatedRequest['apply'] => inTurn(raw, key(apiKey.reveal() + bytes))
const field = (name: string, value: string): MutatedRequest['apply'] => adding({ name, value })

describe('would notice', () => {
  it('nothing in a plain request, in one in HTTP/1.0, and in a byte behind the key', () => {
    expect(brokenByBent({})).toEqual([])
    expect(brokenByBent({ connection: 'fresh', apply: inHttp10 })).toEqual([])
    const apply = inTurn(behindKey('\0x'), withQuery('_=zzabcdefghijklmn'))
    expect(brokenByBent({ connection: 'fresh', apply })).toEqual([])
  })

  it.each(['POST', 'DELETE', 'PUT', 'TRACE', 'get'])('the method %s', (method) => {
    expect(brokenByBent({ apply: (request) => ({ ...request, method }) })).toEqual(['only asks: not bent.0'])
  })

  it.each([
    ['x-original-url', '/api/zzabcdefghijklmn'],
    ['x-rewrite-url', '/api/zzabcdefghijklmn'],
    ['x-http-method-override', 'HEAD'],
  ])('%s: %s where it would be served, and nothing where it is refused', (name, value) => {
    expect(brokenByBent({ apply: field(name, value) })).toEqual([expect.stringContaining('has no body')])
    expect(brokenByBent({ base: 'api-key-absent', apply: field(name, value) })).toEqual([])
  })

  it.each([
    ['x-original-url', '/api/customizations/list'],
    ['x-rewrite-url', '/zzabcdefghijklmn'],
    ['x-http-method-override', 'POST'],
    ['x-forwarded-host', '/api/zzabcdefghijklmn'],
  ])('%s: %s, even where it is refused', (name, value) => {
    expect(brokenByBent({ base: 'api-key-absent', apply: field(name, value) })).toEqual([
      expect.stringContaining('has no body'),
    ])
  })

  it('a name with underscores beside the required one, and not in its place', () => {
    const apply = field('x_api_key', 'invented')
    expect(brokenByBent({ apply })).toEqual([expect.stringContaining('with underscores')])
    expect(brokenByBent({ base: 'api-key-absent', apply })).toEqual([])
  })

  it.each([
    'content-length',
    'Transfer-Encoding',
    'transfer_encoding ',
    'expect',
    'upgrade',
    'te',
    'trailer',
    'host',
    'keep-alive',
    'x-http-method-override',
    'X-Method-Override',
    'x-original-url',
    'x-forwarded-host',
  ])('the field %s', (name) => {
    expect(brokenByBent({ apply: field(name, '1') })).toEqual([expect.stringContaining('has no body')])
  })

  it('a body', () => {
    const apply: MutatedRequest['apply'] = (request) => Object.assign({ body: '{}' }, request)
    expect(brokenByBent({ apply })).toEqual([expect.stringContaining('has no body')])
  })

  it.each([
    ['another field', key('a\r\nx-other: b')],
    ['another field, after LF', key('a\nx-other: b')],
    ['another field, after CR', key('a\rx-other: b')],
    ['another request', key('a\r\n\r\nGET / HTTP/1.1')],
    ['a request in one line', key('GET /api HTTP/1.1')],
    ['a line end at the end', key('a\r\n')],
    ['a fold of white space alone', key('a\r\n ')],
    ['two bare CRs', key('a\r\rb')],
    ['a length in a fold', key('a\r\n content-length: 5')],
    ['a name with a colon', field('x:y', '1')],
    ['a name that continues the line before', field(' x', '1')],
    ['white space in the target', withQuery('a b')],
    ['a request in the target', withQuery('a\r\nGET')],
    ['a field behind encoded line ends', withQuery('a=%0d%0aset-cookie:%20b')],
    ['a field behind encoded line ends of a value', key('a%0d%0aset-cookie: b')],
  ])('what is hidden: %s', (_, apply) => {
    expect(brokenByBent({ ...nowhere, apply: inTurn(raw, apply) })).toEqual([
      expect.stringContaining('hides no field'),
    ])
  })

  it.each([
    ['the raw socket to the endpoint', { transportMayRefuse: true, apply: raw }],
    ['HTTP/1.0 on a shared connection', { apply: inHttp10 }],
    ['HTTP/1.0 with a control character', { ...fresh, apply: inTurn(inHttp10, key('a\x01b')) }],
    ['a byte behind the key without a query of its own', { ...fresh, apply: behindKey('\0x') }],
    [
      'two bytes behind the key',
      { ...fresh, apply: inTurn(behindKey('\0\0'), withQuery('_=zzabcdefghijklmn')) },
    ],
    ['the raw socket on a shared connection', { apply: inTurn(raw, to('/api/zzabcdefghijklmn')) }],
    ['the way back from there', { ...nowhere, apply: inTurn(raw, to('/api/customizations/list')) }],
    ['an unknown path beside /api/', { ...nowhere, apply: inTurn(raw, to('/zzabcdefghijklmn')) }],
    ['64 KiB', { transportMayRefuse: true, apply: key('x'.repeat(65_536)) }],
    [
      'many fields',
      {
        transportMayRefuse: true,
        apply: adding(
          ...Array.from({ length: 200 }, (_, at) => ({ name: `x-zz${at}`, value: 'x'.repeat(20) })),
        ),
      },
    ],
    ['a long query', { transportMayRefuse: true, apply: withQuery(`zz=${'a'.repeat(2_000)}`) }],
    ['hop by hop', { transportMayRefuse: true, apply: field('Connection', 'x-version') }],
  ])('what does not go where nothing is: %s', (_, bent) => {
    expect(brokenByBent(bent)).toEqual([expect.stringContaining('goes to an unknown path and alone')])
  })

  it.each(['keep-alive, close', 'upgrade', 'x-other'])('connection: %s', (value) => {
    expect(brokenByBent({ ...nowhere, apply: inTurn(raw, field('connection', value)) })).toEqual([
      expect.stringContaining('names no field in connection'),
    ])
  })

  it.each([
    ['in the query', withQuery(`s=${secretKey.reveal()}`)],
    ['percent-encoded in the query', withQuery(`s=${secretKey.reveal().replaceAll('e', '%65')}`)],
    ['in base64 in the query', withQuery(`s=${btoa(secretKey.reveal())}`)],
    ['in the path', to(`/api/${apiKey.reveal()}`)],
    ['in a cookie', field('cookie', `k=${apiKey.reveal()}`)],
    ['in authorization', field('authorization', `Basic ${btoa(apiKey.reveal())}`)],
  ])('a credential %s', (_, apply) => {
    expect(brokenByBent({ apply })).toEqual([expect.stringContaining('out of the URL, of cookies')])
  })

  it.each([
    ['in x-token', { name: 'x-token', value: secretKey }],
    ['in x-version', { name: 'x-version', value: secretKey }],
    ['with more in x-api-key', { name: 'x-api-key', value: `${secretKey.reveal()}0` }],
    ["another client's in x-token", { name: 'x-token', value: clientsOf(context)[1]?.secretKey ?? '' }],
  ])('a secret %s', (_, one) => {
    expect(brokenByBent({ apply: adding(one) })).toEqual([expect.stringContaining('keeps a valid secret')])
  })

  it.each([
    ['none', without('user-agent')],
    ["somebody else's", setting('user-agent', 'Mozilla/5.0')],
    ['two', field('user-agent', 'card-switch-conformance/1')],
  ])('the user-agent: %s', (_, apply) => {
    expect(brokenByBent({ apply })).toEqual([expect.stringContaining('names the suite')])
  })

  it.each([
    ['a value', key('x'.repeat(6_000))],
    ['a query', withQuery(`zz=${'a'.repeat(2_000)}`)],
  ])('%s that is too long to be judged without an excuse', (_, apply) => {
    expect(brokenByBent({ apply, toUnknownPath: true })).toEqual([expect.stringContaining('is small')])
  })

  it.each([
    ['in a parameter', withQuery(`a=${percentEncoded("'; drop table cards")}`)],
    ['in a parameter, encoded twice', withQuery(`a=${percentEncoded(percentEncoded('a; ls -la'))}`)],
    ['in a value', key('$(id)')],
    ['over two lines of a value', inTurn(raw, to('/api/zzabcdefghijklmn'), key('ev\r\n al(1)'))],
  ])('a payload %s', (_, apply) => {
    expect(brokenByBent({ ...nowhere, apply })).toEqual([expect.stringContaining('holds no payload')])
  })
})

describe('a payload is known', () => {
  it.each([
    "'; DROP TABLE cards; --",
    'delete from cards',
    "' or update cards set a=1",
    "1'; waitfor delay '0:0:5",
    "' or sleep(5) or '",
    'benchmark(1000000,md5(1))',
    'exec xp_cmdshell',
    "admin'--",
    'a; ls -la',
    'a | cat /dev/null',
    '`id`',
    '$(id)',
    '${jndi:ldap://conformance.invalid/a}',
    '${env:HOME}',
    'eval(1)',
    "system('a')",
    '<script>alert(1)</script>',
    '<b onclick=1>',
    '<!ENTITY a SYSTEM "b">',
    '../../../../etc/passwd',
    '../../config',
    'http://example.com/',
    '//example.org/a',
    'attacker.net',
    'http://169.254.169.254/latest',
    '127.0.0.2',
    '192.0.3.17',
    '__proto__[a]',
    '_method=DELETE',
  ])('%s, as it is, encoded once and twice', (payload) => {
    for (const text of [
      payload,
      encodeURIComponent(payload),
      encodeURIComponent(encodeURIComponent(payload)),
    ]) {
      expect(payloadIn(text)).not.toBeNull()
    }
  })

  it.each([
    "' or '1'='1",
    '{"$ne":null}',
    '*)(objectClass=*',
    '{{7*7}}',
    '${7*7}',
    '../../../dev/null',
    '1%0d%0a1',
    '<b>1</b>',
    'application/json;q=0',
    'https://conformance.invalid',
    'for=127.0.0.1',
    '192.0.2.17',
    'a`b',
    '__proto__',
    'bytes=0-0',
    'updated',
  ])('and a probe is none: %s', (probe) => {
    expect(payloadIn(probe)).toBeNull()
  })
})
