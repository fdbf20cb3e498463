import { setMaxListeners } from 'node:events'
import { openTransport, type Transport } from '../http/transport.ts'
import type { ClientName } from '../spec/clients.ts'
import type { Settings } from '../settings/settings.ts'
import type { RuleId } from '../spec/rules.ts'
import { BaselineWatch } from './baseline-watch.ts'
import { Budget, type Allotment } from './budget.ts'
import { Delivery } from './deliver.ts'
import { knowledgeOf } from './knowledge-of.ts'
import { FindingRecorder } from './findings.ts'
import { Observations } from './observations.ts'
import { Pace } from './pace.ts'
import { plainRequest, type TestRequest } from './test-request.ts'
import { redactorOf } from './redactor-of.ts'
import { TestClient } from './client.ts'
import { SharedRequests } from './shared-requests.ts'
import { successChecks } from './success-checks.ts'

/** How a session is opened. */
export interface OpenClientOptions {
  readonly settings: Settings
  readonly allotment: Allotment
  readonly userAgent: string
  readonly signal: AbortSignal
  /** Told after each request how many were sent. */
  readonly requestDone?: (sent: number) => void
  /** Told when a case of a rule has ended. */
  readonly caseDone?: (rule: RuleId) => void
  /** What rules were found to have in common when they were planned; nothing without it. */
  readonly shared?: SharedRequests
  /** Whether one case is sent again: nothing is confirmed, and every exchange is kept. */
  readonly replaying?: boolean
  /** Why the raw socket cannot be used, where something else than the transport says so. */
  readonly rawSocketUnavailable?: string
  /** How long a client that was locked out, or banned, is left alone, once; in milliseconds. */
  readonly leaveAloneMs?: number
  /** In the place of the one that the settings describe. */
  readonly transport?: Transport
}

/** Opens the session of a run: nothing is sent yet. The settings must name an address and a client. */
export function openClient({
  settings,
  allotment,
  userAgent,
  signal,
  requestDone = () => {},
  caseDone = () => {},
  shared = new SharedRequests(),
  replaying = false,
  rawSocketUnavailable,
  leaveAloneMs = 15_000,
  transport: given,
}: OpenClientOptions): TestClient {
  const { target, run } = settings
  if (target.baseUrl === null) throw new TypeError('a session needs the address of the target')
  // Every request in flight listens for the end of the run.
  setMaxListeners(0, signal)
  const knowledge = knowledgeOf(settings)
  const budget = new Budget(run.maxRequests, allotment)
  const pace = new Pace({ concurrency: run.concurrency, maxRps: run.maxRps })
  const transport =
    given ??
    openTransport({
      baseUrl: target.baseUrl,
      timeoutMs: run.timeoutMs,
      connections: run.concurrency,
      ca: run.ca?.pem ?? null,
      httpsProxy: run.httpsProxy,
      noProxy: run.noProxy,
    })
  const places = { baseUrl: target.baseUrl, paths: knowledge.endpoints.map(({ path }) => path) }
  const redactor = redactorOf(settings)
  const findings = new FindingRecorder({
    baseUrl: target.baseUrl,
    caFile: run.ca?.file ?? null,
    seed: run.seed,
    replayFlags: run.replayFlags,
    strict: run.strict,
    redactor,
    knowledge,
  })
  const plain = new Map<ClientName, TestRequest>(
    knowledge.clients.flatMap(({ name, credentials }) => {
      const [list] = knowledge.endpoints
      return list === undefined
        ? []
        : [[name, plainRequest(list, credentials, { client: name, agent: userAgent })]]
    }),
  )

  return new TestClient({
    places,
    seed: run.seed,
    knowledge,
    findings,
    observations: new Observations(),
    baseline: run.baseline === null ? null : new BaselineWatch(),
    successCheck: successChecks(knowledge.endpoints),
    redactor,
    transport,
    budget,
    pace,
    delivery: new Delivery(budget, pace, (connections) => transport.useFewer(connections)),
    plain: (client) => plain.get(client) ?? null,
    hasQuery: target.query !== null,
    leaveAloneMs,
    rawSocketUnavailable: rawSocketUnavailable ?? transport.rawSocketUnavailable,
    replaying,
    signal,
    requestDone,
    caseDone,
    shared,
  })
}
