import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { type Exchange, fieldsOf } from '../../lib/http/exchange.ts'
import { allowed, factsOf } from '../../lib/judge/facts.ts'
import { answer, exchange } from '../../lib/judge/testing/exchanges.ts'
import { flawedRequests } from '../../lib/run/plan/cases.ts'
import type { SuiteContext, TestRequest } from '../../lib/run/plan/suite-context.ts'
import { contextOf, fixtures } from '../../lib/run/testing/contexts.ts'
import { target, temporaryFolder } from '../../lib/settings/testing/read.ts'
import { combinations } from './combinations.ts'
import { invalidKeys, invalidSecrets, letterCaseObservations } from './credentials.ts'
import { handedOut } from './left-behind.ts'
import { sideDoors } from './side-doors.ts'

type Env = Readonly<Record<string, string>>
type Named = Readonly<{ name: string; request: TestRequest }>

const second = fixtures('SECOND')
const refusedClients = fixtures('NO_CUSTOMER', 'INACTIVE', 'UNAUTHORIZED')
const everyClient = { ...second, ...refusedClients, FIXTURE_INVALID_QUERY: 'limit=abc' }
const acceptance = { RUN_PROFILE: 'acceptance' }

// Another GET, a POST that may not be sent, and a POST that may.
const endpoints = [
  { method: 'GET', path: '/api/cards/all', versions: [1, 2], invalidQuery: 'page=x' },
  { method: 'POST', path: '/api/cards', versions: [1] },
  { method: 'POST', path: '/api/cards/search', versions: [1], fuzz: true },
]
const cwd = temporaryFolder({ 'endpoints.json': JSON.stringify(endpoints) })
const withEndpoints = { TARGET_ENDPOINTS: 'endpoints.json' }

const namesOf = (cases: readonly Pick<Named, 'name'>[]): readonly string[] => cases.map(({ name }) => name)
/** The names of the cases that are made with these settings and match an expression. */
const names = async (of: (context: SuiteContext) => readonly Pick<Named, 'name'>[], env: Env, like = /^/) =>
  of(await contextOf(env, { cwd })).flatMap(({ name }) => (like.test(name) ? [name] : []))

it.each<Env>([{}, everyClient, { ...acceptance, ...everyClient }, { ...acceptance, ...withEndpoints }])(
  'listed cases have unique names, and must be answered as their flaws demand: %o',
  async (env) => {
    const context = await contextOf(env, { cwd })
    const codesOf = ({ request }: Named) => context.documented(request).map(({ errorCode }) => errorCode)
    const expectAll = <One extends Named>(cases: readonly One[], isRight: (one: One) => boolean): void => {
      expect(new Set(namesOf(cases)).size).toBe(cases.length)
      expect(namesOf(cases.filter((one) => !isRight(one)))).toEqual([])
    }
    const flawed = flawedRequests(context, context.list)
    // A blank version may count as the default one.
    const mayHold = /^key-valid-secret-valid-version-(?:valid|blank)(?:$|@)/
    const ofSecret = (isAnotherClients: boolean): string => (isAnotherClients ? '1007,1012' : '1007')

    expectAll(combinations(context), (one) => codesOf(one).includes(null) === mayHold.test(one.name))
    expectAll(invalidKeys(context), (one) => codesOf(one).join() === '1006')
    expectAll(invalidSecrets(context), (one) => codesOf(one).join() === ofSecret(one.isAnotherClients))
    expectAll(flawed, (one) => codesOf(one).length === 1)
    expectAll(sideDoors(context), (one) => !codesOf(one).includes(null) && !one.request.traits.plain)
    for (const { request, check } of flawed)
      expect(check.allowed).toEqual(allowed(factsOf(request.request, context.model)))
  },
)

describe('the listed cases', () => {
  it('include the secrets of a second client, in both directions', async () => {
    const others = invalidSecrets(await contextOf(second)).filter(({ isAnotherClients }) => isAnotherClients)

    expect(others.map(({ request }) => request.traits.client)).toEqual(['target', 'second'])
    expect(await names(invalidKeys, {}, /^second-client-/)).toEqual([])
  })

  it('never include a valid credential', async () => {
    const neighbour = { ...second, FIXTURE_SECOND_API_KEY: target.TARGET_API_KEY.slice(0, -1) }

    expect(await names(invalidKeys, second)).toContain('last-dropped')
    expect(await names(invalidKeys, neighbour)).not.toContain('last-dropped')
  })

  it.each([
    [{}, 1, 0],
    [{ TARGET_API_KEY: 'deadbeef-0123-4567-89ab-cdef01234567' }, 0, 1],
  ])('judge another letter case of a key unless it is hexadecimal: %o', async (env, judged, observed) => {
    expect(await names(invalidKeys, env, /^letter-case$/)).toHaveLength(judged)
    expect(letterCaseObservations(await contextOf(env), 'x-api-key')).toHaveLength(observed)
  })

  it.each([
    [everyClient, '1001 1002 1003 1006 1007 1010 1011 1012 1013 1030'],
    [{}, '1001 1002 1003 1006 1007 1010'],
  ])('have one flaw of each kind that the settings allow: %o', async (env, expected) => {
    const context = await contextOf(env)
    const codes = flawedRequests(context, context.list).flatMap(({ check }) => check.allowed)

    expect(new Set(codes.map(({ errorCode }) => errorCode))).toEqual(new Set(expected.split(' ')))
  })
})

