import type { Exchange } from '../../lib/http/exchange.ts'
import { isServed } from '../../lib/judge/answered.ts'
import { holds, neverSucceeds } from '../../lib/judge/judge.ts'
import { allowed } from '../../lib/judge/allowed.ts'
import { factsOf } from '../../lib/judge/facts.ts'
import { scenario, type Case, type JudgedExchange } from '../../lib/engine/cases.ts'
import type { TestRequest } from '../../lib/engine/test-request.ts'
import type { JudgedEndpoint, SuiteContext } from '../../lib/engine/suite-context.ts'

/**
 * Ways around the check of credentials that gateways and frameworks have left open, each tried without any credential. Being served is a
 * breach only where the same decoration of a path that no service has is not served: a page that is given out whatever is asked for is
 * no way in.
 */
export function closedDoors(context: SuiteContext): readonly Case[] {
  const { endpoints, exhaustive, knowledge, unknownEndpoint } = context
  return endpoints
    .filter(({ method }) => method === 'GET')
    .flatMap((endpoint) =>
      doorsOf(endpoint, exhaustive).map(({ name, open }) =>
        scenario(endpoint.named(name), 1, async (stage) => {
          const stimulus = stranger(open(endpoint.request, endpoint.path))
          const exchange = await stage.attempt(stimulus)
          if (exchange === null) return []
          if (!isServed(exchange)) return [judged(stimulus, exchange, true)]

          const nowhere = unknownEndpoint(`side door ${name}`, '/list')
          const [path = ''] = nowhere.request.target.split('?')
          const control = await stage.attempt(stranger(open(nowhere, path)))
          return [judged(stimulus, exchange, control !== null && isServed(control))]
        }),
      ),
    )

  function judged(stimulus: TestRequest, exchange: Exchange, isNoWayIn: boolean): JudgedExchange {
    const check = neverSucceeds(allowed(factsOf(stimulus.request, knowledge)))
    return { request: stimulus, exchange, judgement: isNoWayIn ? holds : check.judge(exchange) }
  }
}

/** Without any credential, not even a wrong one. What a server answers by itself is not judged. */
function stranger(decorated: TestRequest): TestRequest {
  return decorated
    .without('x-api-key', 'x-secret-key')
    .trait({ plain: false, observed: true, transportMayRefuse: true })
}

interface Door {
  readonly name: string
  /** Decorates a request for a path, without a query. */
  readonly open: (request: TestRequest, path: string) => TestRequest
}

/** A closed list: what a gate sends, and what a firewall may ban a sender for, which no gate sends, in the end. */
function doorsOf({ query }: JudgedEndpoint, exhaustive: boolean): readonly Door[] {
  const needed = query === null ? '' : `?${query}`
  const byPath = (name: string, decorate: (path: string) => string): Door => ({
    name,
    open: (request, path) => request.to(`${decorate(path)}${needed}`),
  })
  const byField = (name: string, ...fields: readonly string[]): Door => ({
    name,
    open: (request) => fields.reduce((one, field) => one.with(field, inventedUser), request),
  })
  const byQuery = (name: string, added: string): Door => ({
    name,
    open: (request) => request.withQuery(added),
  })
  return [
    byPath('path-parameter', (path) => `${path};a=1`),
    byPath('leading-doubled-slash', (path) => `/${path}`),
    byPath('encoded-slash', (path) => `/${path.slice(1).replaceAll('/', '%2f')}`),
    byPath('trailing-dot', (path) => `${path}.`),
    byPath('json-suffix', (path) => `${path}.json`),
    byPath('xml-suffix', (path) => `${path}.xml`),
    byPath('letter-case', (path) => path.replace(/^\/api\/[^/]*/, (start) => start.toUpperCase())),
    ...(exhaustive
      ? [
          byQuery('debug', 'debug=true'),
          byQuery('admin', 'admin=true'),
          ...identityFields.map((field) => byField(field, field)),
        ]
      : [byQuery('debug-and-admin', 'debug=true&admin=true'), byField('identity-fields', ...identityFields)]),
    ...(exhaustive
      ? [
          byPath('last-slash-encoded', (path) => path.replace(/\/(?=[^/]*$)/, '%2f')),
          byPath('dot-segment', (path) => path.replace('/api/', '/api/./')),
          byPath('parent-segment', (path) => path.replace('/api/', '/api/zz/../')),
          byPath('parent-segment-first', (path) => `/zz/..${path}`),
          byPath('encoded-parent-segment', (path) => path.replace('/api/', '/api/zz/%2e%2e/')),
          byPath('path-parameter-and-parent-segment', (path) => path.replace('/api/', '/api/zz/..;/')),
          byPath('doubly-encoded-slash', (path) => path.replace(/\/(?=[^/]*$)/, '%252f')),
          byPath('doubly-encoded-letter', (path) => path.replace(/.$/, doublyEncoded)),
        ]
      : []),
  ]
}

/** Fields by which gateways tell a service who was let in. */
const identityFields = ['x-consumer-username', 'x-forwarded-user', 'x-remote-user'] as const

/** Nobody's name. */
const inventedUser = 'zz-conformance'

function doublyEncoded(letter: string): string {
  return `%25${letter.charCodeAt(0).toString(16)}`
}
