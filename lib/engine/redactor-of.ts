import { redactorFor, type Redactor } from '../redact/redact.ts'
import { Secret } from '../redact/secret.ts'
import { secretsIn } from '../settings/connection-settings.ts'
import { credentialsOf } from '../settings/clients.ts'
import type { Settings } from '../settings/settings.ts'

/** Knows every credential of the settings, and those of the proxy. */
export function redactorOf(settings: Settings): Redactor {
  const { httpsProxy } = settings.run
  const ofProxy =
    httpsProxy === null ? [] : secretsIn(httpsProxy).map((value) => new Secret('HTTPS_PROXY', value))
  return redactorFor([
    ...credentialsOf(settings).flatMap(({ apiKey, secretKey }) => [apiKey, secretKey]),
    ...ofProxy,
  ])
}
