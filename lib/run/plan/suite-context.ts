import { hash } from 'node:crypto'
import type { Baseline } from '../../drift/baseline.ts'
import type { CaseClass } from '../../fuzz/case-class.ts'
import { setting, withQuery, without, type RequestChange } from '../../fuzz/request-changes.ts'
import { randomSegment } from '../../fuzz/seeded.ts'
import { fieldsOf, nextOf, valueOf, type MessageForm, type Request } from '../../http/exchange.ts'
import type { Connection } from '../../http/transport.ts'
import { allowed, factsOf } from '../../judge/facts.ts'
import type { Exemptions } from '../../judge/judge.ts'
import type { KnownEndpoint, KnownClient, TargetModel } from '../../judge/target-model.ts'
import { redactorFor } from '../../redact/redact.ts'
import { Secret, type Credentials } from '../../redact/secret.ts'
import { clientTable, passwordsIn } from '../../settings/connection-settings.ts'
import { packageVersion } from '../../settings/package-version.ts'
import { settingTable } from '../../settings/setting-table.ts'
import type { RunSettings, Settings } from '../../settings/settings.ts'
import type { Answer } from '../../specification/answers.ts'
import { type ClientName, clientRows } from '../../specification/client-rows.ts'
import { filledPath, listPath, maySend } from '../../specification/endpoints.ts'
import { specCatalogue, type Catalogue, type RuleId, isSelected } from '../../specification/rules.ts'
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
    described: listed ? describedBy(listed) : null,
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

/** The redactor for every credential in the settings, including the proxy's. */
export const redactorOf = onceFor((settings: Settings) => {
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
})

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
  if (!list || baseUrl === null) return typed
  // The curl commands for plain valid requests contain names of settings next to names of fields.
  const lines = clients.map((client) => curlLine(plainRequest(list, client).request, { ...run, baseUrl }))
  return [...typed, ...lines.flatMap((line) => line ?? [])]
}

/** An endpoint that every generic rule judges. */
export type JudgedEndpoint = KnownEndpoint &
  Readonly<{
    request: TestRequest
    /** The same request from another client; empty if that client is not configured. */
    of: (client: ClientName) => readonly TestRequest[]
    /** The full name of a case, to which endpoints other than the list endpoint add their label. */
    named: (name: string) => string
  }>

/** The rule and name of a case to send again, and how many times (once by default). */
export type ReplayedCase = Readonly<{
  rule: RuleId
  case: string
  times?: number
  /** Whether the finding came from the baseline, which must then be given. */
  againstBaseline?: boolean
}>

/** The input for a run, other than its settings. */
export type RunBackground = Readonly<{
  /** All rules of the run's suites. */
  catalogue: Catalogue
  /** The only case to send, or null for all. */
  replayed: ReplayedCase | null
  /** The baseline to compare with; null if there is none. */
  baseline: Baseline | null
}>

/** The input from which suites make their cases. */
export type SuiteContext = ReturnType<typeof suiteContext>

/** Makes the context; the settings must name a client and an address. */
export function suiteContext(
  settings: Settings,
  { catalogue = specCatalogue, replayed = null, baseline = null }: Partial<RunBackground> = {},
) {
  const { client, baseUrl } = settings.target
  const { seed } = settings.run
  if (client === null || baseUrl === null)
    throw new TypeError('suites need an address and the credentials of the target client')
  const model = targetModel(settings)
  const endpoints = model.endpoints
    .filter(({ inactive, mayBeSent }) => !inactive && mayBeSent)
    .map((known, index): JudgedEndpoint => ({
      ...known,
      request: plainRequest(known, { name: 'target', credentials: client }),
      // A new one for each case, because what confirms a breach of a request counts for all its cases.
      of: (other) =>
        model.clients.filter(({ name }) => name === other).map((one) => plainRequest(known, one)),
      named: (name) => (index === 0 ? name : `${name}@${known.label.replaceAll(' ', '-')}`),
    }))
  const [list] = endpoints
  const selected = [...catalogue.keys()].filter((id) => isSelected(settings.run.only, id))
  const isCompared = baseline !== null && settings.run.baseline?.mode === 'compare'
  const judgesAgain = (rule: RuleId, { rule: own, againstBaseline = isCompared }: ReplayedCase) =>
    rule === own || (againstBaseline && rule === 'tolerance/no-breaking-change')
  if (!list) throw new TypeError('the list endpoint is always known')

  return {
    catalogue,
    replayed,
    baseline,
    settings,
    fixtures: settings.fixtures,
    model,
    target: client,
    seed,
    ...profileChoice(settings.run, replayed !== null),
    /** The list endpoint, followed by the endpoints in the endpoints file. */
    endpoints,
    list,
    /** A plain valid request to a path under /api/ that does not exist, different for each name. */
    unknownEndpoint: (name: string, more = ''): TestRequest =>
      list.request.to(`/api/${randomSegment(seed, name)}${more}`, 'an unknown path under /api/'),
    selected,
    selects: (rule: RuleId) => (replayed === null ? selected.includes(rule) : judgesAgain(rule, replayed)),
    /** The documented answers to a request, according to the oracle. */
    documented: ({ request }: TestRequest): readonly Answer[] => allowed(factsOf(request, model)),
    /** Permitted redirect targets for near misses of known paths. */
    places: { baseUrl, paths: model.endpoints.map(({ path }) => path) },
  }
}

/** A value for each profile, and why a gate gets less. */
export type Choice<Value> = Readonly<{
  /** For nightly runs, acceptance runs and replays. */
  all: Value
  gate: Value
  /** For a run with one case per rule; by default the same as in a gate. */
  essential?: Value
  /** For acceptance runs and replays; `all` by default. */
  acceptance?: Value
  because: string
}>

