import { refusalOf } from '../specification/answers.ts'
import { byTransport, type Base, type ClientInput, type MutatedRequest } from './case-class.ts'
import { fieldsOfClients } from './client-fields.ts'
import {
  adding,
  inHttp10,
  inTurn,
  line,
  setting,
  settingLine,
  unchanged,
  withQuery,
  without,
  type RequestChange,
} from './request-changes.ts'
import { randomSegment } from './seeded.ts'

/** The excuses that a condition provides, and the strength of a breach that depends on it. */
type Excuse = Pick<
  MutatedRequest,
  'weakness' | 'transportMayRefuse' | 'fieldMayBeRefused' | 'mayBePartial' | 'also' | 'connection'
>

/** A level of a factor: a condition that must not change the outcome. */
export interface Condition extends Partial<Excuse> {
  /** Follows "with" in reports: `accept-language: de`. It is part of fingerprints and never changes. */
  readonly name: string
  readonly apply: RequestChange
  /** Its parts, such as each field of a client, if it can be simplified. */
  readonly parts?: readonly Condition[]
  /** Whether it adds a query, which may or may not be valid input. */
  readonly widens?: true
}

/** Levels of which each row takes one. Null is the plain level. */
export interface Factor {
  readonly name: string
  readonly levels: readonly (Condition | null)[]
  /** Whether each flaw begins with the first level, which finds the most faults. */
  readonly isRanked?: boolean
}

/** The properties of a request other than its conditions. */
export interface RowFlaw {
  /** The name of the base or of a variant of it. It is not part of any name in reports. */
  readonly name: string
  readonly base: Base
  readonly change: RequestChange
  /** Whether it has no flaw. */
  readonly isServed: boolean
  /** Whether its connection was used by an earlier request, other cases share its answer, or it is sent in HTTP/1.0. */
  readonly connection: 'behind' | 'any' | 'shared' | 'HTTP/1.0'
}

function field(text: string, more: Partial<Excuse> = {}): Condition {
  return { name: text, apply: settingLine(text), ...more }
}

/** Adds a field whose value is not shown in any report. */
function bringing(name: string, header: string, value: string, more: Partial<Excuse> = {}): Condition {
  return { name, apply: setting(header, value), ...more }
}

/** Frameworks send pages to browsers, which is strictly a breach, but only a warning in a gate. */
function pages(input: ClientInput): Partial<Excuse> {
  return input.pagesAreBreaches ? {} : { weakness: 'warning' }
}

const clients: Factor = {
  name: 'client',
  levels: [
    null,
    ...Object.entries(fieldsOfClients).map(([name, lines]): Condition => ({
      name,
      apply: inTurn(...lines.map(settingLine)),
      parts: lines.map((text) => field(text)),
    })),
  ],
}

const closed = field('connection: close')
const fresh: Condition = { name: 'a connection of its own', apply: unchanged, connection: 'fresh' }

const connectionsOf: Readonly<Record<RowFlaw['connection'], Factor>> = {
  any: { name: 'connection', levels: [null, closed, fresh] },
  behind: {
    name: 'connection behind',
    levels: [
      { name: 'a success before it on its connection', apply: unchanged, connection: 'behind a success' },
      { name: 'a refusal before it on its connection', apply: unchanged, connection: 'behind a refusal' },
    ],
  },
  shared: { name: 'connection', levels: [null, closed] },
  // Some gateways accept only HTTP/1.1: Envoy answers 426, uWebSockets 505.
  'HTTP/1.0': {
    name: 'connection in HTTP/1.0',
    levels: [{ name: 'HTTP/1.0', apply: inHttp10, connection: 'fresh', transportMayRefuse: true }],
  },
}

function accepts(input: ClientInput): Factor {
  const browsers = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  return {
    name: 'accept',
    levels: [
      null,
      { name: 'accept left out', apply: without('accept') },
      field('accept: */*'),
      field('accept: application/json, text/plain, */*'),
      field(`accept: ${browsers}`, pages(input)),
      field('accept: text/html, application/json;q=0.9', pages(input)),
      field('accept: Application/JSON', { weakness: 'implied' }),
    ],
  }
}

function valuesOf(name: string, values: readonly string[]): Factor {
  return { name, levels: [null, ...values.map((value) => field(`${name}: ${value}`))] }
}

const languages = valuesOf('accept-language', ['de', 'en-US', 'fr-FR', 'ar'])
const codings = valuesOf('accept-encoding', ['gzip', 'br', 'identity', 'deflate'])

/** Conditions that apply only to a success (RFC 9110, 13.2.1 and 14.2). A refusal stays the same. */
const conditional = { weakness: 'implied', mayBePartial: true } as const

const conditions: Factor = {
  name: 'condition',
  levels: [
    null,
    field('if-none-match: *', conditional),
    field('if-modified-since: Thu, 01 Jan 2037 00:00:00 GMT', conditional),
    field('range: bytes=0-3', conditional),
    field('if-modified-since: yesterday', { ...conditional, fieldMayBeRefused: true }),
  ],
}

const unknownEndpoint = refusalOf('1010')

function query(name: string, text: string, more: Partial<Excuse> = {}): Condition {
  return { name, apply: withQuery(text), widens: true, ...more }
}

