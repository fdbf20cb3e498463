import { hash } from 'node:crypto'
import { setting, without, withQuery, type RequestChange } from '../../fuzz/request-changes.ts'
import { fieldsOf, nextOf, valueOf, type MessageForm, type Request } from '../../http/exchange.ts'
import type { Connection } from '../../http/transport.ts'
import type { Exemptions } from '../../judge/judge.ts'
import type { KnownClient, KnownEndpoint, TargetModel } from '../../judge/target-model.ts'
import { redactorFor, type Redactor } from '../../redact/redact.ts'
import { Secret, type Credentials } from '../../redact/secret.ts'
import { passwordsIn, clientTable } from '../../settings/connection-settings.ts'
import { packageVersion } from '../../settings/package-version.ts'
import { settingTable } from '../../settings/setting-table.ts'
import type { Settings } from '../../settings/settings.ts'
import { clientRows, type ClientName } from '../../specification/client-rows.ts'
import { filledPath, listPath, maySend } from '../../specification/endpoints.ts'
import { specCatalogue, type RuleId } from '../../specification/rules.ts'
import { curlLine } from '../../verdict/show.ts'

/** Why a request is sent. */
export type Purpose = 'case' | 'health-check' | 'retry' | 'confirming' | 'shrinking'

/** The case that sends a request, and how. */
export type Context = Readonly<{
  /** The rule whose budget pays for its requests. */
  rule: RuleId
  case: string
  /** Requests that the case sends when it is replayed; by default one. */
  requestsAlone?: number
  /** Whether the case can be replayed by name; false if it belongs to one run. */
  replayable?: boolean
  /** The connection to send on; by default any of the pool. */
  connection?: Connection | undefined
  /** Whether the full concurrency of the settings applies, even if this slows the service down, because a scenario may test exactly that. */
  atOnce?: boolean | undefined
  /** Set if the request confirms a breach or tries a simpler case. */
  purpose?: 'confirming' | 'shrinking'
}>

/** How run-wide rules and records treat the answer. */
export type RequestTraits = Exemptions &
  Readonly<{
    /** The client whose quota it uses. */
    client: ClientName
    /** The endpoint's name in cases and fingerprints: never a random path, never an address. */
    endpoint: string
    /** A valid request as the specification shows it: anything but success violates `endpoints/list-succeeds`. */
    plain: boolean
    /** The names of its conditions; absent if it is not a row of factors. */
    conditions?: readonly string[]
    /** Whether the conditions allow additional answers. */
    excused?: boolean
    /** Why a breach that is not a wrong success is only a warning. */
    weakness?: 'implied' | 'warning'
    /** The request has a value from the endpoints file: a success must match the file, too. */
    described?: boolean
    /** The rule tests the quota: 429 / 1020 is judged like any other answer. */
    asksForQuota?: boolean
  }>

/** A request made from a plain valid request by chained changes. Immutable. */
export class TestRequest {
  readonly request: Request
  readonly traits: RequestTraits
  #hash: string | null = null
  #key: string | null = null

  constructor(request: Request, traits: RequestTraits) {
    this.request = request
    this.traits = traits
  }

  /** A digest of the bytes that reveals no credential. */
  get hash() {
    this.#hash ??= hash('sha256', JSON.stringify(bytesOf(this.request)), 'hex')
    return this.#hash
  }

  /** A digest of the bytes and of the traits that run-wide rules use. */
  get key() {
    this.#key ??= hash('sha256', JSON.stringify([bytesOf(this.request), ...judgedBy(this.traits)]), 'base64')
    return this.#key
  }

  /** Removes all fields with these names, in any letter case. */
  without(...names: readonly string[]) {
    return this.apply(without(...names))
  }

  /** Replaces the value of the field with this name, in any letter case, or appends the field. */
  with(name: string, value: string | Secret) {
    return this.apply(setting(name, value))
  }

  /** To another path; reports keep the endpoint's name by default. */
  to(target: string, endpoint: string = this.traits.endpoint) {
    return this.#changed({ target }, { endpoint })
  }

  /** Appends to the query that the endpoint needs. */
  withQuery(query: string) {
    return this.apply(withQuery(query))
  }

  /** With a generator's change. */
  apply(change: RequestChange) {
    return this.#changed(change(this.request))
  }

