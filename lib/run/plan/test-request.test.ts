import { describe, expect, it } from 'vitest'
import { caseClass, judged } from '../../fuzz/case-class.ts'
import { setting } from '../../fuzz/request-changes.ts'
import { succeeds } from '../../judge/judge.ts'
import { answer, credentials, exchange, served } from '../../judge/testing/exchanges.ts'
import { Secret } from '../../redact/secret.ts'
import { temporaryFolder } from '../../settings/testing/read.ts'
import { type ClientName, clientNames } from '../../specification/client-rows.ts'
import { requiredFields } from '../../specification/endpoints.ts'
import { ruleOf } from '../../specification/rules.ts'
import { contextOf, listEndpoint } from '../testing/contexts.ts'
import { type SuiteRule, type Untestable, example } from './cases.ts'
import { type CasesOf, type OwnRule, area, fuzzed, onEachEndpoint, onEveryAnswer, rule } from './rule.ts'
import { type SuiteContext, oncePerEndpoint, oncePerRun } from './suite-context.ts'
import { type TestRequest, plainRequest, userAgent } from './test-request.ts'

const second = { apiKey: new Secret('SECOND_KEY', 'k2'), secretKey: new Secret('SECOND_SECRET', 's2') }
const agent = userAgent('1.2.3')
const plainOf = (more: Partial<typeof listEndpoint>, client: ClientName = 'target'): TestRequest => {
  return plainRequest({ ...listEndpoint, ...more }, credentials, { client, agent })
}
const plain = plainOf({})