it('side doors cover the rule, without credentials and with wrong credentials', async () => {
  /** The method, the end of the target, and the fields that are no credentials. */
  const told = ({ request: { request } }: Named): string => {
    const others = request.fields.filter(({ name }) => !name.startsWith('x-') || name === 'x-forwarded-for')
    const path = request.target.replace('/api/customizations', '')
    return [request.method, path, ...others.map(({ name }) => name)].join(' ')
  }
  const tried = sideDoors(await contextOf(acceptance)).map(told)
  const inGate = sideDoors(await contextOf()).map(told)
  const countIn = (all: readonly string[], end: string) => all.filter((one) => one === `GET ${end}`).length

  const paths = ['/list/', '/LIST', '//list'].map((path) => `${path} accept user-agent`)
  const carried = ['x-forwarded-for', 'cookie', 'authorization']
  const fields = carried.map((name) => `/list accept user-agent ${name}`)
  // In a gate, generated requests carry an authorization field, and one request carries all fields at once.
  for (const one of [...paths, ...fields, '/list?view=all accept user-agent'])
    expect([one, countIn(tried, one), countIn(inGate, one)]).toEqual([one, 3, paths.includes(one) ? 1 : 0])
  expect(inGate).toContain('GET /list?view=all accept user-agent x-forwarded-for cookie')
})

it.each<[door: string, traits: readonly [observed: boolean, mayRedirect: boolean]]>([
  ['cookie', [true, false]],
  ['authorization', [true, false]],
  ['x-forwarded-for', [true, false]],
  ['trailing-slash', [false, true]],
  ['doubled-slash', [true, true]],
])('side doors are only observed, or may be redirected, as expected: %s', async (door, expected) => {
  const found = sideDoors(await contextOf(acceptance))
    .filter(({ name }) => name.startsWith(door))
    .map(({ request: { traits } }) => [traits.observed === true, traits.mayRedirect === true])

  expect(found.slice(0, 2)).toEqual([expected, expected])
})

const { list, target: client } = await contextOf()
const token = '0f9a6c1e-44d2-4b7e'
const authorization = `Bearer ${token}`

/** What is sent back after a success with these fields: the field of each, and the request. */
function returned(...fields: Exchange['response']['fields']) {
  const out = handedOut(exchange(answer(200, {}, { fields }), list.request.request), client)
  return out.map(({ field, back }) => [field, back(list.request)] as const)
}
const cookies = ['session=8f3a; Path=/; HttpOnly', 'lb=node-2; Max-Age=60', 'empty=; Max-Age=0']
const [api, secret] = [client.apiKey.reveal(), client.secretKey.reveal()]

it.for<readonly [what: string, name: string, values: readonly string[], back: object]>([
  ['cookies back, but no attributes', 'Set-Cookie', cookies, { cookie: 'session=8f3a; lb=node-2' }],
  ['an entity tag back as a condition', 'ETag', ['W/"33a"'], { 'if-none-match': 'W/"33a"' }],
  ['a token back, also as a bearer', 'X-Auth-Token', [token], { 'x-auth-token': token, authorization }],
  ['no author back', 'x-author', [token], {}],
  ['no cache status back', 'x-auth-cache', ['hit'], {}],
  ['no challenge back', 'www-authenticate', ['Basic realm="staging"'], {}],
  ['no time of expiry back', 'x-session-expires', ['Fri, 20 Nov 2026 02:00:00 GMT'], {}],
  ['no credential of its own back', 'x-auth-token', [secret], {}],
  ['no credential of its own back as a tag', 'etag', [`"${api}"`], {}],
])('the suite sends %s', ([, name, values, back]) => {
  const out = returned(...values.map((value) => [name, value] as const))
  const sent = out.map(([field, { request }]) => [field, fieldsOf(request, field).join()])

  expect(Object.fromEntries(sent)).toEqual(back)
})

it('the suite never prints a value that was handed out', () => {
  const requests = returned(['set-cookie', `session=${token}`], ['x-auth-token', token])

  expect(requests).toHaveLength(3)
  expect(`${JSON.stringify(requests)} ${inspect(requests, { depth: null })}`).not.toContain(token)
})