  method(method: string) {
    return this.#changed({ method })
  }

  /** Sent byte for byte over a raw socket. */
  onRawSocket(form?: MessageForm) {
    return this.#changed({ route: 'raw', ...(form === undefined ? {} : { form }) })
  }

  /** Whether it contains these credentials, each exactly once. */
  carries({ apiKey, secretKey }: Credentials) {
    const isSentOnce = (name: string, value: Secret) => {
      const [sent, ...more] = fieldsOf(this.request, name)
      return more.length === 0 && sent === value.reveal()
    }
    return isSentOnce('x-api-key', apiKey) && isSentOnce('x-secret-key', secretKey)
  }

  trait(traits: Partial<RequestTraits>) {
    return new TestRequest(this.request, { ...this.traits, ...traits })
  }

  #changed(request: Partial<Request>, traits: Partial<RequestTraits> = {}) {
    return new TestRequest({ ...this.request, ...request }, { ...this.traits, plain: false, ...traits })
  }
}

/** The traits that run-wide rules use. */
function judgedBy({ client, endpoint, plain, ...excuses }: RequestTraits) {
  const { observed, transportMayRefuse, mayRedirect, asksForQuota, fieldMayBeRefused } = excuses
  const each = [observed, transportMayRefuse, mayRedirect, asksForQuota, fieldMayBeRefused]
  return [client, endpoint, plain, ...each.map((one) => one === true)]
}

/** Everything that determines the bytes of a request. */
function bytesOf(request: Request): readonly unknown[] {
  const { method, target, fields, body, form } = request
  const lines = fields.map((field) => [field.name, valueOf(field)])
  const written = body === undefined ? [method, target, lines] : [method, target, lines, body]
  if (form === undefined) return written
  const { followedBy, ...how } = form
  return [
    ...written,
    how,
    typeof followedBy === 'object' ? followedBy.isInSameSegment : followedBy,
    ...nextOf(request).map(bytesOf),
  ]
}

/** A plain valid request for an endpoint, as specified. Source: Endpoints, Authentication. */
export function plainRequest(
  { method, path, query, version, label, inactive, body }: KnownEndpoint,
  { name: client, credentials: { apiKey, secretKey } }: KnownClient,
) {
  const request: Request = {
    method,
    target: query === null ? path : `${path}?${query}`,
    fields: [
      { name: 'x-api-key', value: apiKey },
      { name: 'x-secret-key', value: secretKey },
      { name: 'x-version', value: version },
      { name: 'accept', value: 'application/json' },
      { name: 'user-agent', value: `card-switch-conformance/${packageVersion()}` },
      ...(body === null ? [] : [{ name: 'content-type', value: 'application/json' }]),
    ],
    ...(body === null ? {} : { body }),
  }
  return new TestRequest(request, {
    client,
    endpoint: label,
    plain: !inactive && (client === 'target' || client === 'second'),
    transportMayRefuse: false,
  })
}

/** A plain valid request for an endpoint with each client's credentials. */
export function plainRequests(
  clients: readonly KnownClient[],
  endpoint: KnownEndpoint,
): ReadonlyMap<ClientName, TestRequest> {
  return new Map(clients.map((client) => [client.name, plainRequest(endpoint, client)]))
}

/** The clients and endpoints in the settings: the list endpoint first, then those in the endpoints file. */
export function targetModel(settings: Settings): TargetModel {
  const { target, fixtures } = settings
  const isList = ({ method, path }: Pick<KnownEndpoint, 'method' | 'path'>) =>
    method === 'GET' && path === listPath
  const listed = target.endpoints.find(isList)
  const list: KnownEndpoint = {
    ...bareEndpoint,
    method: 'GET',
    path: listPath,
    version: target.version,
    label: `GET ${listPath}`,
    query: target.query,
    invalidQuery: fixtures.invalidQuery,
    success: listed?.success ?? null,
    described: listed === undefined ? null : describedBy(listed),
  }
  const further = target.endpoints.filter((entry) => !isList(entry)).flatMap(everyVersionOf)
  const inactive = [fixtures.inactiveEndpoint ?? []].flat().map(({ method, path }) => {
    const label = `${method} ${path}`
    return { ...bareEndpoint, method, path, version: target.version, label, inactive: true }
  })
  const clients = clientTable.flatMap(({ name }) => {
    const credentials = name === 'target' ? target.client : fixtures[name]
    return credentials === null ? [] : [{ name, credentials }]
  })
  const { unsupportedVersion } = fixtures
  return { clients, endpoints: [list, ...further, ...inactive], unsupportedVersion }
}