describe('a plain valid request', () => {
  it('matches the specification and names the suite', () => {
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

  it('carries the body and the query that the endpoint needs', () => {
    const posted = plainOf({ method: 'POST', body: '{"limit":1}', query: 'page=1' })

    expect(posted.request.target).toBe('/api/customizations/list?page=1')
    expect(posted.request.fields.at(-1)).toEqual({ name: 'content-type', value: 'application/json' })
    expect(posted.without('x-api-key').as('second', second).request.body).toBe('{"limit":1}')
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
    ['leaves no other fields out', (one) => one.without('unknown'), `${required} accept user-agent`],
    ['replaces a value in its place', (one) => one.with('X-VERSION', '2'), `${required} accept user-agent`],
    ['puts a value at the end', (one) => one.with('Cookie', 'a=b'), `${required} accept user-agent Cookie`],
    ['renames fields', (one) => one.named(shout), shout(`${required} accept user-agent`)],
    ['orders fields', (one) => one.ordered(order), `${reversed} accept user-agent`],
    ['orders renamed ones', (one) => one.named(shout).ordered(order), shout(`${reversed} accept user-agent`)],
  ])('%s, and the request is no longer plain', (_, change, expected) => {
    const changed = change(plain)

    expect(changed.request.fields.map(({ name }) => name).join(' ')).toBe(expected)
    expect([changed.traits.plain, plain.traits.plain, plain.request.fields.length]).toEqual([false, true, 5])
  })

  it('sets values, and keeps the values of renamed fields', () => {
    const values = ({ request }: TestRequest) => request.fields.map(({ value }) => value)

    expect(values(plain.with('X-VERSION', '2'))[2]).toBe('2')
    expect(values(plain.with('Cookie', 'a=b')).at(-1)).toBe('a=b')
    expect(values(plain.named(shout))).toEqual(values(plain))
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

  it("takes another client's credentials, and then counts against that client", () => {
    const other = plain.as('second', second)

    expect(other.request.fields.slice(0, 2).map(({ value }) => value)).toEqual([
      second.apiKey,
      second.secretKey,
    ])
    expect(other.traits).toMatchObject({ client: 'second', plain: true })
    expect(plain.as('exhausted', second).traits).toMatchObject({ client: 'exhausted', plain: false })
    expect(plain.without('x-version').as('second', second).traits.plain).toBe(false)
  })

  it('of traits alone keeps the request plain', () => {
    expect(plain.trait({ asksForQuota: true }).traits).toEqual({ ...plain.traits, asksForQuota: true })
    expect(plain.trait({ asksForQuota: true }).request).toBe(plain.request)
  })
})

const cards = { method: 'GET', path: '/api/cards/all', versions: [1] }
const cwd = temporaryFolder({ 'endpoints.json': JSON.stringify([cards]) })
const own: OwnRule = { id: 'acme/own', level: 'documented', section: 'ours', says: 'a rule of the user' }

const contextWith = (replayed?: string, env: Readonly<Record<string, string>> = {}): Promise<SuiteContext> =>
  contextOf(
    { TARGET_ENDPOINTS: 'endpoints.json', ...env },
    { cwd, ...(replayed === undefined ? {} : { replayed }) },
  )
const context = await contextWith()

const both: CasesOf = onEachEndpoint(({ request }) => [
  example('plain', request, succeeds()),
  example('other', request.with('x-more', '1'), succeeds()),
])

/** The names of the cases that a rule makes, or why it has none. */
function madeBy(casesOf: CasesOf, of: SuiteContext): readonly string[] | Untestable {
  const work = rule(own, casesOf).work(of)
  if ('untested' in work) return work
  return [...(work.kind === 'cases' ? work.cases : work.cases())].map(({ name }) => name)
}

it("a rule takes its entry from the catalogue, and a user's rule contains its entry", () => {
  const { id, ...entry } = own
  const ofCatalogue = { id: 'quota/exhausted', entry: ruleOf('quota/exhausted') }

  expect(rule('quota/exhausted', () => [])).toMatchObject(ofCatalogue)
  expect(rule(own, () => [])).toMatchObject({ id, entry: { ...entry, phase: 'together' } })
  expect(fuzzed({ ...own, phase: 'last' }, () => [])).toMatchObject({
    id,
    entry: { ...entry, phase: 'last' },
  })
  expect(area('Ours', [])).toEqual({ title: 'Ours', rules: [] })
})

const ofCards = ['plain@GET-/api/cards/all', 'other@GET-/api/cards/all'] as const

it.each<[string, CasesOf, string | undefined, readonly string[] | Untestable]>([
  ['has cases for every endpoint, named after the endpoint', both, undefined, ['plain', 'other', ...ofCards]],
  ['gives a reason for no cases', () => ({ untested: 'no client' }), undefined, { untested: 'no client' }],
  ['has only the replayed case', both, ofCards[1], [ofCards[1]]],
  ['has no case by another name', both, 'another', { untested: 'no case is called another' }],
  // A rule that sums up the whole run has no cases but is still judged.
  ['without cases has none in a replay', () => [], 'another', []],
])('a rule %s', async (_, casesOf, replayed, made) => {
  expect(madeBy(casesOf, await contextWith(replayed))).toEqual(made)
})

describe('a rule with generated cases', () => {
  const made = caseClass('own', { weight: 1 }, [judged('a field more', setting('x-more', '1'))])

  it('draws them from its classes', () => {
    const work = fuzzed(own, () => [made]).work(context)

    expect(
      'cases' in work && Array.from(work.kind === 'generated' ? work.cases() : [], ({ name }) => name)[0],
    ).toBe('own.0')
  })

  it.each([
    ['a missing list', undefined, 'undefined'],
    ['a class outside a list', made, 'an object'],
    ['a list with an empty place', [made, null], 'null'],
    ['a list with a string', [made, 'own'], 'a text'],
    ['a list with an object that draws nothing', [made, { name: 'own' }], 'an object'],
  ])('refuses %s', (_, given, told) => {
    // Values from JavaScript have no types.
    const unfit: SuiteRule = Reflect.apply(fuzzed, null, [own, () => given])

    expect(() => unfit.work(context)).toThrow(`a list of classes, made with caseClass(), instead of ${told}`)
  })
})

describe('a rule for every answer', () => {
  const id = 'conventions/json-response'
  const casesIn = async (only: string) => {
    const work = onEveryAnswer(id).work(await contextWith(undefined, { RUN_ONLY: only }))
    return !('untested' in work) && work.kind === 'cases' ? work.cases : []
  }
  const wrongCredentials = [
    'api-key-absent',
    'secret-key-absent',
    'version-absent',
    'api-key-wrong',
    'secret-key-wrong',
  ]
  const eachFlaw = ['valid', ...wrongCredentials, 'version-unsupported', 'endpoint-unknown']

  it.each([
    ['sends nothing in a whole run', '', []],
    ['sends nothing if another rule does', `${id},authentication/api-key-missing`, []],
    ['sends a plain request and one with each flaw if it runs alone', id, eachFlaw],
    ['sends the same requests together with rules of its kind', `${id},errors/body-shape`, eachFlaw],
  ])('%s', async (_, only, names) => {
    expect((await casesIn(only)).map(({ name }) => name)).toEqual(names)
  })

  it('judges each answer by itself', async () => {
    const [first] = await casesIn(id)
    const judge = first?.kind === 'example' ? first.check.judge : () => null

    expect(judge(exchange(served))).toMatchObject({ kind: 'holds' })
    expect(judge(exchange(answer(400, '<html>')))).toMatchObject({ kind: 'violates' })
  })
})

it('a request to an unknown endpoint may have a path below it', () => {
  expect(context.unknownEndpoint('one', '/list').request.target).toMatch(/^\/api\/zz[a-z]{14}\/list$/)
})

describe('a value that rules share', () => {
  it('is made once for each run or each of its endpoints', async () => {
    let made = 0
    const ofRun = oncePerRun(() => (made += 1))
    const ofEndpoint = oncePerEndpoint(({ label }) => `${label} ${(made += 1)}`)
    const other = await contextWith()

    expect([ofRun(context), ofRun(context), ofRun(other), ofRun(other)]).toEqual([1, 1, 2, 2])
    const first = context.endpoints.map((one) => ofEndpoint(one, context))
    expect(first).toEqual(['GET /api/customizations/list 3', 'GET /api/cards/all 4'])
    expect(context.endpoints.map((one) => ofEndpoint(one, context))).toEqual(first)
    expect(ofEndpoint({ ...context.list, label: 'another' }, context)).toBe('another 5')
  })
})
