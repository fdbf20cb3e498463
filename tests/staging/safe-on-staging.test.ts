import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { caseClass, judged, type CaseClass, type MutatedRequest } from '../../lib/fuzz/case-class.ts'
import { caseClasses } from '../../lib/fuzz/case-classes.ts'
import {
  adding,
  inHttp10,
  inTurn,
  raw,
  setting,
  to,
  unchanged,
  withQuery,
  without,
  type RequestChange,
} from '../../lib/fuzz/request-changes.ts'
import { fieldsOf } from '../../lib/http/exchange.ts'
import type { Credentials } from '../../lib/redact/secret.ts'
import { type Example, flawedRequests } from '../../lib/run/plan/cases.ts'
import { generatorInputOf, propertyOf } from '../../lib/run/plan/fuzz.ts'
import { suiteContext } from '../../lib/run/plan/suite-context.ts'
import type { JudgedEndpoint, SuiteContext, TestRequest } from '../../lib/run/plan/suite-context.ts'
import { read, settingsOf, target, temporaryFolder } from '../../lib/settings/testing/read.ts'
import { requiredFields } from '../../lib/specification/endpoints.ts'
import { combinations } from '../../suites/cases/combinations.ts'
import { invalidKeys, invalidSecrets } from '../../suites/cases/credentials.ts'
import { askedAsOthers, sideDoors } from '../../suites/cases/side-doors.ts'
import { against, expectConformant } from '../support/program-test.ts'
import { brokenBy, payloadIn } from './promises.ts'

/** An endpoints file with another path to request, and one that must not be requested. */
const endpoints = [
  { method: 'GET', path: '/api/cards/%C3%A9tages/x', versions: [7], query: { required: ['q'] } },
  { method: 'POST', path: '/api/cards', versions: [1] },
]
const folder = temporaryFolder({ 'endpoints.json': JSON.stringify(endpoints) })

const opaque = {
  TARGET_QUERY: 'page=1&to=3',
  FIXTURE_SECOND_API_KEY: 'key-of-the-second-client-Zx81',
  FIXTURE_SECOND_SECRET_KEY: 'sec-of-the-second-client-Qw37',
}
const credentials = (TARGET_API_KEY: string, TARGET_SECRET_KEY: string) => {
  return { TARGET_API_KEY, TARGET_SECRET_KEY }
}
/** Settings that differ in everything that generators use. No credential contains a part of a payload. */
const settings: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'opaque credentials, a second client': opaque,
  'a UUID and base64, additional endpoints': {
    ...credentials('3f2a9c0d-1e4b-5a67-89ab-cdef01234567', 'b3BlbiBzZXNhbWUgbm93IQ=='),
    TARGET_VERSION: '3',
    TARGET_ENDPOINTS: join(folder, 'endpoints.json'),
  },
  'special characters': credentials('ab:cd"ef\'gh%41\\ij,kl=mn/op+q', 'rs?tu&vw[xy]z{A}B~C^D@E!F*G:H I'),
  'a thousand characters': credentials(`ey${'Ab3-Cd9_'.repeat(125)}`, `sk${'Xy7.Zw2q'.repeat(125)}`),
}

/** The context of suites with these settings, in addition to an address and credentials. */
const contextWith = async (env: Readonly<Record<string, string>>): Promise<SuiteContext> =>
  suiteContext(settingsOf(await read({ ...target, RUN_PROFILE: 'nightly', ...env })))

/** A rule that generates cases, with their context and endpoint. */
interface CasesFor {
  readonly rule: keyof typeof caseClasses
  readonly context: SuiteContext
  readonly endpoint: JudgedEndpoint
}

/** The case classes that a rule sends to an endpoint, without those that have no cases there. */
const classesOf = ({ rule, context, endpoint }: CasesFor): readonly CaseClass[] =>
  caseClasses[rule](generatorInputOf(context, endpoint)).filter(({ count }) => count !== 0)

/** The first cases of a class, with the requests that a run would send. */
function casesOf(kind: CaseClass, count: number, { rule, context, endpoint }: CasesFor) {
  const { run } = context.settings
  const property = propertyOf(rule, () => [kind], {
    ...context,
    endpoints: [endpoint],
    settings: { ...context.settings, run: { ...run, fuzzCases: count } },
  })
  if ('untested' in property) throw new Error(property.untested)
  return property.cases()
}

/** The clients with valid credentials. */
const clientsOf = (context: SuiteContext): readonly Credentials[] =>
  [context.target, context.fixtures.second].filter((client) => client !== null)

/** Minimum number of cases of a class. Longer lists are sent whole. */
const casesOfEach = 250
/** The first `shrunk` cases of a class are simplified, with up to `simplerOfEach` simpler cases each. */
const [shrunk, simplerOfEach] = [8, 12]

