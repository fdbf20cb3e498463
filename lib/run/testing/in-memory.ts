import { onTestFinished, vi } from 'vitest'
import { timeInSteps } from '../../../tests/support/virtual-time.ts'
import type { Response } from '../../http/exchange.ts'
import { fieldsOf, trimOws, valueOf, type Request } from '../../http/request.ts'
import { TransportError } from '../../http/transport-error.ts'
import { answer } from '../../judge/testing/exchanges.ts'
import type { Call } from '../../serve/reference/call.ts'
import { clients } from '../../serve/reference/clients.ts'
import { outgoingOf } from '../../serve/reference/deliver.ts'
import {
  startReference,
  type ReferenceOptions,
  type ReferenceService,
} from '../../serve/reference/service.ts'
import { FakeTransport, type Outcome } from './fake-connection.ts'

/** A request as it arrived. */
export interface Arrived {
  readonly target: string
  readonly apiKey: string | undefined
  readonly secretKey: string | undefined
  readonly version: string | undefined
  readonly agent: string | undefined
  /** Whether it is the target client's plain valid request. */
  readonly plain: boolean
  /** How many requests arrived before it. */
  readonly index: number
  /** The place of its connection; 0 for the pool. */
  readonly connection: number
}

/** What is answered in the place of the reference service: a status and a body (text, or JSON), or a closed connection. */
export type Reply =
  | {
      readonly status: number
      readonly body: unknown
      readonly fields?: Readonly<Record<string, string | readonly string[]>>
    }
  | 'closed'

/** What comes of a request: a reply, an answer as the transport gives it, or null, which leaves it to the reference service. */
export type Replying = (arrived: Arrived, request: Request) => Reply | Outcome | null

/** The reference service, asked without a socket. A turn of the event loop takes 10 ms. */
export async function inMemory(
  reply: Replying,
  options: ReferenceOptions = {},
): Promise<{
  readonly service: ReferenceService
  readonly transport: FakeTransport
  readonly arrived: readonly Arrived[]
}> {
  const service = await startReference(options)
  onTestFinished(() => service.close())
  if (!vi.isFakeTimers()) onTestFinished(timeInSteps(10))
  const arrived: Arrived[] = []
  const connections = new Map<number, object>()
  const transport = new FakeTransport(async (request, place) => {
    const one = arrivedAs(request, arrived.length, place)
    arrived.push(one)
    const connection = connections.get(place) ?? {}
    connections.set(place, connection)
    const given = reply(one, request)
    // As over a socket, an answer takes a turn of the event loop at least.
    await new Promise((resolve) => setImmediate(resolve))
    if (given === 'closed') return new TransportError('connection-closed', 'the connection was closed')
    if (given === null) return answered(service, request, connection)
    return given instanceof Error || 'reason' in given ? given : responseOf(given)
  })
  return { service, transport, arrived }
}

function arrivedAs(request: Request, index: number, connection: number): Arrived {
  const { method, target } = request
  const field = (name: string): string | undefined => {
    const values = fieldsOf(request, name)
    return values.length === 0 ? undefined : values.join(', ')
  }
  const [apiKey, secretKey, version] = [field('x-api-key'), field('x-secret-key'), field('x-version')]
  const { permitted } = clients
  const isValid = [apiKey, secretKey, version].join() === `${permitted.apiKey},${permitted.secretKey},1`
  const isPlain = isValid && `${method} ${target}` === 'GET /api/customizations/list'
  const plain = isPlain && field('accept') !== undefined
  return { target, apiKey, secretKey, version, agent: field('user-agent'), plain, index, connection }
}

async function answered(
  service: ReferenceService,
  { method, target, fields }: Request,
  connection: object,
): Promise<Response> {
  const lines = [
    ['host', new URL(service.baseUrl).host],
    ...fields.map((one) => [one.name, trimOws(valueOf(one))]),
  ]
  const headers: Record<string, string> = {}
  for (const [name = '', value = ''] of lines)
    headers[name.toLowerCase()] = [headers[name.toLowerCase()] ?? [], value].flat().join(', ')
  const [path = '', ...query] = target.split('?')
  const call: Call = {
    method,
    path,
    query: query.join('?'),
    hasMark: query.length > 0,
    headers,
    rawHeaders: lines.flat(),
    body: '',
    httpVersion: '1.1',
    connection,
    arrival: 0,
  }
  const { status, fields: flat, body } = outgoingOf(await service.answer(call))
  const pairs = flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? ''] as const] : []))
  return answer(status, method === 'HEAD' ? '' : body, { fields: pairs })
}

function responseOf({
  status,
  body,
  fields = { 'content-type': 'application/json' },
}: Exclude<Reply, string>) {
  const pairs = Object.entries(fields).flatMap(([name, values]) =>
    [values].flat().map((value) => [name, value] as const),
  )
  return answer(status, body, { fields: pairs })
}
