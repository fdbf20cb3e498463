import type { Credentials } from '../redact/secret.ts'
import { Secret } from '../redact/secret.ts'
import { clients, type ReferenceClient } from '../reference/clients.ts'
import { startReference, type ReferenceService } from '../reference/service.ts'
import type { Settings } from '../settings/settings.ts'

/** The settings of a run against the embedded service, and the service to be closed after it. */
export interface EmbeddedTarget {
  readonly settings: Settings
  readonly service: ReferenceService
}

/** Starts the embedded reference service on a free port, and puts its address and all its clients into the settings. */
export async function startEmbedded(settings: Settings): Promise<EmbeddedTarget> {
  const service = await startReference()
  return { service, settings: withEmbedded(settings, service.baseUrl) }
}

/** The settings with the clients and fixtures of the embedded service, wherever it listens. */
export function withEmbedded(settings: Settings, baseUrl: string): Settings {
  return {
    ...settings,
    target: { ...settings.target, baseUrl, client: credentials('TARGET', clients.permitted) },
    fixtures: {
      ...settings.fixtures,
      unsupportedVersion: '2147483647',
      invalidQuery: 'limit=abc',
      second: credentials('FIXTURE_SECOND', clients.second),
      noCustomer: credentials('FIXTURE_NO_CUSTOMER', clients.noCustomer),
      inactive: credentials('FIXTURE_INACTIVE', clients.inactive),
      unauthorized: credentials('FIXTURE_UNAUTHORIZED', clients.unauthorized),
      exhausted: credentials('FIXTURE_EXHAUSTED', clients.exhausted),
      disposable: credentials('FIXTURE_DISPOSABLE', clients.disposable),
      disposableQuota: 6,
    },
  }
}

function credentials(prefix: string, { apiKey, secretKey }: ReferenceClient): Credentials {
  return {
    apiKey: new Secret(`${prefix}_API_KEY`, apiKey),
    secretKey: new Secret(`${prefix}_SECRET_KEY`, secretKey),
  }
}