type Outgoing = Pick<Example, 'name' | 'request' | 'alone'>

/** The requests of these cases, those sent before them, and simpler ones for the first cases. */
function* outgoingOf(cases: Iterable<Example>): Generator<Outgoing> {
  let left = shrunk
  for (const one of cases) {
    yield one
    if (one.pair !== undefined) yield { ...one, name: `${one.name}, before it`, request: one.pair.request }
    left -= 1
    if (left < 0) continue
    let simpler = simplerOfEach
    for (const other of one.simpler?.() ?? []) {
      yield other
      simpler -= 1
      if (simpler === 0) break
    }
  }
}

/** Whether the service must refuse a request. False if a required field is repeated, which makes this unknown. */
function isRefused(request: TestRequest, { documented }: SuiteContext): boolean {
  const isRepeated = requiredFields.some((name) => fieldsOf(request.request, name).length > 1)
  return !isRepeated && documented(request).every(({ errorCode }) => errorCode !== null)
}

/** Each broken promise, with the first request that breaks it. */
function broken(all: Iterable<Outgoing>, context: SuiteContext): readonly string[] {
  const found = new Map<string, string>()
  const clients = clientsOf(context)
  for (const { name, request, alone = false } of all) {
    const { transportMayRefuse } = request.traits
    const mustBeRefused = isRefused(request, context)
    const outgoing = { request: request.request, alone, transportMayRefuse, mustBeRefused }
    for (const says of brokenBy(outgoing, clients)) {
      if (!found.has(says)) found.set(says, `${says}: not ${name}`)
    }
  }
  return [...found.values()]
}

const rules = Object.keys(caseClasses).filter((rule): rule is CasesFor['rule'] => rule in caseClasses)

describe.each(Object.entries(settings))('with %s', async (_, env) => {
  const context = await contextWith({ ...env, RUN_SEED: '79933837' })
  const all = context.endpoints.flatMap((endpoint) =>
    rules.map((rule) => ({ rule, endpoint, context, label: endpoint.label })),
  )

  it.each(all)('every class of $rule keeps every promise for $label', (made) => {
    for (const kind of classesOf(made)) {
      const cases = casesOf(kind, Math.max(kind.count ?? 0, casesOfEach), made)

      expect(broken(outgoingOf(cases), context)).toEqual([])
    }
  })

  it('the listed cases of other rules keep every promise', () => {
    const listed = [
      ...combinations(context),
      ...invalidKeys(context),
      ...invalidSecrets(context),
      ...context.endpoints.flatMap((endpoint) => flawedRequests(context, endpoint)),
      ...sideDoors(context),
    ].map(({ name, request }) => ({ name, request }))

    expect(listed.length).toBeGreaterThan(100)
    expect(broken(listed, context)).toEqual([])
  })
})

describe('requests under the names of other clients', async () => {
  const context = await contextWith({ RUN_PROFILE: 'acceptance', TARGET_QUERY: 'page=1' })

  it.each(askedAsOthers(context))('break only the promise about the name: $name', ({ request }) => {
    const of = (one: TestRequest) => broken([{ name: '', request: one }], context)

    expect(of(request)).toContain('names the suite: not ')
    expect(of(request.with('user-agent', 'card-switch-conformance/0.0.0'))).toEqual([])
    // Only forms such as `name/1.0 (a system; b) name/1.0`: no line end, no encoded text, no address to look up.
    for (const agent of fieldsOf(request.request, 'user-agent'))
      expect(agent).toMatch(/^[\w-]+\/\d[\w.]+(?: [\w-]+\/\d[\w.]+| \([\w ;,.:]+\))*$/)
  })

  it('are all requests of an acceptance without the name of the suite, and come last', async () => {
    const agents: (string | undefined)[] = []
    const { run } = await against({ intervene: ({ headers }) => agents.push(headers['user-agent']) < 0 })
    expectConformant(await run('--profile acceptance --fuzz-cases 5 --timeout-ms 60000'))
    const unnamed = (all: typeof agents) => all.filter((one) => !one?.includes('card-switch-conformance/'))
    const asked = askedAsOthers(context)

    expect(unnamed(agents)).toEqual(asked.map(({ request }) => fieldsOf(request.request, 'user-agent')[0]))
    // A health check may come between them.
    expect(unnamed(agents.slice(-asked.length - 1))).toHaveLength(asked.length)
  })
})

const context = await contextWith(opaque)
const { apiKey, secretKey } = context.target

function brokenByBent(bent: Partial<MutatedRequest>): readonly string[] {
  const kind = caseClass('bent', { weight: 1 }, [{ ...judged('bent', unchanged), ...bent }])
  const made = { rule: 'fuzz/headers', context, endpoint: context.list } as const
  return broken(outgoingOf(casesOf(kind, 1, made)), context)
}

