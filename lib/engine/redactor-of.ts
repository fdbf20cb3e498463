import { redactorFor, type Redactor } from '../redact/redact.ts'
import { Secret } from '../redact/secret.ts'
import { secretsIn } from '../settings/connection-settings.ts'
import { credentialsOf } from '../settings/clients.ts'
import type { Settings } from '../settings/settings.ts'
import { documentedPairs } from '../spec/answers.ts'
import { listPath, requiredFields } from '../spec/endpoints.ts'

/** Words of the specification: an answer that holds them reveals nothing of an equal credential. */
const publicWords: readonly string[] = [
  listPath,
  ...requiredFields,
  ...documentedPairs.flatMap(({ errorCode, errorMessage }) => [errorCode, errorMessage]),
  'error_code',
  'error_message',
  'content-type',
  'application/json',
]

/** Makes a redactor for every credential of the settings and of the proxy. */
export function redactorOf(settings: Settings): Redactor {
  const { httpsProxy } = settings.run
  const ofProxy =
    httpsProxy === null ? [] : secretsIn(httpsProxy).map((value) => new Secret('HTTPS_PROXY', value))
  const ofClients = credentialsOf(settings).flatMap(({ apiKey, secretKey }) => [apiKey, secretKey])
  const paths = settings.target.endpoints.map(({ path }) => path)
  return redactorFor([...ofClients, ...ofProxy], [...publicWords, ...paths])
}
