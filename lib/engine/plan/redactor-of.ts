import { curlLine } from '../../explain/shell-lines.ts'
import { redactorFor, type Redactor } from '../../redact/redact.ts'
import { Secret } from '../../redact/secret.ts'
import { passwordsIn } from '../../settings/connection-settings.ts'
import { credentialsOf } from '../../settings/read-clients.ts'
import { settingTable } from '../../settings/setting-table.ts'
import type { Settings } from '../../settings/settings.ts'
import { ownTexts } from './own-text.ts'
import { packageVersion } from '../../settings/package-version.ts'
import { targetModel } from './model-of-settings.ts'
import { plainRequests, userAgent } from './test-request.ts'

const made = new WeakMap<Settings, Redactor>()

/** The redactor for every credential of the settings and of the proxy. */
export function redactorOf(settings: Settings): Redactor {
  const redactor = made.get(settings) ?? makeRedactor(settings)
  made.set(settings, redactor)
  return redactor
}

function makeRedactor(settings: Settings): Redactor {
  const { httpsProxy } = settings.run
  const ofProxy =
    httpsProxy === null ? [] : passwordsIn(httpsProxy).map((value) => new Secret('HTTPS_PROXY', value))
  const ofClients = credentialsOf(settings).flatMap(({ apiKey, secretKey }) => [apiKey, secretKey])
  return redactorFor(
    [...ofClients, ...ofProxy],
    [...ownTexts(), ...settingNames, ...textsShown(settings), ...plainLines(settings)],
  )
}

const settingNames: readonly string[] = settingTable.flatMap(({ name, flag }) =>
  flag === null ? [name] : [name, `--${flag}`],
)

/** What the user typed and reports show in clear: it is refused if it holds most of a credential. */
function textsShown(settings: Settings): readonly string[] {
  const { target, run } = settings
  const labels = targetModel(settings).endpoints.map(({ label }) => label)
  return [target.baseUrl ?? '', target.label ?? '', target.build ?? '', ...labels, run.replayFlags.join(' ')]
}

/** The lines of curl for plain valid requests, which hold names of settings and of fields side by side. */
function plainLines(settings: Settings): readonly string[] {
  const { target, run } = settings
  const { clients, endpoints } = targetModel(settings)
  const [list] = endpoints
  if (list === undefined || target.baseUrl === null) return []
  const options = { ...run, baseUrl: target.baseUrl }
  const requests = plainRequests(clients, list, userAgent(packageVersion()))
  return [...requests.values()].flatMap(({ request }) => curlLine(request, options) ?? [])
}
