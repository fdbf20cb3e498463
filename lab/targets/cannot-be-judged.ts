import type { ServerResponse } from 'node:http'
import type { RawServerOptions } from '../../lib/http/testing/raw-server.ts'
import { clients, type ClientName } from '../../lib/serve/reference/clients.ts'
import type { ReferenceService } from '../../lib/serve/reference/service.ts'
import { closed, unavailable, type Texts } from '../../tests/support/program.ts'
import type { Service } from '../judge/service.ts'
import { alike, another, ending, inJson, ok, onBytes, page, redirect } from './bytes.ts'
import { impatient, intervening, lacking, neverBegins, onReference, targets, withEnv } from './target.ts'
import type { Intervene } from './target.ts'

const check = 'check TARGET_API_KEY and TARGET_SECRET_KEY'
const refusedRate = 'HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n'
const tooMany = ['the service refused the rate of requests', '(429)'] as const
const usedUp = 'the daily quota of the client of TARGET_API_KEY is used up'

/** The client of TARGET_API_KEY gets this code with these settings. */
const refused = (code: string, ...settings: Parameters<typeof withEnv>) =>
  [[`401 / ${code}`, check], withEnv(...settings)] as const

/** The client of TARGET_API_KEY is one that must get this code. */
const clientRefused = (name: ClientName, code: string, fixture: string) => {
  const { apiKey, secretKey } = clients[name]
  const own = { TARGET_API_KEY: apiKey, TARGET_SECRET_KEY: secretKey }
  return refused(code, (env) => ({ ...lacking(env, fixture), ...own }))
}

/**
 * The daily quota of the client is used up at some time. Concurrent requests may still be in flight, but no new
 * ones are started.
 */
const quotaUsedUp = (permitted: number, requests: number) =>
  [[usedUp], () => onReference({ quotas: { permitted } }), [], { requests }] as const

const cutOff = 'closed the connection before its answer was complete'
const notHttp = 'is not HTTP: check the scheme and the port of TARGET_BASE_URL'
const stopped = 'the service stopped answering plain valid requests'

type Trouble = (response: ServerResponse, service: ReferenceService) => ReturnType<Intervene>

/** The reference service, with this trouble from its fortieth request on, and why the run cannot go on. */
const fromTheFortieth = (why: string, trouble: Trouble, env: Texts = {}) => {
  const late: Intervene = (_, response, of) => of.requests() >= 40 && trouble(response, of)
  return [[stopped, why], intervening(late, env)] as const
}

/** A gateway answers every request in place of the service. */
const gateway = (status: number, reason: string, title: string) =>
  [`a gateway answered ${status} in place of the service`, alike(page(`${status} ${reason}`, title))] as const

/** What happens to every connection as soon as it stands. No request is answered. */
const greeting = (onConnection: NonNullable<RawServerOptions['onConnection']>) => () =>
  onBytes(() => {}, { onConnection })

