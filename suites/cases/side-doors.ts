import { mayBan, onlyObserved } from '../../lib/fuzz/case-class.ts'
import { isServed, isTransportRefusal, outcomeOf } from '../../lib/judge/answered.ts'
import { answersOneOf, holds, neverSucceeds } from '../../lib/judge/judge.ts'
import { onEachEndpoint, scenario, wrongKey, wrongSecret } from '../../lib/run/plan/cases.ts'
import type { Case, JudgedExchange } from '../../lib/run/plan/cases.ts'
import type { RequestTraits, SuiteContext, TestRequest } from '../../lib/run/plan/suite-context.ts'
import type { NamedRequest } from './credentials.ts'

type Door = Readonly<{
  name: string
  /** Decorates a request for a path, with this query including its `?`. */
  open: (request: TestRequest, path: string, query?: string) => TestRequest
}>

function byPath(name: string, change: (path: string) => string, traits: Partial<RequestTraits> = {}): Door {
  return { name, open: (request, path, query = '') => request.to(change(path) + query).trait(traits) }
}

function byQuery(name: string, added: string): Door {
  return { name, open: (request) => request.withQuery(added) }
}

/** A field, named like its door. Answers from gateways that interpret it are not judged. */
function byField(name: string, value: string): Door {
  return { name, open: (request) => request.with(name, value).trait({ observed: true }) }
}

/** Several doors, opened one after another on a single request. */
function together(name: string, all: readonly Door[]): Door {
  return { name, open: (request, path) => all.reduce((one, { open }) => open(one, path), request) }
}

const lastSlash = /\/(?=[^/]*$)/

/** Near misses of the path, which may be undocumented endpoints and may be redirected. */
const onPath: readonly Door[] = [
  byPath('trailing-slash', (path) => `${path}/`, { mayRedirect: true }),
  byPath('upper-case-segment', (path) => path.replace(/[^/]*$/, (last) => last.toUpperCase()), {
    mayRedirect: true,
  }),
  // Many gateways and frameworks refuse a doubled slash themselves, so only a success is judged.
  byPath('doubled-slash', (path) => path.replace(lastSlash, '//'), { mayRedirect: true, observed: true }),
]

const inOneRequest: readonly Door[] = [
  byField('x-forwarded-for', '127.0.0.1'),
  byField('cookie', 'session=1; authenticated=true'),
  byQuery('query', 'view=all'),
]
/** One request that finds any of these doors. */
const severalAtOnce = together('address-cookie-and-query', inOneRequest)
const besidesPath = [...inOneRequest, byField('authorization', 'Basic YWRtaW46YWRtaW4=')]

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

/** Known bypasses of gateways and frameworks, without credentials. A success is a breach only if the same bypass is refused on an unknown path. */
export const closedDoors = onEachEndpoint(({ method, request: plain, path, query }, context) => {
  const { documented, unknownEndpoint, byProfile, replayed } = context
  if (method !== 'GET') return []
  const needed = query === null ? '' : `?${query}`
  const further = byProfile({
    all: replayed === null ? oneByOne : [hintedAtOnce, ...oneByOne],
    gate: [hintedAtOnce],
    because: `one request finds any of those at once; for others, ${mayBan}`,
  })
  return [...both, ...further].map(({ name, open }) =>
    scenario(name, 1, async (stage) => {
      const request = stranger(open(plain, path, needed))
      const exchange = await stage.attempt(request)
      if (exchange === null) return []
      if (!isServed(exchange)) return [{ request, exchange, judgement: holds }]

      const nowhere = unknownEndpoint(`side door ${name}`, '/list')
      const [pathOfNowhere = ''] = nowhere.request.target.split('?')
      const same = await stage.attempt(stranger(open(nowhere, pathOfNowhere, needed)))
      const check =
        same !== null && isServed(same) ? { judge: () => holds } : neverSucceeds(documented(request))
      return [{ request, exchange, judgement: check.judge(exchange) }]
    }),
  )
})

/** The request without any credentials. Answers from the server itself are not judged. */
function stranger(decorated: TestRequest): TestRequest {
  return decorated
    .without('x-api-key', 'x-secret-key')
    .trait({ plain: false, observed: true, transportMayRefuse: true })
}

const both = [
  byPath('path-parameter', (path) => `${path};a=1`),
  byPath('leading-doubled-slash', (path) => `/${path}`),
  byPath('encoded-slash', (path) => `/${path.slice(1).replaceAll('/', '%2f')}`),
  byPath('trailing-dot', (path) => `${path}.`),
  byPath('json-suffix', (path) => `${path}.json`),
  byPath('dot-segment-and-encoded-letter', (path) => path.replace('/api/', '/./%61pi/')),
]

