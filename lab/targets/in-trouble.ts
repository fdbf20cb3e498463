import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ReferenceService } from '../../lib/serve/reference/service.ts'
import type { Started } from '../judge/service.ts'
import type { ProofTarget } from './target.ts'
import { page } from './pages.ts'
import { alike, impatient, onReference } from './serving.ts'

const common = { kind: 'cannot be judged', exit: 3, rules: [] } as const
const stopped = 'the service stopped answering plain valid requests'

/** The reference service, to which this happens at its fortieth request and each one from then on. */
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

/** The service is there, and in trouble: from the start, or from the middle of the run on. */
export const inTrouble: readonly ProofTarget[] = [
  {
    ...common,
    name: 'unavailable-from-the-start',
    about: 'A gateway answers 503 in the place of the service.',
    says: ['a gateway answered 503 in the place of the service'],
    start: alike(page('HTTP/1.1 503 Service Unavailable', 'Maintenance')),
  },
  {
    ...common,
    name: 'gateway-without-a-service',
    about: 'A gateway answers 502 in the place of the service.',
    says: ['a gateway answered 502 in the place of the service'],
    start: alike(page('HTTP/1.1 502 Bad Gateway', 'Bad gateway')),
  },
  {
    ...common,
    name: 'too-many-requests-for-ever',
    about: 'Every request is refused with 429 and nothing else.',
    says: ['the service refused the rate of requests', '(429)'],
    start: alike('HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n'),
  },
  {
    ...common,
    name: 'hangs-in-the-middle',
    about: 'No request is answered from the fortieth on.',
    says: [stopped, 'no answer came within 500 ms'],
    start: fromTheFortieth(() => {}, impatient),
  },
  {
    ...common,
    name: 'resets-in-the-middle',
    about: 'Every connection is reset from the fortieth request on.',
    says: [stopped, 'closed the connection'],
    start: fromTheFortieth((response) => void response.socket?.resetAndDestroy()),
  },
  {
    ...common,
    name: 'gone-in-the-middle',
    about: 'The service ends at the fortieth request.',
    says: [stopped, 'nobody listens'],
    start: fromTheFortieth(async (_, service) => service.close()),
  },
  {
    ...common,
    name: 'unavailable-in-the-middle',
    about: 'A gateway answers 503 from the fortieth request on.',
    says: [stopped, 'a gateway answered 503'],
    start: fromTheFortieth((response) => void response.writeHead(503).end('maintenance')),
  },
]
