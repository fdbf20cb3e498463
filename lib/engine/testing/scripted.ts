import type { Request } from '../../http/request.ts'
import { read, settingsOf, target } from '../../settings/testing/read.ts'
import { suiteContext } from '../plan/suite-context.ts'
import type { SharedAnswers } from '../plan/shared-requests.ts'
import { userAgent, type TestRequest } from '../plan/test-request.ts'
import { openRun, type OpenRun } from '../run/open-run.ts'
import { FakeTransport, type Outcome } from './fake-connection.ts'

/** A run without a socket. */
interface Scripted {
  readonly run: OpenRun
  readonly transport: FakeTransport
  /** The plain valid request of the target client. */
  readonly plain: TestRequest
  /** The targets of all requests, in the order in which they were sent. */
  readonly sent: readonly string[]
}

interface ScriptedOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly shared?: SharedAnswers
}

/** Opens a run against a service that answers as it is told. Nothing is sent yet. */
export async function scripted(
  answers: (request: Request) => Outcome,
  { env = {}, shared }: ScriptedOptions = {},
): Promise<Scripted> {
  const settings = settingsOf(await read({ ...target, ...env }))
  const agent = userAgent('0.0.0')
  const sent: string[] = []
  const transport = new FakeTransport((request) => {
    sent.push(request.target)
    return answers(request)
  })
  const run = await openRun({
    settings,
    allotment: {},
    userAgent: agent,
    signal: new AbortController().signal,
    transport,
    ...(shared === undefined ? {} : { shared }),
  })
  return { run, transport, plain: suiteContext(settings, agent).list.request, sent }
}
