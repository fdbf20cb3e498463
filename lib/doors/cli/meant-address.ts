import type { Exchange } from '../../http/exchange.ts'
import { TransportError } from '../../http/transport-error.ts'
import { openTransport } from '../../http/transport.ts'
import { answeredBy, isServed } from '../../judge/answered.ts'
import type { KnownClient } from '../../judge/target-model.ts'
import { targetModel } from '../../run/plan/model-of-settings.ts'
import { plainRequest, userAgent } from '../../run/plan/test-request.ts'
import { withoutEndpointPath } from '../../settings/base-url.ts'
import { issue, type SettingIssue } from '../../settings/issue.ts'
import { packageVersion } from '../../settings/package-version.ts'
import type { Settings } from '../../settings/settings.ts'
import { isDocumentedPair } from '../../specification/answers.ts'

/**
 * Returns an issue if the base URL ends with the endpoint's path and the service answers only without it; otherwise null. Sends nothing for
 * other base URLs. Sends one plain request as the target client, and a second one if the first is refused.
 */
export async function addressIssue(settings: Settings): Promise<SettingIssue | null> {
  const { baseUrl, embedded } = settings.target
  const [client] = targetModel(settings).clients
  const meant = embedded || baseUrl === null ? null : withoutEndpointPath(baseUrl)
  if (baseUrl === null || client === undefined || meant === null) return null

  const asked = await answerTo(client, settings, baseUrl)
  if (asked instanceof TransportError || isServed(asked)) return null
  const { status, errorCode, flaw } = answeredBy(asked.response)
  if (flaw === null && isDocumentedPair(status, errorCode) && errorCode !== '1010') return null
  const there = await answerTo(client, settings, meant)
  if (there instanceof TransportError || !isServed(there)) return null
  const expected = 'the address without the path of the endpoint, which is appended to it'
  const hint = `did you mean ${meant}? The service answers there, but not at the given address`
  return issue('TARGET_BASE_URL', { given: baseUrl, expected, hint })
}

/** Sends one plain valid request as the client, returns the answer or why there is none, and waits until the rate allows the next one. Follows no redirects. */
export async function answerTo(
  { name, credentials }: KnownClient,
  settings: Settings,
  baseUrl: string,
): Promise<Exchange | TransportError> {
  const [list] = targetModel(settings).endpoints
  if (list === undefined) throw new TypeError('the list endpoint is always known')
  const { request } = plainRequest(list, credentials, { client: name, agent: userAgent(packageVersion()) })
  const { timeoutMs, ca, clientCertificate, httpsProxy, noProxy, maxRps } = settings.run
  const connect = { timeoutMs, connections: 1, ca: ca?.pem ?? null, clientCertificate, httpsProxy, noProxy }
  const transport = openTransport({ baseUrl, ...connect })
  try {
    return await transport.send(request)
  } catch (error) {
    if (error instanceof TransportError) return error
    throw error
  } finally {
    await transport.close()
    // Rounded up, so that no second exceeds the rate.
    const pauseMs = maxRps === null ? 0 : Math.ceil(1_000 / (maxRps < 1 ? maxRps : Math.floor(maxRps))) + 1
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}
