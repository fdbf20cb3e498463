import { mayBan, onlyObserved } from '../../lib/fuzz/case-class.ts'
import type { Exchange } from '../../lib/http/exchange.ts'
import { isServed } from '../../lib/judge/answered.ts'
import { outcomeOf } from '../../lib/judge/differences.ts'
import { holds, neverSucceeds } from '../../lib/judge/judge.ts'
import { scenario, type Case, type JudgedExchange } from '../../lib/run/plan/cases.ts'
import { onEachEndpoint } from '../../lib/run/plan/rule.ts'
import {
  wrongKey,
  wrongSecret,
  type JudgedEndpoint,
  type SuiteContext,
} from '../../lib/run/plan/suite-context.ts'
import type { TestRequest } from '../../lib/run/plan/test-request.ts'
import type { NamedRequest } from './credentials.ts'

interface Door {
  readonly name: string
  /** Decorates a request for a path, without a query. */
  readonly open: (request: TestRequest, path: string) => TestRequest
}

/** Side doors in some services, each tried without credentials and with wrong ones. */
export const sideDoors = onEachEndpoint(({ method, request, path }, context): readonly NamedRequest[] => {
  const { byProfile, replayed } = context
  if (method !== 'GET') return []
  const withWrongSecret = {
    name: 'with-a-wrong-secret',
    by: request.with('x-secret-key', wrongSecret(context)),
  }
  const strangers = byProfile({
    all: [
      { name: 'without-credentials', by: request.without('x-api-key', 'x-secret-key') },
      withWrongSecret,
      { name: 'with-a-wrong-key', by: request.with('x-api-key', wrongKey(context)) },
    ],
    gate: [withWrongSecret],
    because: 'generated requests from strangers carry no credentials',
  })
  const besides = byProfile({
    all: replayed === null ? besidesPath : [...besidesPath, severalAtOnce],
    gate: [severalAtOnce],
    because:
      'one request is enough to find any of them, and generated requests from strangers carry an authorization',
  })
  return [...onPath, ...besides].flatMap(({ name, open }) =>
    strangers.map((who) => ({ name: `${name}-${who.name}`, request: open(who.by, path) })),
  )
})

/** A field that gateways interpret. The gateways' own answers to it are not judged. */
function gatewayField(name: string, value: string): Door {
  return { name, open: (request) => request.with(name, value).trait({ observed: true }) }
}

/** A near miss of the path, which may be an undocumented endpoint and may be redirected. */
function nearPath(name: string, change: (before: string, last: string) => string): Door {
  return {
    name,
    open: (request, path) => {
      const at = path.lastIndexOf('/')
      return request.to(change(path.slice(0, at), path.slice(at + 1))).trait({ mayRedirect: true })
    },
  }
}

const doubledSlash = nearPath('doubled-slash', (before, last) => `${before}//${last}`)

const onPath: readonly Door[] = [
  nearPath('trailing-slash', (before, last) => `${before}/${last}/`),
  nearPath('upper-case-segment', (before, last) => `${before}/${last.toUpperCase()}`),
  // Many gateways and frameworks refuse a doubled slash themselves, so only a success is judged.
  {
    name: 'doubled-slash',
    open: (request, path) => doubledSlash.open(request, path).trait({ observed: true }),
  },
]

const inOneRequest: readonly Door[] = [
  gatewayField('x-forwarded-for', '127.0.0.1'),
  gatewayField('cookie', 'session=1; authenticated=true'),
  { name: 'query', open: (request) => request.withQuery('view=all') },
]
/** One request that finds any of these doors. */
const severalAtOnce = together('address-cookie-and-query', inOneRequest)
const besidesPath = [...inOneRequest, gatewayField('authorization', 'Basic YWRtaW46YWRtaW4=')]

/** Several doors, opened one after another on a single request. */
function together(name: string, all: readonly Door[]): Door {
  return { name, open: (request, path) => all.reduce((one, { open }) => open(one, path), request) }
}

