import { setMaxListeners } from 'node:events'
import { scrubberFor, type Scrubber } from '../http/scrub.ts'
import { Secret } from '../http/secret.ts'
import { openTransport } from '../http/transport.ts'
import type { ClientName } from '../spec/clients.ts'
import { secretsIn } from '../settings/proxy.ts'
import { credentialsOf } from '../settings/seal-settings.ts'
import type { Settings } from '../settings/settings.ts'
import { Budget, type Allotment } from './budget.ts'
import { Delivery } from './deliver.ts'
import { knowledgeOf } from './knowledge-of.ts'
import { Pace } from './pace.ts'
import { plainRequest } from './plain-request.ts'
import { RunLog } from './run-log.ts'
import { shareOf } from './shard.ts'
import { Session } from './session.ts'
import type { Stimulus } from './stimulus.ts'
import { successChecks } from './success-checks.ts'

/** How a session is opened. */
export interface OpenSessionOptions {
  readonly settings: Settings
  readonly allotment: Allotment
  readonly userAgent: string
  readonly signal: AbortSignal
  readonly changed: () => void
}

/** Opens the session of a run: nothing is sent yet. The settings must name an address and a client. */
export function openSession({
  settings,
  allotment,
  userAgent,
  signal,
  changed,
}: OpenSessionOptions): Session {
  const { target, run } = settings
  if (target.baseUrl === null) throw new TypeError('a session needs the address of the target')
  // Every request in flight listens for the end of the run.
  setMaxListeners(0, signal)
  const knowledge = knowledgeOf(settings)
  const { maxRequests, maxRps } = shareOf(run)
  const budget = new Budget(maxRequests, allotment)
  const pace = new Pace({ concurrency: run.concurrency, maxRps })
  const plain = new Map<ClientName, Stimulus>(
    knowledge.clients.flatMap(({ name, credentials }) => {
      const [list] = knowledge.endpoints
      return list === undefined
        ? []
        : [[name, plainRequest(list, credentials, { client: name, agent: userAgent })]]
    }),
  )

  return new Session({
    baseUrl: target.baseUrl,
    paths: knowledge.endpoints.map(({ path }) => path),
    caFile: run.ca?.file ?? null,
    seed: run.seed,
    transport: openTransport({
      baseUrl: target.baseUrl,
      timeoutMs: run.timeoutMs,
      connections: run.concurrency,
      ca: run.ca?.pem ?? null,
      httpsProxy: run.httpsProxy,
      noProxy: run.noProxy,
    }),
    budget,
    pace,
    delivery: new Delivery(budget, pace),
    log: new RunLog(),
    scrubber: scrubberOf(settings),
    plain: (client) => plain.get(client) ?? null,
    successCheck: successChecks(knowledge.endpoints),
    hasQuery: target.query !== null,
    signal,
    changed,
  })
}

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
