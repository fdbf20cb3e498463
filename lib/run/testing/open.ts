import { settingsOf as settingsFor } from '../../doors/cli/serve-command.ts'
import type { ReferenceOptions } from '../../serve/reference/service.ts'
import { read, settingsOf } from '../../settings/testing/read.ts'
import type { Reason } from '../../judge/record.ts'
import type { SharedAnswers } from '../plan/shared-requests.ts'
import { suiteContext, type SuiteContext } from '../plan/suite-context.ts'
import type { Allotment } from '../plan/plan.ts'
import { openRun, type OpenRun } from '../open-run.ts'
import { userAgent, type TestRequest } from '../plan/test-request.ts'
import type { FakeTransport } from './fake-connection.ts'
import { inMemory, type Arrived, type Reply, type Replying } from './in-memory.ts'

export type { Arrived, Reply } from './in-memory.ts'

/** How the service is bent, and what the run is opened with. */
export interface OpenOptions {
  /** Answers in the place of the reference service, or leaves a request to it (null). */
  readonly reply?: Replying
  readonly quotas?: ReferenceOptions['quotas']
  readonly env?: Readonly<Record<string, string>>
  readonly allotment?: Allotment
  /** Why the raw socket cannot be used. */
  readonly rawSocketUnavailable?: string
  readonly shared?: SharedAnswers
}

/** A run against a service of its own, both ended with the test. */
export interface Opened {
  readonly run: OpenRun
  readonly context: SuiteContext
  /** The plain valid request of the target client. */
  readonly plain: TestRequest
  readonly transport: FakeTransport
  /** Every request that arrived, in order. */
  readonly arrived: readonly Arrived[]
}

/** Opens a run against the reference service in memory, bent by what is given. Nothing is sent yet. */
export async function open({
  reply = () => null,
  quotas = {},
  ...options
}: OpenOptions = {}): Promise<Opened> {
  const { service, transport, arrived } = await inMemory(reply, { quotas })
  const env = { ...settingsFor(service), FIXTURE_DISPOSABLE_QUOTA: '6', ...options.env }
  const settings = settingsOf(await read(env))
  const agent = userAgent('0.0.0')
  const { rawSocketUnavailable, shared } = options
  const run = await openRun({
    leaveAloneMs: 50,
    settings,
    allotment: options.allotment ?? {},
    userAgent: agent,
    signal: new AbortController().signal,
    transport,
    ...(rawSocketUnavailable === undefined ? {} : { rawSocketUnavailable }),
    ...(shared === undefined ? {} : { shared }),
  })
  const context = suiteContext(settings, agent)
  return { run, context, plain: context.list.request, transport, arrived }
}

/** The texts of reasons, by kind, each once. */
export interface ToldReasons {
  readonly unjudged: readonly string[]
  readonly untested: readonly string[]
}

/** What a run of cases gives as reasons. */
export function told(reasons: readonly Reason[]): ToldReasons {
  const texts = (isUntested: boolean): readonly string[] => [
    ...new Set(reasons.filter(({ kind }) => (kind === 'untested') === isUntested).map(({ text }) => text)),
  ]
  return { unjudged: texts(false), untested: texts(true) }
}

/** The documented error object, as a reply. */
export function refusal(status: number, errorCode: string): Reply {
  return { status, body: { error_code: errorCode, error_message: 'a text' } }
}
