import { scrubberFor, type Scrubber } from '../redact/scrub.ts'
import { Secret } from '../redact/secret.ts'
import { secretsIn } from '../settings/proxy.ts'
import { credentialsOf } from '../settings/clients.ts'
import type { Settings } from '../settings/settings.ts'

/** Knows every credential of the settings, and those of the proxy. */
export function scrubberOf(settings: Settings): Scrubber {
  const { httpsProxy } = settings.run
  const ofProxy =
    httpsProxy === null ? [] : secretsIn(httpsProxy).map((value) => new Secret('HTTPS_PROXY', value))
  return scrubberFor([
    ...credentialsOf(settings).flatMap(({ apiKey, secretKey }) => [apiKey, secretKey]),
    ...ofProxy,
  ])
}