/** The queries to add; half of all rows have none. */
function queries(input: ClientInput): Factor {
  return {
    name: 'query',
    levels: [
      null,
      query('?_=17', '_=17'),
      null,
      query('?callback=x', 'callback=x', pages(input)),
      null,
      query('a bare ?', ''),
      null,
      // Frameworks that choose a format by it may not know this one (1010).
      query('?format=xml', 'format=xml', { also: [unknownEndpoint], ...pages(input) }),
      null,
      query('?debug=true', 'debug=true'),
    ],
  }
}

/**
 * Fields that gateways use to route, count or identify clients. Never added to a request that would be served, because a shared cache
 * might keep the answer.
 */
function routing({ seed, wrongKey }: ClientInput): readonly Condition[] {
  const path = `/api/${randomSegment(seed, 'x-original-url')}`
  const requestId = line('x-request-id: 7b1f9a52-0c3e')
  return [
    // Gateways that know tokens or sessions refuse these themselves.
    bringing('an invented token in authorization', 'authorization', `Bearer ${wrongKey}`, byTransport),
    field('x-forwarded-for: 192.0.2.17'),
    bringing('an invented cookie', 'cookie', `session=${wrongKey}; authenticated=true`, byTransport),
    { name: 'x-request-id twice', apply: adding(requestId, requestId) },
    bringing('x-original-url: /api/zz…', 'x-original-url', path, { also: [unknownEndpoint] }),
    field('x-http-method-override: HEAD', byTransport),
    bringing('x-rewrite-url: /api/zz…', 'x-rewrite-url', path, { also: [unknownEndpoint] }),
  ]
}

/** An invented credential where a service may look for the absent field. The service may then answer as it does to a wrong credential. */
function invented(what: 'key' | 'secret', { wrongKey, wrongSecret }: ClientInput): readonly Condition[] {
  const isKey = what === 'key'
  const value = isKey ? wrongKey : wrongSecret
  const [absent, spelled] = isKey ? ['x-api-key', 'api_key'] : ['x-secret-key', 'secret_key']
  const encoded = encodeURIComponent(value)
  const pair = Buffer.from(`${wrongKey}:${wrongSecret}`).toString('base64')
  const inQuery = (name: string): Condition => query(`an invented ${what} in ?${name}=`, `${name}=${encoded}`)
  const inField = (name: string, how: string, text: string): Condition =>
    bringing(`an invented ${what} in ${how}`, name, text, byTransport)
  const inAuthorization = (scheme: string, credential: string): Condition =>
    inField('authorization', `authorization: ${scheme}`, `${scheme} ${credential}`)
  const underscored = absent.replaceAll('-', '_')
  return [
    inAuthorization('Bearer', value),
    inQuery(spelled),
    inField('cookie', 'a cookie', `${spelled}=${encoded}; ${absent}=${encoded}`),
    inQuery(absent),
    // Some CGI-like servers, such as Puma and php -S, take it for the same name.
    bringing(underscored, underscored, value, { weakness: 'warning' }),
    inAuthorization('Basic', pair),
    inQuery(isKey ? 'apikey' : 'secret'),
    inQuery(isKey ? 'key' : 'apisecret'),
  ]
}

/** The factors for a flaw, in the order in which their conditions are applied. */
export function factorsOf(
  { base, connection, isServed }: Omit<RowFlaw, 'name' | 'change'>,
  input: ClientInput,
): readonly Factor[] {
  return [
    clients,
    connectionsOf[connection],
    accepts(input),
    languages,
    codings,
    conditions,
    // A query that is known to be invalid is left as it is.
    ...(base === 'input-invalid' ? [] : [queries(input)]),
    ...(isServed ? [] : [elsewhere(base, input)]),
    ...(base.endsWith('-absent') ? [browsers] : []),
  ]
}

/** Fields in requests from web pages, never added to a request that is served. A gateway may refuse an unknown origin. */
const browsers: Factor = {
  name: 'browser',
  levels: [
    field('origin: https://conformance.invalid', byTransport),
    null,
    field('x-requested-with: XMLHttpRequest'),
    null,
  ],
  isRanked: true,
}

function elsewhere(base: Base, input: ClientInput): Factor {
  const general = routing(input)
  const absent = base === 'api-key-absent' ? 'key' : base === 'secret-key-absent' ? 'secret' : null
  // If a credential is absent, a token is one of the places in which to look for it.
  const levels = absent === null ? [null, ...general] : [...invented(absent, input), ...general.slice(1)]
  return { name: 'elsewhere', levels, isRanked: absent !== null }
}

/** Every condition, with a unique name. */
export function everyCondition(input: ClientInput): readonly Condition[] {
  const kinds = [
    ['valid', 'any'],
    ['api-key-absent', 'behind'],
    ['secret-key-absent', 'any'],
    ['valid', 'HTTP/1.0'],
  ] as const
  const all = kinds
    .flatMap(([base, connection]) => factorsOf({ base, connection, isServed: false }, input))
    .flatMap(({ levels }) => levels.flatMap((level) => level ?? []))
  return [...new Map(all.map((condition) => [condition.name, condition])).values()]
}

/** Whether the condition may change the answer to a flawed request. */
export function isExcuse({ also, fieldMayBeRefused, transportMayRefuse, widens }: Condition): boolean {
  return [fieldMayBeRefused, transportMayRefuse, widens].includes(true) || also !== undefined
}