/** Queries, and fields in which gateways name the authenticated user, with an invented name. */
const hinted = [
  byQuery('debug', 'debug=true'),
  byQuery('admin', 'admin=true'),
  ...['x-consumer-username', 'x-forwarded-user', 'x-remote-user'].map((name) =>
    byField(name, 'zz-conformance'),
  ),
]
const hintedAtOnce = together('debug-admin-and-identity-fields', hinted)

/** Doors that may make a firewall ban the sender come last. */
const oneByOne = [
  ...hinted,
  byPath('letter-case', (path) => path.replace(/^\/api\/[^/]*/, (start) => start.toUpperCase())),
  byPath('xml-suffix', (path) => `${path}.xml`),
  byPath('last-slash-encoded', (path) => path.replace(lastSlash, '%2f')),
  byPath('leading-dot-segment', (path) => `/.${path}`),
  byPath('encoded-letter', (path) => path.replace('/api/', '/%61pi/')),
  byPath('dot-segment', (path) => path.replace('/api/', '/api/./')),
  byPath('parent-segment', (path) => path.replace('/api/', '/api/zz/../')),
  byPath('parent-segment-first', (path) => `/zz/..${path}`),
  byPath('encoded-parent-segment', (path) => path.replace('/api/', '/api/zz/%2e%2e/')),
  byPath('path-parameter-and-parent-segment', (path) => path.replace('/api/', '/api/zz/..;/')),
  byPath('doubly-encoded-slash', (path) => path.replace(lastSlash, '%252f')),
  byPath('doubly-encoded-letter', (path) =>
    path.replace(/.$/, (letter) => `%25${letter.charCodeAt(0).toString(16)}`),
  ),
]

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

/** The `user-agent` of other clients; null if they send none. One client of each kind comes first, and clients that firewalls often refuse come last. */
const clients: Readonly<Record<string, string | null>> = {
  okhttp: 'okhttp/5.1.0',
  Java: 'Java-http-client/21.0.8',
  'Chrome on Windows':
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  'Safari on iPhone':
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1',
  Firefox: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/144.0',
  axios: 'axios/1.13.1',
  Go: 'Go-http-client/1.1',
  Python: 'python-requests/2.32.5',
  curl: 'curl/8.16.0',
  'no user-agent': null,
}

/** Maximum number of wrong secrets. */
const wrongSecrets = 3

/** Requests in the name of other clients, in order: with valid credentials, without a key, and, for the first few clients, also with a wrong secret. */
export function askedAsOthers(context: SuiteContext): readonly NamedRequest[] {
  return Object.entries(clients).flatMap(([name, agent], at) => {
    const { request } = context.list
    const named = agent === null ? request.without('user-agent') : request.with('user-agent', agent)
    const plain = named.trait({ transportMayRefuse: true })
    const requests: readonly TestRequest[] = [
      plain,
      plain.without('x-api-key'),
      ...(at < wrongSecrets ? [plain.with('x-secret-key', wrongSecret(context))] : []),
    ]
    return requests.map((one) => ({ name, request: one }))
  })
}

/**
 * Sends requests in the name of other clients, because a service could recognize the suite by its name. Stops after the first
 * refusal by a firewall, which may ban the sender.
 */
export function otherClients(context: SuiteContext): readonly Case[] {
  const isAsked = context.byProfile({
    all: false,
    gate: false,
    acceptance: !context.settings.run.identify,
    because: `a vendor could recognize the suite by its name, which matters in an acceptance; ${mayBan}`,
  })
  if (!isAsked) return []
  let asked = askedAsOthers(context)
  const asOthers = scenario('as-other-clients', asked.length, async (stage) => {
    const judged: JudgedExchange[] = []
    for (const [at, { name, request }] of asked.entries()) {
      const exchange = await stage.attempt(request)
      if (exchange === null || isTransportRefusal(exchange)) {
        const outcome = exchange === null ? 'not answered' : outcomeOf(exchange)
        stage.observations.note('refused-user-agents', name, outcome)
        // The others are not sent when a breach is confirmed, either.
        asked = asked.slice(0, at)
        break
      }
      const judgement = answersOneOf(context.documented(request)).judge(exchange)
      judged.push({ request, exchange, judgement })
    }
    return judged
  })
  return [{ ...asOthers, last: true }]
}