type Named = { readonly name: string }

/** The items with one of these names, in list order. */
export function only<One extends Named>(all: readonly One[], ...names: readonly One['name'][]) {
  return all.filter(({ name }) => names.includes(name))
}

/** Which of a rule's listed cases find the most faults. */
export interface ListedChoice {
  /** The case that finds the most faults or shares its requests. It is sent first, so that a small budget covers it. By default, the first case. */
  readonly mostTelling?: string
  /** The cases that a gate sends to further endpoints: few, so that two such endpoints fit into the budget; null for all. By default none, or all for a user's own rule. */
  readonly further?: readonly string[] | null
}

/** How many generated cases a gate sends. */
export interface GeneratedChoice {
  /** The rule's share of the requested cases, some of which are replaced by rows of factors. More than 1 makes up for cases that are always sent. Default: 1. */
  readonly share?: number
}

type Asked = Pick<RunSettings, 'profile' | 'essential'>

function extentOf({ profile, essential }: Asked, isReplay: boolean) {
  if (isReplay) return 'acceptance'
  if (essential) return 'essential'
  return profile === 'nightly' ? 'all' : profile
}

/** Chooses what a run sends, depending on its profile. */
export type ProfileChoice = ReturnType<typeof profileChoice>

/** The choices for a run with these settings; a replay can send everything. */
export function profileChoice(run: Asked, isReplay: boolean) {
  const extent = extentOf(run, isReplay)
  const isWhole = extent === 'all' || extent === 'acceptance'
  const isGate = extent === 'gate'

  return {
    byProfile: <Value>({ all, gate, essential = gate, acceptance = all }: Choice<Value>): Value =>
      ({ all, gate, essential, acceptance })[extent],
    /** The listed cases that the run sends, starting with the case that finds the most faults. */
    listed: <One extends Named>(
      made: readonly One[],
      { mostTelling, further = null }: ListedChoice,
    ): readonly One[] => {
      const sent = made.filter(({ name }) => isWhole || further === null || isInGate(name, further))
      const first = sent.filter(({ name }) => name === mostTelling)
      const cases = [...first, ...sent.filter((one) => !first.includes(one))]
      return extent === 'essential' ? cases.slice(0, 1) : cases
    },
    /** Divides generated cases among endpoints. */
    shares: <Endpoint>(endpoints: readonly Endpoint[], cases: number) => {
      const [sentTo, sent] =
        extent === 'essential' ? [endpoints.slice(0, 1), Math.min(1, cases)] : [endpoints, cases]
      return sentTo.map((endpoint, index) => ({
        endpoint,
        count: Math.floor((sent + sentTo.length - 1 - index) / sentTo.length),
      }))
    },
    /** The classes for an endpoint, in which `always` counts the cases that come first, and how many further cases are drawn by weight. */
    draws: (
      classes: readonly CaseClass[],
      { count, isList, share = 1 }: GeneratedChoice & { readonly count: number; readonly isList: boolean },
    ) => {
      const drawn = classes.map((one) => {
        const { always = 0, everywhere = false, count: listed = 0, weight, because } = one
        return {
          ...one,
          always: isGate && (isList || everywhere) ? Math.min(always, listed) : 0,
          weight: because === undefined || always > 0 ? weight : 0,
        }
      })
      const sent = isWhole ? whole(classes) : drawn
      const asked = isGate ? Math.ceil(count * share) : count
      // Listed cases count as requested.
      const left = sent.reduce((rest, { always = 0 }) => rest - always, asked)
      const least = isWhole ? leastByWeight.all : leastByWeight.gate
      return { classes: sent, more: Math.max(left, Math.ceil(asked * least)) }
    },
  }
}

/** The settings that would reach more situations, either with more cases or with other rows. */
export type MoreOf = ReturnType<typeof settingsForMore>

/** The settings for more cases and for other rows. */
export function settingsForMore(asked: Asked & Pick<RunSettings, 'only'>) {
  const extent = extentOf(asked, false)
  const both = (name: string) => ({ cases: name, rows: name })
  if (asked.only !== null || extent === 'essential') return both('a run of all rules')
  return extent === 'gate' ? both('--profile acceptance') : { cases: '--fuzz-cases', rows: '--seed' }
}

/** Whether a gate sends a case: all cases for the list endpoint, but few for others, which have an `@` in the name. */
function isInGate(name: string, further: readonly string[]) {
  const [plainName = '', ...label] = name.split('@')
  return label.length === 0 || further.includes(plainName)
}

/** The minimum share of the requested cases that is drawn by weight, in addition to the cases that classes list. */
const leastByWeight = { gate: 0.55, all: 0.8 }

/** Makes a value once for each object. */
function onceFor<Key extends object, Value>(make: (key: Key) => Value) {
  const made = new WeakMap<Key, Value>()
  return (key: Key) => {
    const value = made.get(key) ?? make(key)
    made.set(key, value)
    return value
  }
}

/** Makes a value once per context, for several rules. */
export const oncePerRun = <Value>(make: (context: SuiteContext) => Value) => onceFor(make)

/** Makes a value once per context and endpoint, for several rules. */
export function oncePerEndpoint<Value>(make: (endpoint: JudgedEndpoint, context: SuiteContext) => Value) {
  const made = oncePerRun((context) => new Map(context.endpoints.map((one) => [one, make(one, context)])))
  return (endpoint: JudgedEndpoint, context: SuiteContext) =>
    made(context).get(endpoint) ?? make(endpoint, context)
}

/** The classes, with every listed case. */
export function whole(classes: readonly CaseClass[]) {
  return classes.map((one) => (one.always === undefined ? one : { ...one, always: one.count ?? 0 }))
}
