import type { KnownClient, KnownEndpoint, TargetModel } from '../../judge/target-model.ts'
import { redactorFor, type Redactor } from '../../redact/redact.ts'
import { Secret } from '../../redact/secret.ts'
import { clientTable } from '../../settings/client-settings.ts'
import { passwordsIn } from '../../settings/connection-settings.ts'
import { packageVersion } from '../../settings/package-version.ts'
import { settingTable } from '../../settings/setting-table.ts'
import type { Settings } from '../../settings/settings.ts'
import { clientRows, type ClientName } from '../../specification/client-rows.ts'
import { filledPath, listPath, maySend, type DescribedInput } from '../../specification/endpoints.ts'
import { specCatalogue } from '../../specification/rules.ts'
import { curlLine } from '../../verdict/shell-lines.ts'
import { plainRequests, userAgent } from './test-request.ts'

/** The clients and endpoints in the settings: the list endpoint first, then those in the endpoints file. */
export function targetModel(settings: Settings): TargetModel {
  const { target, fixtures } = settings
  const isList = ({ method, path }: Pick<KnownEndpoint, 'method' | 'path'>): boolean =>
    method === 'GET' && path === listPath
  const listed = target.endpoints.find(isList)
  const list: KnownEndpoint = {
    ...plain,
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
  const inactive = fixtures.inactiveEndpoint === null ? [] : [fixtures.inactiveEndpoint]
  return {
    clients: clientsOf(settings),
    endpoints: [
      list,
      ...further,
      ...inactive.map(({ method, path }) => ({
        ...plain,
        method,
        path,
        version: target.version,
        label: `${method} ${path}`,
        inactive: true,
      })),
    ],
    unsupportedVersion: fixtures.unsupportedVersion,
  }
}

/** Every configured client. */
function clientsOf({ target, fixtures }: Settings): readonly KnownClient[] {
  return clientTable.flatMap(({ name }) => {
    const credentials = name === 'target' ? target.client : fixtures[name]
    return credentials === null ? [] : [{ name, credentials }]
  })
}

/** A client's settings as sentences name them: `FIXTURE_SECOND_…`. */
export function settingsOfClient(client: ClientName): string {
  return `${clientRows[client].prefix}_…`
}

const plain = {
  query: null,
  body: null,
  invalidQuery: null,
  inactive: false,
  success: null,
  described: null,
  mayBeSent: true,
} as const

type Entry = Settings['target']['endpoints'][number]

function everyVersionOf(entry: Entry): readonly KnownEndpoint[] {
  const { method, path, pathParameters, versions, plainQuery, body, success, invalidQuery } = entry
  const texts = Object.entries(pathParameters).map(([name, { example = '' }]) => [name, String(example)])
  return versions.map((version) => ({
    ...plain,
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

function describedBy({ file, number, path, pathParameters, query, body }: Entry): DescribedInput {
  return { file, number, template: path, pathParameters, query, body }
}

const made = new WeakMap<Settings, Redactor>()

/** The redactor for every credential in the settings, including the proxy's. */
export function redactorOf(settings: Settings): Redactor {
  const redactor = made.get(settings) ?? makeRedactor(settings)
  made.set(settings, redactor)
  return redactor
}

function makeRedactor(settings: Settings): Redactor {
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

/** Long words in reports. Half of a credential such as `documented-key-1` may be such a word, which is then not a trace of it. */
const words: readonly string[] = `acceptance accepted additional addresses allowed-values answered application
  application/json attempted authorization because budget certificate certificates character characters combination
  compared comparing conditions configured conformance conformant connection connections content-encoding
  content-length content-type credential credentials customization customizations definitions described difference
  different documented embedded encoding endpoint environment error_code error_message everything exceeded exceptions
  exchange expectation expected expires exponent fingerprint fingerprints followed forbidden forwarded generated
  handshake incomplete inconclusive intermittent invented language location maximum milliseconds minimum modified
  nonconformant observations observed operations original parameter parameters permitted position privileged
  properties property provider reference refused repeated reproduced requested required response responses sentence
  separator sequence settings sometimes something specification specified spelling superscript themselves tolerated
  traceparent transfer-encoding undocumented unreachable unrelated untested unverified variables verified version
  versions violated violation violations violates whitespace www-authenticate`.split(/\s+/)

/** Text that the user typed and that reports show in full. It is refused if it contains most of a credential. */
function shownTexts(settings: Settings, { clients, endpoints }: TargetModel): readonly string[] {
  const { target, run } = settings
  const { baseUrl } = target
  const labels = endpoints.map(({ label }) => label)
  const typed = [baseUrl ?? '', target.label ?? '', target.build ?? '', ...labels, run.replayFlags.join(' ')]
  const [list] = endpoints
  if (list === undefined || baseUrl === null) return typed
  // The curl commands for plain valid requests contain names of settings next to names of fields.
  const requests = plainRequests(clients, list, userAgent(packageVersion()))
  return [
    ...typed,
    ...[...requests.values()].flatMap(({ request }) => curlLine(request, { ...run, baseUrl }) ?? []),
  ]
}
