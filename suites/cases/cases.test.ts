import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { Exchange } from '../../lib/http/exchange.ts'
import { fieldsOf } from '../../lib/http/request.ts'
import { allowed, certainFlaws, factsOf } from '../../lib/judge/facts.ts'
import { flawedRequests, suiteContext, type SuiteContext } from '../../lib/run/plan/suite-context.ts'
import type { TestRequest } from '../../lib/run/plan/test-request.ts'
import { read, settingsOf, target, temporaryFolder } from '../../lib/settings/testing/read.ts'
import type { Facts } from '../../lib/specification/flaws.ts'
import { combinations } from './combinations.ts'
import { invalidKeys, invalidSecrets, letterCaseObservations } from './credentials.ts'
import { handedOut } from './left-behind.ts'
import { sideDoors } from './side-doors.ts'

const second = fixture('SECOND')
const refusedClients = { ...fixture('NO_CUSTOMER'), ...fixture('INACTIVE'), ...fixture('UNAUTHORIZED') }
const flawedClients = { ...refusedClients, FIXTURE_INVALID_QUERY: 'limit=abc' }

function fixture(client: string): Readonly<Record<string, string>> {
  const [key, secret] = [`key-of-${client}-Zx81`, `sec-of-${client}-Qw37`]
  return { [`FIXTURE_${client}_API_KEY`]: key, [`FIXTURE_${client}_SECRET_KEY`]: secret }
}

async function contextOf(env: Readonly<Record<string, string>> = {}): Promise<SuiteContext> {
  return suiteContext(settingsOf(await read({ ...target, ...env })), 'card-switch-conformance/test')
}

/** A context with an endpoints file: another GET, a POST that may not be sent, and a POST that may. */
async function withEndpoints(env: Readonly<Record<string, string>> = {}): Promise<SuiteContext> {
  const folder = temporaryFolder()
  const entries = [
    { method: 'GET', path: '/api/cards/all', versions: [1, 2], invalidQuery: 'page=x' },
    { method: 'POST', path: '/api/cards', versions: [1] },
    { method: 'POST', path: '/api/cards/search', versions: [1], fuzz: true },
  ]
  writeFileSync(join(folder, 'endpoints.json'), JSON.stringify(entries))
  return contextOf({ ...env, TARGET_ENDPOINTS: join(folder, 'endpoints.json') })
}

function factsIn(context: SuiteContext, { request }: TestRequest): Facts {
  return factsOf(request, context.model)
}

function codesFor(context: SuiteContext, request: TestRequest): readonly (string | null)[] {
  return context.documented(request).map(({ errorCode }) => errorCode)
}

function names(cases: readonly { readonly name: string }[]): readonly string[] {
  return cases.map(({ name }) => name)
}

function expectUnique(cases: readonly { readonly name: string }[]): void {
  expect(new Set(names(cases)).size).toBe(cases.length)
}

describe('the combinations', () => {
  it.each(['gate', 'acceptance'])(
    'never allow a success with a flaw in %s, even on an unknown endpoint',
    async (RUN_PROFILE) => {
      const context = await contextOf({ RUN_PROFILE })
      const cases = combinations(context)
      expectUnique(cases)
      for (const { name, request } of cases) {
        // A blank version may count as the default one.
        const mayHold = /^key-valid-secret-valid-version-(?:valid|blank)$/.test(name)
        expect(codesFor(context, request).includes(null), name).toBe(mayHold)
      }
    },
  )

  it('are also all 64 on an unknown endpoint, except in a gate', async () => {
    const onUnknown = async (RUN_PROFILE: string): Promise<readonly string[]> =>
      names(combinations(await contextOf({ RUN_PROFILE }))).filter((name) =>
        name.endsWith('-unknown-endpoint'),
      )
    const inGate = await onUnknown('gate')

    expect(await onUnknown('acceptance')).toHaveLength(64)
    expect(inGate).toEqual([
      'key-valid-secret-wrong-version-valid-unknown-endpoint',
      'key-absent-secret-absent-version-valid-unknown-endpoint',
    ])
    expect(await onUnknown('acceptance')).toEqual(expect.arrayContaining([...inGate]))
  })
})

