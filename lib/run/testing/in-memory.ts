import { Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { answerTo, received } from '../../../lab/judge/memory.ts'
import { type Exchange, type Response, fieldsOf, type Request } from '../../http/exchange.ts'
import { TransportError } from '../../http/transport-error.ts'
import { clients } from '../../serve/reference/clients.ts'
import { type ReferenceOptions, startReference } from '../../serve/reference/service.ts'

/** The outcome of sending a request once. */
type Outcome = Response | TransportError

/** The outcome of a request, by the place of its connection. */
type Answering = (request: Request, place: number) => Outcome | Promise<Outcome>

/** A transport with scripted answers. It lists the separate connections, in the order of opening, and the requested limits. */
export function fakeTransport(respond: Answering) {
  const connectionAt = (place: number) => {
    const send = async (request: Request, signal?: AbortSignal): Promise<Exchange> => {
      signal?.throwIfAborted()
      const outcome = await respond(request, place)
      if (outcome instanceof Error) throw outcome
      return { request, response: outcome, durationMs: 1, reused: false }
    }
    const one = { closed: false, send, close: async () => void (one.closed = true) }
    return one
  }
  const opened: ReturnType<typeof connectionAt>[] = []
  const atMost: number[] = []
  const useAtMost = (connections: number) => void atMost.push(connections)
  const connection = () => {
    const one = connectionAt(opened.length + 1)
    opened.push(one)
    return one
  }
  return { ...connectionAt(0), rawSocketUnavailable: null, opened, atMost, connection, useAtMost }
}

/** A request as it arrived. */
export type Arrived = ReturnType<typeof arrivedAs>

/** The outcome of a request, or a closed connection; null lets the reference service answer. */
export type Meets = Outcome | 'closed' | null

type Meeting = (arrived: Arrived, request: Request) => Meets

/** The reference service, called without a socket. */
export async function inMemory(meets: Meeting, options: ReferenceOptions = {}) {
  const service = await startReference(options)
  onTestFinished(() => service.close())
  let arrived = 0
  const sockets: Socket[] = []
  const transport = fakeTransport(async (request, place) => {
    const socket = (sockets[place] ??= new Socket())
    const met = meets(arrivedAs(request, arrived++, place), request)
    // An answer takes at least one turn of the event loop, as over a socket.
    await new Promise((resolve) => setImmediate(resolve))
    if (met === 'closed') return new TransportError('connection-closed', 'the connection was closed')
    return met ?? received(await answerTo(service, request, socket), request.method)
  })
  return { service, transport }
}

/**
 * The parts of a request that arrived after `index` others, whether it is the target client's plain valid request,
 * and the place of its connection, which is 0 for the pool.
 */
function arrivedAs(request: Request, index: number, connection: number) {
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
  return { apiKey, secretKey, agent: field('user-agent'), plain, index, connection }
}
