import type { IncomingMessage, ServerResponse } from 'node:http'
import { clients, type ClientName } from '../../lib/serve/reference/clients.ts'
import type { ReferenceService } from '../../lib/serve/reference/service.ts'
import type { Started } from '../judge/service.ts'
import { alike, another, answer, client, impatient, onBytes, onReference, page, redirect } from './serving.ts'
import { targetsOf, type ProofTarget } from './target.ts'

const check = 'check TARGET_API_KEY and TARGET_SECRET_KEY'
const usedUp = 'the daily quota of the client of TARGET_API_KEY is used up'

/** A run whose own client is this one. */
async function as(name: ClientName, fixture: string): ReturnType<typeof onReference> {
  const { env, close } = await onReference({})
  const { apiKey, secretKey } = clients[name]
  const others = Object.entries(env).filter(([setting]) => !setting.startsWith(fixture))
  return {
    env: { ...Object.fromEntries(others), TARGET_API_KEY: apiKey, TARGET_SECRET_KEY: secretKey },
    close,
  }
}

const clientRefused = (name: ClientName, code: string, fixture: string) =>
  [
    `The client of TARGET_API_KEY is one that must get ${code}.`,
    [`401 / ${code}`, check],
    () => as(name, fixture),
  ] as const

/** Concurrent requests may still be in flight, but no new ones are started. */
const quotaUsedUp = (when: string, permitted: number, requests: number) =>
  [
    `The daily quota of the client is used up ${when}.`,
    [usedUp],
    () => onReference({ quotas: { permitted } }),
    [],
    { requests },
  ] as const

const stopped = 'the service stopped answering plain valid requests'

/** The reference service, with this behaviour from its fortieth request on. */
function fromTheFortieth(
  what: (response: ServerResponse, service: ReferenceService) => void | Promise<void>,
  env: Readonly<Record<string, string>> = {},
): () => Promise<Started> {
  return () =>
    onReference(
      (service) => ({
        intervene: async (_: IncomingMessage, response: ServerResponse) => {
          if (service().requests() < 40) return false
          await what(response, service())
          return true
        },
      }),
      env,
    )
}