/** Known bypasses of gateways and frameworks, without credentials. A success is a breach only if the same bypass is refused on an unknown path. */
export const closedDoors = onEachEndpoint((endpoint, context) => {
  const { documented, unknownEndpoint } = context
  if (endpoint.method !== 'GET') return []
  const judged = (request: TestRequest, exchange: Exchange, isNoWayIn: boolean): JudgedExchange => ({
    request,
    exchange,
    judgement: isNoWayIn ? holds : neverSucceeds(documented(request)).judge(exchange),
  })
  return closedDoorsOf(endpoint, context).map(({ name, open }) =>
    scenario(name, 1, async (stage) => {
      const request = stranger(open(endpoint.request, endpoint.path))
      const exchange = await stage.attempt(request)
      if (exchange === null) return []
      if (!isServed(exchange)) return [judged(request, exchange, true)]

      const nowhere = unknownEndpoint(`side door ${name}`, '/list')
      const [path = ''] = nowhere.request.target.split('?')
      const same = await stage.attempt(stranger(open(nowhere, path)))
      return [judged(request, exchange, same !== null && isServed(same))]
    }),
  )
})

/** The request without any credentials. Answers from the server itself are not judged. */
function stranger(decorated: TestRequest): TestRequest {
  return decorated
    .without('x-api-key', 'x-secret-key')
    .trait({ plain: false, observed: true, transportMayRefuse: true })
}

/** Fields in which gateways name the authenticated user, with an invented name. */
const identityFields = ['x-consumer-username', 'x-forwarded-user', 'x-remote-user'] as const
const inventedUser = 'zz-conformance'

/** A fixed list. Doors that may make a firewall ban the sender come last. */
function closedDoorsOf({ query }: JudgedEndpoint, { byProfile, replayed }: SuiteContext): readonly Door[] {
  const needed = query === null ? '' : `?${query}`
  const byPath = (name: string, decorate: (path: string) => string): Door => ({
    name,
    open: (request, path) => request.to(`${decorate(path)}${needed}`),
  })
  const byQuery = (name: string, added: string): Door => ({
    name,
    open: (request) => request.withQuery(added),
  })
  const byField = (name: string): Door => ({ name, open: (request) => request.with(name, inventedUser) })
  const both = [
    byPath('path-parameter', (path) => `${path};a=1`),
    byPath('leading-doubled-slash', (path) => `/${path}`),
    byPath('encoded-slash', (path) => `/${path.slice(1).replaceAll('/', '%2f')}`),
    byPath('trailing-dot', (path) => `${path}.`),
    byPath('json-suffix', (path) => `${path}.json`),
    byPath('dot-segment-and-encoded-letter', (path) => path.replace('/api/', '/./%61pi/')),
  ]
  const hinted = [
    byQuery('debug', 'debug=true'),
    byQuery('admin', 'admin=true'),
    ...identityFields.map((field) => byField(field)),
  ]
  const atOnce = [together('debug-admin-and-identity-fields', hinted)]
  const oneByOne = [
    ...hinted,
    byPath('letter-case', (path) => path.replace(/^\/api\/[^/]*/, (start) => start.toUpperCase())),
    byPath('xml-suffix', (path) => `${path}.xml`),
    byPath('last-slash-encoded', (path) => path.replace(/\/(?=[^/]*$)/, '%2f')),
    byPath('leading-dot-segment', (path) => `/.${path}`),
    byPath('encoded-letter', (path) => path.replace('/api/', '/%61pi/')),
    byPath('dot-segment', (path) => path.replace('/api/', '/api/./')),
    byPath('parent-segment', (path) => path.replace('/api/', '/api/zz/../')),
    byPath('parent-segment-first', (path) => `/zz/..${path}`),
    byPath('encoded-parent-segment', (path) => path.replace('/api/', '/api/zz/%2e%2e/')),
    byPath('path-parameter-and-parent-segment', (path) => path.replace('/api/', '/api/zz/..;/')),
    byPath('doubly-encoded-slash', (path) => path.replace(/\/(?=[^/]*$)/, '%252f')),
    byPath('doubly-encoded-letter', (path) =>
      path.replace(/.$/, (letter) => `%25${letter.charCodeAt(0).toString(16)}`),
    ),
  ]
  const further = byProfile({
    all: replayed === null ? oneByOne : [...atOnce, ...oneByOne],
    gate: atOnce,
    because: `one request finds any of those at once; for others, ${mayBan}`,
  })
  return [...both, ...further]
}

/** HEAD and OPTIONS with valid credentials. Recorded, but never judged. */
export function otherMethods({ list, byProfile }: SuiteContext): readonly Case[] {
  const methods = byProfile({ all: ['HEAD', 'OPTIONS'], gate: [], because: onlyObserved })
  return methods.map((method) =>
    scenario(`${method.toLowerCase()}-observed`, 1, async (stage) => {
      const exchange = await stage.send(list.request.method(method).trait({ observed: true }))
      stage.observations.note('methods', method, outcomeOf(exchange))
      return []
    }),
  )
}
