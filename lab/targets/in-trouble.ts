import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ReferenceService } from '../../lib/serve/reference/service.ts'
import type { Started } from '../judge/service.ts'
import { page } from './pages.ts'
import { alike, impatient, onReference } from './serving.ts'
import { targetsOf, type ProofTarget } from './target.ts'

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

/** A service in trouble, from the start or from the middle of the run. */
export const inTrouble: readonly ProofTarget[] = targetsOf('cannot be judged', {
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
})