describe('wrong credentials', () => {
  it.each([{}, second])('are the only flaw of their requests (%#)', async (env) => {
    const context = await contextOf({ ...env, RUN_PROFILE: 'acceptance' })
    const [keys, secrets] = [invalidKeys(context), invalidSecrets(context)]
    expectUnique(keys)
    expectUnique(secrets)
    for (const { name, request } of keys) expect(codesFor(context, request), name).toEqual(['1006'])
    for (const { name, request, isAnotherClients } of secrets) {
      expect(codesFor(context, request), name).toEqual(isAnotherClients ? ['1007', '1012'] : ['1007'])
    }
    const ofKeys = ['invented', 'first-changed', 'extended', 'secret-in-its-place']
    expect(names(keys)).toEqual(expect.arrayContaining(ofKeys))
    const ofSecrets = ['invented', 'last-dropped', 'half', 'key-in-its-place']
    expect(names(secrets)).toEqual(expect.arrayContaining(ofSecrets))
  })

  it('include the credentials of a second client, in both directions', async () => {
    const others = invalidSecrets(await contextOf(second)).filter(({ isAnotherClients }) => isAnotherClients)

    expect(names(others)).toEqual(['of-the-second-client', 'of-the-target-client-for-the-second'])
    expect(others.map(({ request }) => request.traits.client)).toEqual(['target', 'second'])
    const ofSecond = async (RUN_PROFILE: string): Promise<readonly string[]> =>
      names(invalidKeys(await contextOf({ ...second, RUN_PROFILE }))).filter((name) =>
        name.startsWith('second-client-'),
      )
    expect(await ofSecond('gate')).toHaveLength(2)
    expect(await ofSecond('acceptance')).toHaveLength(4)
    expect(names(invalidKeys(await contextOf())).filter((name) => name.startsWith('second-client-'))).toEqual(
      [],
    )
  })

  it('never include a valid credential', async () => {
    const neighbour = target.TARGET_API_KEY.slice(0, -1)
    const context = await contextOf({ ...second, FIXTURE_SECOND_API_KEY: neighbour })

    expect(names(invalidKeys(await contextOf(second)))).toContain('last-dropped')
    expect(names(invalidKeys(context))).not.toContain('last-dropped')
  })

  it('change every position in acceptance, and three in a gate', async () => {
    const changed = async (RUN_PROFILE: string): Promise<number> =>
      names(invalidKeys(await contextOf({ RUN_PROFILE }))).filter((name) => name.endsWith('-changed')).length

    expect(await changed('gate')).toBe(3)
    expect(await changed('acceptance')).toBe(target.TARGET_API_KEY.length)
  })

  it('in another letter case are judged, but only observed if they are hexadecimal', async () => {
    const hexadecimal = { TARGET_API_KEY: 'deadbeef-0123-4567-89ab-cdef01234567' }

    expect(letterCaseObservations(await contextOf(), 'x-api-key')).toEqual([])
    expect(names(invalidKeys(await contextOf()))).toContain('letter-case')
    expect(
      letterCaseObservations(await contextOf(hexadecimal), 'x-api-key').map(({ requests }) => requests),
    ).toEqual([1])
    expect(names(invalidKeys(await contextOf(hexadecimal)))).not.toContain('letter-case')
  })
})

describe('requests with one flaw each', () => {
  it('demand exactly the answers that the oracle allows', async () => {
    const context = await contextOf({ ...second, ...flawedClients })
    const flawed = flawedRequests(context, context.list)
    expectUnique(flawed)
    for (const { name, request, check } of flawed) {
      expect(allowed(factsIn(context, request)), name).toEqual(check.allowed)
      expect(check.allowed, name).toHaveLength(1)
    }
    expect(new Set(flawed.flatMap(({ check }) => check.allowed.map(({ errorCode }) => errorCode)))).toEqual(
      new Set(['1001', '1002', '1003', '1006', '1007', '1010', '1011', '1012', '1013', '1030']),
    )
  })

  it('are fewer if the settings name fewer clients', async () => {
    const context = await contextOf()

    expect(names(flawedRequests(context, context.list))).not.toContain('input-invalid')
    expect(names(flawedRequests(context, context.list)).filter((name) => name.startsWith('client-'))).toEqual(
      [],
    )
  })
})

