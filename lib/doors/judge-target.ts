import { basename } from 'node:path'
import { proxyFor, trustedFiles } from '../http/connector.ts'
import { Secret, type Credentials } from '../redact/secret.ts'
import { redactorOf } from '../run/plan/model-of-settings.ts'
import { clients } from '../serve/reference/clients.ts'
import { startReference } from '../serve/reference/service.ts'
import { clientEntry } from '../settings/client-settings.ts'
import type { Settings } from '../settings/settings.ts'
import { ofClients, type ClientName } from '../specification/client-rows.ts'
import type { TargetConnection } from '../verdict/verdict.ts'

/** Calls `work` with a reachable target. Starts the embedded service on a free port if needed. */
export async function withTarget<Result>(
  settings: Settings,
  work: (settings: Settings) => Promise<Result>,
): Promise<Result> {
  if (!settings.target.embedded) return work(settings)
  const service = await startReference()
  try {
    return await work(withEmbedded(settings, service.baseUrl))
  } finally {
    await service.close()
  }
}

/** Returns the settings with the clients and fixtures of the embedded service at this address. */
export function withEmbedded(settings: Settings, baseUrl: string): Settings {
  const { target: client, ...fixtures } = ofClients(embeddedClient)
  return {
    ...settings,
    target: { ...settings.target, baseUrl, client },
    fixtures: {
      ...settings.fixtures,
      ...fixtures,
      unsupportedVersion: '2147483647',
      invalidQuery: 'limit=abc',
      disposableQuota: 6,
    },
  }
}

function embeddedClient(name: ClientName): Credentials {
  const { apiKey, secretKey } = clients[name === 'target' ? 'permitted' : name]
  const entry = clientEntry(name)
  return {
    apiKey: new Secret(entry.apiKey, apiKey),
    secretKey: new Secret(entry.secretKey, secretKey),
  }
}

/**
 * Describes the proxy (without its credentials), certificate authorities and client certificate used between suite and target; null if
 * there are none. They apply only to https, and the proxy does not apply to hosts in NO_PROXY. Also names each of these settings, and the
 * address, if it came from a `.env` that the user did not name.
 */
export function connectionOf(
  settings: Settings,
  env: Readonly<Record<string, string | undefined>>,
): TargetConnection | null {
  const { target, run } = settings
  if (target.baseUrl === null) return null

  const redactor = redactorOf(settings)
  const redact = (text: string): string => redactor.redact(text)
  const isEncrypted = target.baseUrl.startsWith('https:')
  const proxy = proxyFor(new URL(target.baseUrl), run.httpsProxy, run.noProxy)?.origin ?? null
  // The file of Node's own authorities may be in any folder.
  const caFiles = isEncrypted
    ? [...(run.ca === null ? [] : [run.ca.file]), ...trustedFiles(env).map((file) => `…/${basename(file)}`)]
    : []
  const certFile = isEncrypted ? run.clientCertificate?.file : undefined
  const isUsed = { TARGET_BASE_URL: !target.embedded, HTTPS_PROXY: proxy !== null, RUN_CA_FILE: isEncrypted }
  const fromEnvFile = target.fromEnvFile.filter((name) => isUsed[name])
  if (proxy === null && caFiles.length === 0 && certFile === undefined && fromEnvFile.length === 0)
    return null
  return {
    proxy: proxy === null ? null : redact(proxy),
    caFiles: caFiles.map(redact),
    ...(certFile === undefined ? {} : { certFile: redact(certFile) }),
    ...(fromEnvFile.length === 0 ? {} : { fromEnvFile }),
  }
}