const unknown = '/api/zzabcdefghijklmn'
const nowhere = { transportMayRefuse: true, toUnknownPath: true }
const inKey = (value: string): RequestChange => setting('x-api-key', value)
const field = (name: string, value: string): RequestChange => adding({ name, value })
const refused = { base: 'api-key-absent' } as const
const behindKey = inTurn(raw, inKey(`${apiKey.reveal()}\0x`))
const hidden = 'a\r\n\r\nGET / HTTP/1.1'
const belongsElsewhere = 'goes to an unknown path and alone'

const bent: readonly (readonly [what: string, bent: Partial<MutatedRequest>, says: string | null])[] = [
  ['nothing', {}, null],
  ['HTTP/1.0 alone', { connection: 'fresh', apply: inHttp10 }, null],
  ['a byte alone', { connection: 'fresh', apply: inTurn(behindKey, withQuery('_=zzabcdefghijklmn')) }, null],
  ['another method', { apply: (request) => ({ ...request, method: 'DELETE' }) }, 'only asks'],
  ['a length', { apply: field('transfer_encoding ', '1') }, 'has no body'],
  ['a body', { apply: (request) => Object.assign({ body: '{}' }, request) }, 'has no body'],
  ['another path, served', { apply: field('x-original-url', unknown) }, 'has no body'],
  ['another path, refused', { ...refused, apply: field('x-original-url', unknown) }, null],
  ['a known path, refused', { ...refused, apply: field('x-original-url', '/api/x') }, 'has no body'],
  ['an underscored name beside its own', { apply: field('x_api_key', 'invented') }, 'writes a required name'],
  ['an underscored name', { ...refused, apply: field('x_api_key', 'invented') }, null],
  ['a hidden field', { ...nowhere, apply: inTurn(raw, inKey('a\r\nx-other: b')) }, 'hides no field'],
  ['a hidden request', { ...nowhere, apply: inTurn(raw, inKey(hidden)) }, 'hides no field'],
  ['a field in the target', { ...nowhere, apply: withQuery('a=%0d%0aset-cookie:%20b') }, 'hides no field'],
  ['a raw request to the endpoint', { transportMayRefuse: true, apply: raw }, belongsElsewhere],
  ['a shared raw socket', { apply: inTurn(raw, to(unknown)) }, belongsElsewhere],
  ['shared HTTP/1.0', { apply: inHttp10 }, belongsElsewhere],
  ['a byte with no query', { connection: 'fresh', apply: behindKey }, belongsElsewhere],
  ['64 KiB', { transportMayRefuse: true, apply: inKey('x'.repeat(65_536)) }, belongsElsewhere],
  ['another hop', { ...nowhere, apply: inTurn(raw, field('connection', 'upgrade')) }, 'names no field'],
  ['a secret in the query', { apply: withQuery(`s=${secretKey.reveal()}`) }, 'keeps valid credentials out'],
  ['a key in a cookie', { apply: field('cookie', `k=${btoa(apiKey.reveal())}`) }, 'keeps valid credentials'],
  ['a secret in x-token', { apply: adding({ name: 'x-token', value: secretKey }) }, 'keeps a valid secret'],
  ['no user agent', { apply: without('user-agent') }, 'names the suite'],
  ['a long value', { toUnknownPath: true, apply: inKey('x'.repeat(6_000)) }, 'is small'],
  ['a payload', { ...nowhere, apply: inTurn(raw, inKey('ev\r\n al(1)')) }, 'holds no payload'],
]

it.each(bent)('a request with one change breaks only the expected promise: %s', (_, change, says) => {
  expect(brokenByBent(change)).toEqual(says === null ? [] : [expect.stringContaining(says)])
})

it.each([
  ["'; DROP TABLE cards; --", "1'; waitfor delay '0:0:5", 'exec xp_cmdshell', "admin'--"],
  ['a | cat /dev/null', '`id`', '$(id)', '${jndi:ldap://conformance.invalid/a}', "system('a')"],
  ['<b onclick=1>', '<!ENTITY a SYSTEM "b">', '../../../../etc/passwd', '../../config'],
  ['//example.org/a', 'attacker.net', '127.0.0.2', '__proto__[a]', '_method=DELETE'],
])('a payload is recognised unencoded, and encoded once or twice: %s, %s, %s, %s', (...all) => {
  for (const payload of all) {
    const encoded = encodeURIComponent(payload)
    for (const text of [payload, encoded, encodeURIComponent(encoded)])
      expect(payloadIn(text), text).not.toBeNull()
  }
})
