import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import { settingsOf as settingsFor } from '../../doors/cli/serve-command.ts'
import { clients } from '../../serve/reference/clients.ts'
import {
  startReference,
  type ReferenceOptions,
  type ReferenceService,
} from '../../serve/reference/service.ts'
import { read, settingsOf } from '../../settings/testing/read.ts'
import { allowed } from '../../judge/allowed.ts'
import { factsOf } from '../../judge/facts.ts'
import { answersOneOf, type Check } from '../../judge/judge.ts'
import type { Reason } from '../../judge/record.ts'
import { suiteContext, type SuiteContext } from '../plan/suite-context.ts'
import type { Allotment } from '../plan/allot.ts'
import { openRun, type OpenRun } from '../run/open-run.ts'
import { userAgent, type TestRequest } from '../plan/test-request.ts'

/** A request as it arrived. */
export interface Arrived {
  readonly method: string
  readonly target: string
  readonly apiKey: string | undefined
  readonly secretKey: string | undefined
  readonly version: string | undefined
  readonly agent: string | undefined
  /** Whether it is the target client's plain valid request. */
  readonly plain: boolean
  /** How many requests arrived before it. */
  readonly index: number
  readonly connection: object
}

/** What is answered in the place of the reference service: a status and a body (text, or JSON), or a closed connection. */
export type Reply =
  | {
      readonly status: number
      readonly body: unknown
      readonly fields?: OutgoingHttpHeaders
    }
  | 'closed'

/** How the service is bent, and what the run is opened with. */
export interface OpenOptions {
  /** Answers in the place of the reference service, or leaves a request to it (null). */
  readonly reply?: (arrived: Arrived) => Reply | null
  readonly faults?: ReferenceOptions['faults']
  readonly quotas?: ReferenceOptions['quotas']
  readonly env?: Readonly<Record<string, string>>
  readonly allotment?: Allotment
  readonly signal?: AbortSignal
  /** Why the raw socket cannot be used. */
  readonly rawSocketUnavailable?: string
}

/** A run against a service of its own, both ended with the test. */
export interface Opened {
  readonly run: OpenRun
  readonly service: ReferenceService
  readonly context: SuiteContext
  /** The plain valid request of the target client. */
  readonly plain: TestRequest
  /** Every request that arrived, in order. */
  readonly arrived: readonly Arrived[]
  /** What the specification allows for a request. */
  readonly fits: (request: TestRequest) => Check
}

const patienceMs = 2_000

/** Opens a run against the reference service, bent by what is given. Nothing is sent yet. */
export async function open(options: OpenOptions = {}): Promise<Opened> {
  const arrived: Arrived[] = []
  const service = await startReference({
    ...(options.faults === undefined ? {} : { faults: options.faults }),
    ...(options.quotas === undefined ? {} : { quotas: options.quotas }),
    intervene: (request, response) => {
      const one = arrivedAs(request, arrived.length)
      arrived.push(one)
      const reply = options.reply?.(one) ?? null
      if (reply !== null) answer(reply, request, response)
      return reply !== null
    },
  })
  onTestFinished(() => service.close())

  const settings = settingsOf(
    await read({
      ...settingsFor(service),
      RUN_TIMEOUT_MS: String(patienceMs),
      FIXTURE_DISPOSABLE_QUOTA: '6',
      ...options.env,
    }),
  )
  const agent = userAgent('0.0.0')
  const run = await openRun({
    leaveAloneMs: 50,
    settings,
    allotment: options.allotment ?? {},
    userAgent: agent,
    signal: options.signal ?? new AbortController().signal,
    ...(options.rawSocketUnavailable === undefined
      ? {}
      : { rawSocketUnavailable: options.rawSocketUnavailable }),
  })
  const context = suiteContext(settings, agent)
  return {
    run,
    service,
    context,
    plain: context.list.request,
    arrived,
    fits: ({ request }) => answersOneOf(allowed(factsOf(request, context.model))),
  }
}

function arrivedAs({ method, url, headers, socket }: IncomingMessage, index: number): Arrived {
  const field = (name: string): string | undefined => {
    const value = headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }
  const { permitted } = clients
  const [apiKey, secretKey, version] = [field('x-api-key'), field('x-secret-key'), field('x-version')]
  return {
    method: method ?? '',
    target: url ?? '',
    apiKey,
    secretKey,
    version,
    agent: field('user-agent'),
    plain:
      method === 'GET' &&
      url === '/api/customizations/list' &&
      apiKey === permitted.apiKey &&
      secretKey === permitted.secretKey &&
      version === '1' &&
      field('accept') !== undefined,
    index,
    connection: socket,
  }
}

function answer(reply: Reply, request: IncomingMessage, response: ServerResponse): void {
  if (reply === 'closed') {
    request.socket.destroy()
    return
  }
  const { status, body, fields } = reply
  response.writeHead(status, fields ?? { 'content-type': 'application/json' })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
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