/** A client's settings as sentences name them: `FIXTURE_SECOND_…`. */
export function settingsOfClient(client: ClientName) {
  return `${clientRows[client].prefix}_…`
}

/** The parts of an endpoint that few endpoints have. */
export const bareEndpoint = {
  query: null,
  body: null,
  invalidQuery: null,
  inactive: false,
  success: null,
  described: null,
  mayBeSent: true,
} as const

type Entry = Settings['target']['endpoints'][number]

function everyVersionOf(entry: Entry) {
  const { method, path, pathParameters, versions, plainQuery, body, success, invalidQuery } = entry
  const texts = Object.entries(pathParameters).map(([name, { example = '' }]) => [name, String(example)])
  return versions.map((version) => ({
    ...bareEndpoint,
    method,
    path: filledPath(path, Object.fromEntries(texts)),
    version: String(version),
    label: versions.length === 1 ? `${method} ${path}` : `${method} ${path} (version ${version})`,
    query: plainQuery,
    body: body?.example === undefined ? null : JSON.stringify(body.example),
    invalidQuery,
    success,
    described: describedBy(entry),
    mayBeSent: maySend(entry),
  }))
}

function describedBy({ file, number, path, pathParameters, query, body }: Entry) {
  return { file, number, template: path, pathParameters, query, body }
}

const made = new WeakMap<Settings, Redactor>()

/** The redactor for every credential in the settings, including the proxy's. */
export function redactorOf(settings: Settings): Redactor {
  const redactor = made.get(settings) ?? makeRedactor(settings)
  made.set(settings, redactor)
  return redactor
}

function makeRedactor(settings: Settings) {
  const { httpsProxy } = settings.run
  const ofProxy =
    httpsProxy === null ? [] : passwordsIn(httpsProxy).map((value) => new Secret('HTTPS_PROXY', value))
  const model = targetModel(settings)
  const ofClients = model.clients.flatMap(({ credentials }) => [credentials.apiKey, credentials.secretKey])
  return redactorFor(
    [...ofClients, ...ofProxy],
    [
      ...[...specCatalogue].flatMap(([id, { says, section }]) => [id, says, section]),
      ...words,
      ...settingTable.flatMap(({ name, flag }) => (flag === null ? [name] : [name, `--${flag}`])),
      ...shownTexts(settings, model),
    ],
  )
}

/** Long words in reports that no rule or setting contains. Half of a credential such as `documented-key-1` may be such a word, which is then not a trace of it. */
const words: readonly string[] = `accepted additional addresses allowed-values attempted authorization because
  budget certificates compared comparing conditions configured conformance connections content-encoding
  content-length definitions difference embedded environment everything exceeded exceptions exchange expected
  expires exponent fingerprints followed forbidden forwarded handshake incomplete inconclusive intermittent invented
  language location maximum milliseconds minimum modified nonconformant observations observed operations original
  position privileged provider reference repeated reproduced required responses sentence separator sequence settings
  sometimes something specified spelling superscript themselves traceparent transfer-encoding unreachable untested
  unverified variables violated violations violates whitespace www-authenticate`.split(/\s+/)

/** Text that the user typed and that reports show in full. It is refused if it contains most of a credential. */
function shownTexts(settings: Settings, { clients, endpoints }: TargetModel) {
  const { target, run } = settings
  const { baseUrl } = target
  const labels = endpoints.map(({ label }) => label)
  const typed = [baseUrl ?? '', target.label ?? '', target.build ?? '', ...labels, run.replayFlags.join(' ')]
  const [list] = endpoints
  if (list === undefined || baseUrl === null) return typed
  // The curl commands for plain valid requests contain names of settings next to names of fields.
  const requests = plainRequests(clients, list)
  return [
    ...typed,
    ...[...requests.values()].flatMap(({ request }) => curlLine(request, { ...run, baseUrl }) ?? []),
  ]
}