describe('side doors', () => {
  it('are each tried without valid credentials', async () => {
    const context = await withEndpoints({ ...second, RUN_PROFILE: 'acceptance' })
    const doors = sideDoors(context)
    expectUnique(doors)
    for (const { name, request } of doors) {
      expect(certainFlaws(factsIn(context, request)), name).not.toEqual([])
      expect(request.traits.plain).toBe(false)
    }
  })

  it('cover the rule, without credentials and with wrong credentials', async () => {
    const triedIn = async (RUN_PROFILE: string): Promise<readonly string[]> =>
      sideDoors(await contextOf({ RUN_PROFILE })).map(({ request: { request } }) =>
        [
          request.method,
          request.target,
          ...request.fields
            .filter(({ name }) => !name.startsWith('x-') || name === 'x-forwarded-for')
            .map(({ name }) => name),
        ].join(' '),
      )
    const [tried, inGate] = [await triedIn('acceptance'), await triedIn('gate')]

    for (const wanted of [
      'GET /api/customizations/list/ accept user-agent',
      'GET /api/customizations/LIST accept user-agent',
      'GET /api/customizations//list accept user-agent',
      'GET /api/customizations/list accept user-agent x-forwarded-for',
      'GET /api/customizations/list accept user-agent cookie',
      'GET /api/customizations/list accept user-agent authorization',
      'GET /api/customizations/list?view=all accept user-agent',
    ]) {
      expect(tried.filter((one) => one === wanted).length, wanted).toBe(3)
      // In a gate, generated requests carry an authorization field, and one request carries all fields at once.
      const times = /user-agent ./.test(wanted) || wanted.includes('view=all') ? 0 : 1
      expect(inGate.filter((one) => one === wanted).length, wanted).toBe(times)
    }
    expect(inGate).toContain('GET /api/customizations/list?view=all accept user-agent x-forwarded-for cookie')
  })

  it('use GET only, with no valid secret in a URL or cookie', async () => {
    const context = await withEndpoints({ RUN_PROFILE: 'acceptance' })
    for (const { request } of sideDoors(context)) {
      const { method, target: path, fields } = request.request
      expect(method).toBe('GET')
      const others = fields.filter(({ name }) => name !== 'x-secret-key').map(({ value }) => String(value))
      expect([path, ...others].join(' ')).not.toContain(target.TARGET_SECRET_KEY)
    }
  })

  it.each<[door: string, traits: readonly [observed: boolean, mayRedirect: boolean]]>([
    ['cookie', [true, false]],
    ['authorization', [true, false]],
    ['x-forwarded-for', [true, false]],
    ['trailing-slash', [false, true]],
    ['doubled-slash', [true, true]],
  ])('are only observed, or may be redirected, as expected: %s', async (door, expected) => {
    const found = sideDoors(await contextOf({ RUN_PROFILE: 'acceptance' }))
      .filter(({ name }) => name.startsWith(door))
      .map(({ request: { traits } }) => [traits.observed, traits.mayRedirect])

    expect(found.slice(0, 2)).toEqual([expected, expected])
  })
})

const { list, target: client } = suiteContext(settingsOf(await read(target)), 'card-switch-conformance/test')
const token = '0f9a6c1e-44d2-4b7e'

/** A success with these fields. */
function success(...fields: Exchange['response']['fields']): Exchange {
  const body = { kind: 'json', value: {} } as const
  const response = { status: 200, reason: 'OK', fields, text: '{}', body, trailers: [] }
  return { request: list.request.request, response, durationMs: 1, reused: false }
}

function returnedTo(exchange: Exchange): readonly TestRequest[] {
  return handedOut(exchange, client).map(({ back }) => back(list.request))
}

function valuesIn(requests: readonly TestRequest[], name: string): readonly string[] {
  return requests.flatMap(({ request }) => fieldsOf(request, name))
}

it('the suite sends cookies back together, without attributes or deleted cookies', () => {
  const cookies = ['session=8f3a; Path=/; HttpOnly', 'lb=node-2; Max-Age=60', 'empty=; Max-Age=0'] as const
  const requests = returnedTo(success(...cookies.map((value) => ['Set-Cookie', value] as const)))

  expect(valuesIn(requests, 'cookie')).toEqual(['session=8f3a; lb=node-2'])
})

it('the suite sends an entity tag back as a condition', () => {
  const exchange = success(['ETag', 'W/"33a"'])

  expect(valuesIn(returnedTo(exchange), 'if-none-match')).toEqual(['W/"33a"'])
  expect(handedOut(exchange, client).map(({ field }) => field)).toEqual(['if-none-match'])
  expect(handedOut(success(), client)).toEqual([])
})

it('the suite sends a token back under its own name and as a bearer', () => {
  const requests = returnedTo(success(['X-Auth-Token', token]))

  expect(valuesIn(requests, 'x-auth-token')).toEqual([token])
  expect(valuesIn(requests, 'authorization')).toEqual([`Bearer ${token}`])
})

it.for([
  ['x-author', token],
  ['x-auth-cache', 'hit'],
  ['www-authenticate', 'Basic realm="staging"'],
  ['x-session-expires', 'Fri, 20 Nov 2026 02:00:00 GMT'],
  ['x-auth-token', client.secretKey.reveal()],
  ['etag', `"${client.apiKey.reveal()}"`],
] as const)('the suite does not send %s back: %s', ([name, value]) => {
  expect(returnedTo(success([name, value]))).toEqual([])
})

it('the suite never prints a value that was handed out', () => {
  const requests = returnedTo(success(['set-cookie', `session=${token}`], ['x-auth-token', token]))

  expect(requests).toHaveLength(3)
  expect(`${JSON.stringify(requests)} ${inspect(requests, { depth: null })}`).not.toContain(token)
})