/** Targets that cannot be judged. */
export const cannotBeJudged: readonly ProofTarget[] = targetsOf('cannot be judged', {
  // Addresses where no connection can be made, or none is answered.
  'nobody-listens': [
    'Nobody listens on the port.',
    ['nothing is listening on 127.0.0.1:', 'is TARGET_BASE_URL right?'],
    async () => {
      const target = await onReference({})
      await target.close()
      return { ...target, close: async () => {} }
    },
  ],
  'name-does-not-resolve': [
    'The name of the host does not resolve.',
    ['nobody.invalid:443', 'is TARGET_BASE_URL right'],
    async () => ({
      env: { TARGET_BASE_URL: 'https://nobody.invalid', ...client, ...impatient },
      close: async () => {},
    }),
  ],
  'never-answers': [
    'Connections are accepted and requests never answered.',
    ['no answer came within 500 ms (RUN_TIMEOUT_MS)'],
    () => onBytes(() => {}, { env: impatient }),
  ],
  'resets-at-once': [
    'Every connection is reset as soon as it stands.',
    ['closed the connection before its answer was complete'],
    () => onBytes(() => {}, { onConnection: (socket) => socket.resetAndDestroy() }),
  ],
  'resets-every-request': [
    'Every connection is reset when a request came.',
    ['closed the connection before its answer was complete'],
    () => onBytes((socket) => socket.resetAndDestroy()),
  ],
  // Another product answers at the address. None of its answers come from the service.
  'site-that-serves-everything': another(
    'A web application answers every path with 200 and its page.',
    page('HTTP/1.1 200 OK', 'Welcome'),
  ),
  'page-not-found-for-everything': another(
    'A web server, or a gateway whose path prefix is missing in TARGET_BASE_URL, answers 404 and a page.',
    page('HTTP/1.1 404 Not Found', 'Not found'),
  ),
  'login-for-everything': another(
    'Single sign-on redirects every request to its login page.',
    redirect('https://login.example.invalid/authorize'),
  ),
  'json-api-of-another-kind': another(
    'Another JSON API refuses every request with 403 and an error object of its own.',
    answer(
      'HTTP/1.1 403 Forbidden',
      ['Content-Type: application/json'],
      '{"message":"Missing Authentication Token"}',
    ),
  ),
  'captive-portal': another(
    'The network answers 511 in the place of whatever host was asked for.',
    page('HTTP/1.1 511 Network Authentication Required', 'Accept the terms'),
  ),
  'captive-portal-that-redirects': another(
    'The network redirects every request to its portal.',
    redirect('http://portal.example.invalid/', 'HTTP/1.1 307 Temporary Redirect'),
  ),
  'proxy-that-refuses': another(
    'A company proxy refuses every request with 407 and a page.',
    page('HTTP/1.1 407 Proxy Authentication Required', 'Who are you?'),
  ),
  // The service rightly refuses this run.
  'key-refused': [
    'The API key is of another environment.',
    ['401 / 1006', check],
    () => onReference({}, { TARGET_API_KEY: 'ak_live_6Tq9ZsXv2LmK8RfWc4Yb1NhJ' }),
  ],
  'secret-refused': [
    'The secret key is that of last year.',
    ['401 / 1007', check],
    () => onReference({}, { TARGET_SECRET_KEY: 'the-secret-of-last-year-0123456789' }),
  ],
  'client-refused-with-1011': clientRefused('inactive', '1011', 'FIXTURE_INACTIVE_'),
  'client-refused-with-1012': clientRefused('noCustomer', '1012', 'FIXTURE_NO_CUSTOMER_'),
  'client-refused-with-1013': clientRefused('unauthorized', '1013', 'FIXTURE_UNAUTHORIZED_'),
  'quota-used-up-before-the-first-request': quotaUsedUp('before the first request', 0, 4),
  'quota-used-up-at-the-sixth-request': quotaUsedUp('at the sixth request', 5, 50),
  'quota-used-up-in-the-middle': quotaUsedUp('in the middle', 25, 300),
  'budget-too-small': [
    'The run may send five requests.',
    ['did not fit into the budget (RUN_MAX_REQUESTS)'],
    () => onReference({}, { RUN_MAX_REQUESTS: '5' }),
  ],
  // A service in trouble, from the start or from the middle of the run.
  'unavailable-from-the-start': [
    'A gateway answers 503 in place of the service.',
    ['a gateway answered 503 in place of the service'],
    alike(page('HTTP/1.1 503 Service Unavailable', 'Maintenance')),
  ],
  'gateway-without-a-service': [
    'A gateway answers 502 in place of the service.',
    ['a gateway answered 502 in place of the service'],
    alike(page('HTTP/1.1 502 Bad Gateway', 'Bad gateway')),
  ],
  'too-many-requests-for-ever': [
    'Every request is refused with 429 and nothing else.',
    ['the service refused the rate of requests', '(429)'],
    alike('HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n'),
  ],
  'hangs-in-the-middle': [
    'No request is answered from the fortieth on.',
    [stopped, 'no answer came within 500 ms'],
    fromTheFortieth(() => {}, impatient),
  ],
  'resets-in-the-middle': [
    'Every connection is reset from the fortieth request on.',
    [stopped, 'closed the connection'],
    fromTheFortieth((response) => void response.socket?.resetAndDestroy()),
  ],
  'gone-in-the-middle': [
    'The service ends at the fortieth request.',
    [stopped, 'nothing is listening'],
    fromTheFortieth(async (_, service) => service.close()),
  ],
  'unavailable-in-the-middle': [
    'A gateway answers 503 from the fortieth request on.',
    [stopped, 'a gateway answered 503'],
    fromTheFortieth((response) => void response.writeHead(503).end('maintenance')),
  ],
  // Answers that are not HTTP, or only half of it.
  'smtp-banner': [
    'A mail server greets and closes the connection.',
    ['is not HTTP: are scheme and port of TARGET_BASE_URL right?'],
    () => onBytes(() => {}, { greeting: '220 mail.example ESMTP\r\n' }),
  ],
  'ssh-banner': [
    'An SSH server greets and waits.',
    ['is not HTTP: are scheme and port of TARGET_BASE_URL right?'],
    () => onBytes(() => {}, { onConnection: (socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n') }),
  ],
  'http-0.9': [
    'A page without status line and fields, after which the connection is closed.',
    ['is not HTTP'],
    () => onBytes((socket) => socket.end('<html><body>It works!</body></html>\n')),
  ],
  'binary-garbage': [
    'Bytes that no protocol knows.',
    ['is not HTTP'],
    () => onBytes((socket) => socket.end(Buffer.from('00ff1b5b324a0d0a0d0a7f45', 'hex'))),
  ],
  'half-an-answer': [
    'The connection is closed in the middle of every body.',
    ['closed the connection before its answer was complete'],
    () => onBytes((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n{"items":[]}')),
  ],
  'half-a-head': [
    'The connection is closed in the middle of the header fields.',
    ['closed the connection before its answer was complete'],
    () => onBytes((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Ty')),
  ],
  'unknown-coding': [
    'Bodies come in a content coding that nobody knows.',
    ['content-encoding is not one of gzip, deflate, br', 'so the answer cannot be judged'],
    alike('HTTP/1.1 200 OK\r\nContent-Encoding: rot13\r\nContent-Length: 12\r\n\r\n{"items":[]}'),
  ],
})
