import { targetModel } from '../../engine/plan/model-of-settings.ts'
import { plainRequest, userAgent } from '../../engine/plan/test-request.ts'
import type { Exchange, Response } from '../../http/exchange.ts'
import { TransportError } from '../../http/transport-error.ts'
import { openTransport } from '../../http/transport.ts'
import { answeredBy, isServed } from '../../judge/answered.ts'
import type { KnownClient } from '../../judge/target-model.ts'
import { withoutEndpointPath } from '../../settings/base-url.ts'
import { issue, type SettingIssue } from '../../settings/issue.ts'
import { packageVersion } from '../../settings/package-version.ts'
import type { Settings } from '../../settings/settings.ts'
import { isDocumentedPair } from '../../specification/answers.ts'

/**
 * Issue of a base URL with the endpoint's path, if the service answers only without it; otherwise null. Sends nothing unless the base
 * URL ends so; then one plain request of the target client, and a second one if that is refused.
 */
export async function addressIssue(settings: Settings): Promise<SettingIssue | null> {
  const { baseUrl } = settings.target
  const [client] = targetModel(settings).clients
  if (baseUrl === null || client === undefined || withoutEndpointPath(baseUrl) === null) return null

  const asked = await answerTo(client, settings, baseUrl)
  const meant = asked.kind === 'answer' ? await meantBaseUrl(client, settings, asked.exchange.response) : null
  if (meant === null) return null
  const expected = 'the address without the path of the endpoint, which is appended to it'
  const hint = `did you mean ${meant}? The service answers there, and not at the address that was given`
  return issue('TARGET_BASE_URL', { given: baseUrl, expected, hint })
}

/** Base URL without the endpoint's path, if the service answers there and `given` looks as if it did not answer with it; otherwise null. */
export async function meantBaseUrl(
  client: KnownClient,
  settings: Settings,
  given: Response,
): Promise<string | null> {
  const { status, errorCode, flaw } = answeredBy(given)
  const isDocumented = flaw === null && isDocumentedPair(status, errorCode)
  const shorter = withoutEndpointPath(settings.target.baseUrl ?? '')
  if (shorter === null || (isDocumented && errorCode !== '1010')) return null
  const asked = await answerTo(client, settings, shorter)
  return asked.kind === 'answer' && isServed(asked.exchange) ? shorter : null
}

/** Outcome of one plain request. */
type Asked =
  | { readonly kind: 'answer'; readonly exchange: Exchange; readonly hasQuery: boolean }
  | { readonly kind: 'trouble'; readonly says: string }

/** Sends one plain valid request of the client, and waits until the rate allows another; follows no redirect. */
export async function answerTo(
  { name, credentials }: KnownClient,
  settings: Settings,
  baseUrl: string,
): Promise<Asked> {
  const [list] = targetModel(settings).endpoints
  if (list === undefined) throw new TypeError('the list endpoint is always known')
  const { request } = plainRequest(list, credentials, { client: name, agent: userAgent(packageVersion()) })
  const { timeoutMs, ca, clientCertificate, httpsProxy, noProxy, maxRps } = settings.run
  const connect = { timeoutMs, connections: 1, ca: ca?.pem ?? null, clientCertificate, httpsProxy, noProxy }
  const transport = openTransport({ baseUrl, ...connect })
  try {
    return { kind: 'answer', exchange: await transport.send(request), hasQuery: list.query !== null }
  } catch (error) {
    if (error instanceof TransportError) return { kind: 'trouble', says: error.message }
    throw error
  } finally {
    await transport.close()
    // Rounded up: then no second holds more requests than it may.
    const pauseMs = maxRps === null ? 0 : Math.ceil(1_000 / (maxRps < 1 ? maxRps : Math.floor(maxRps))) + 1
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}