/** Targets that cannot be judged. */
export const cannotBeJudged: readonly Service[] = targets({
  // Addresses where no connection can be made, or none is answered.

  // Nobody listens on the port.
  'nobody-listens': [
    ['nothing is listening on 127.0.0.1:', 'check that the service is running'],
    async () => {
      const target = await onReference()
      await target.close()
      return target
    },
  ],
  // The name of the host does not resolve.
  'name-does-not-resolve': [
    ['nobody.invalid:443', 'check TARGET_BASE_URL'],
    alike('', { TARGET_BASE_URL: 'https://nobody.invalid', ...impatient }),
  ],
  // Connections are accepted and requests never answered.
  'never-answers': [neverBegins, () => onBytes(() => {}, { env: impatient })],
  // Every connection is reset as soon as it stands.
  'resets-at-once': [cutOff, greeting((socket) => socket.resetAndDestroy())],
  // Every connection is reset when a request came.
  'resets-every-request': [cutOff, () => onBytes((socket) => socket.resetAndDestroy())],
  // Another product answers at the address. None of its answers come from the service.

  // A web application answers every path with 200 and its page.
  'site-that-serves-everything': another(page('200 OK', 'Welcome')),
  // A web server, or a gateway whose path prefix is missing in TARGET_BASE_URL, answers 404 and a page.
  'page-not-found-for-everything': another(page('404 Not Found', 'Not found')),
  // Single sign-on redirects every request to its login page.
  'login-for-everything': another(redirect('https://login.example.invalid/authorize')),
  // Another JSON API refuses every request with 403 and an error object of its own.
  'json-api-of-another-kind': another(inJson('403 Forbidden', '{"message":"Missing Authentication Token"}')),
  // The network answers 511 in the place of whatever host was asked for.
  'captive-portal': another(page('511 Network Authentication Required', 'Accept the terms')),
  // The network redirects every request to its portal.
  'captive-portal-that-redirects': another(redirect('http://portal.invalid/', '307 Temporary Redirect')),
  // A company proxy refuses every request with 407 and a page.
  'proxy-that-refuses': another(page('407 Proxy Authentication Required', 'Who are you?')),
  // The service rightly refuses this run.

  // The API key is of another environment.
  'key-refused': refused('1006', { TARGET_API_KEY: 'ak_live_6Tq9ZsXv2LmK8RfWc4Yb1NhJ' }),
  // The secret key is that of last year.
  'secret-refused': refused('1007', { TARGET_SECRET_KEY: 'the-secret-of-last-year-0123456789' }),
  'client-refused-with-1011': clientRefused('inactive', '1011', 'FIXTURE_INACTIVE_'),
  'client-refused-with-1012': clientRefused('noCustomer', '1012', 'FIXTURE_NO_CUSTOMER_'),
  'client-refused-with-1013': clientRefused('unauthorized', '1013', 'FIXTURE_UNAUTHORIZED_'),
  'quota-used-up-before-the-first-request': quotaUsedUp(0, 4),
  'quota-used-up-at-the-sixth-request': quotaUsedUp(5, 50),
  'quota-used-up-in-the-middle': quotaUsedUp(25, 300),
  // The run may send five requests.
  'budget-too-small': ['did not fit into the budget (RUN_MAX_REQUESTS)', withEnv({ RUN_MAX_REQUESTS: '5' })],
  // A service in trouble, from the start or from the middle of the run.

  // A gateway answers 503 in place of the service.
  'unavailable-from-the-start': gateway(503, 'Service Unavailable', 'Maintenance'),
  // A gateway answers 502 in place of the service.
  'gateway-without-a-service': gateway(502, 'Bad Gateway', 'Bad gateway'),
  // Every request is refused with 429 and nothing else.
  'too-many-requests-for-ever': [tooMany, alike(refusedRate)],
  // No request is answered from the fortieth on.
  'hangs-in-the-middle': fromTheFortieth('no answer came within 500 ms', () => true, impatient),
  // Every connection is reset from the fortieth request on.
  'resets-in-the-middle': fromTheFortieth('closed the connection', closed),
  // The service ends at the fortieth request.
  'gone-in-the-middle': fromTheFortieth('nothing is listening', (_, of) => of.close().then(() => true)),
  // A gateway answers 503 from the fortieth request on.
  'unavailable-in-the-middle': fromTheFortieth('a gateway answered 503', unavailable),
  // Answers that are not HTTP, or only half of it.

  // A mail server greets and closes the connection.
  'smtp-banner': [notHttp, greeting((socket) => socket.end('220 mail.example ESMTP\r\n'))],
  // An SSH server greets and waits.
  'ssh-banner': [notHttp, greeting((socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n'))],
  // A page without status line and fields, after which the connection is closed.
  'http-0.9': ['is not HTTP', ending('<html><body>It works!</body></html>\n')],
  // Bytes that no protocol knows.
  'binary-garbage': ['is not HTTP', ending(Buffer.from('00ff1b5b324a0d0a0d0a7f45', 'hex'))],
  // The connection is closed in the middle of every body.
  'half-an-answer': [cutOff, ending(ok(['Content-Length: 5000'], '{"items":[]}'))],
  // The connection is closed in the middle of the header fields.
  'half-a-head': [cutOff, ending('HTTP/1.1 200 OK\r\nContent-Ty')],
  // Bodies come in a content coding that nobody knows.
  'unknown-coding': [
    ['content-encoding is not one of gzip, deflate, br', 'so the answer cannot be judged'],
    alike(ok(['Content-Encoding: rot13', 'Content-Length: 12'], '{"items":[]}')),
  ],
})
