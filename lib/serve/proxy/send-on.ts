import { Agent, request as httpRequest, type ClientRequestArgs, type IncomingMessage } from 'node:http'
import { Duplex } from 'node:stream'
import { classifyError } from '../../http/classify-error.ts'
import { openConnector } from '../../http/connector.ts'
import type { Target } from '../../http/target-address.ts'
import { TransportError, unaskedSwitch } from '../../http/transport-error.ts'
import type { ClientCertificate } from '../../http/connector-options.ts'
import type { Connector } from '../../http/connector.ts'
import { isDecoded, onwardFields, originForm } from './fields.ts'

/** Connection to the target. */
export interface ReachOptions {
  /** Maximum time for a connection, and for an answer to begin, in milliseconds. */
  readonly timeoutMs: number
  /** PEM text of authorities trusted besides the system's, or null. */
  readonly ca: string | null
  readonly clientCertificate?: ClientCertificate | null
  readonly httpsProxy: string | null
  readonly noProxy: string | null
}

/** Lifetime of an idle connection, in milliseconds; many services, Node's among them, close it after five seconds. */
const idleMs = 4_000

/** Pools connections to the target for `http.request`, encrypted and through a further proxy if needed. */
export class TargetAgent extends Agent {
  readonly target: Target
  readonly timeoutMs: number
  readonly #connector: Connector

  constructor(target: Target, options: ReachOptions) {
    super({ keepAlive: true, timeout: idleMs })
    this.target = target
    this.timeoutMs = options.timeoutMs
    this.#connector = openConnector({ ...options, origin: target.origin })
  }

  override createConnection(
    _: ClientRequestArgs,
    opened: (error: Error | null, socket: Duplex) => void = () => {},
  ): undefined {
    const { hostname, port, host, isEncrypted } = this.target
    const options = { hostname, port, host, protocol: isEncrypted ? 'https:' : 'http:' }
    this.#connector.connect(options, (error, socket) => {
      // The stream is unused if there is an error.
      opened(error, error === null ? socket : new Duplex())
    })
  }

  async close(): Promise<void> {
    const open = [this.sockets, this.freeSockets].flatMap((pool) => Object.values(pool).flat())
    const closed = open.map((socket) => new Promise((resolve) => socket?.once('close', resolve)))
    this.destroy()
    await Promise.all([...closed, this.#connector.close()])
  }
}

/** Events while waiting for an answer. */
export interface Waiting {
  /** Ends the request and its answer. */
  readonly signal: AbortSignal
  /** Called if the target asks for the content (100). */
  readonly onContinue: () => void
}

/** The target had closed the connection before it got the request. */
class StaleConnection extends Error {}

/**
 * Forwards a client's request, streaming its content, and resolves once the answer begins; follows no redirect. Rejects with a
 * `TransportError` or Node's error.
 */
export async function sendOn(
  request: IncomingMessage,
  agent: TargetAgent,
  waiting: Waiting,
): Promise<IncomingMessage> {
  for (;;) {
    try {
      return await sendOnce(request, agent, waiting)
    } catch (error) {
      // Each retry uses up one stale connection.
      if (!(error instanceof StaleConnection)) throw error
    }
  }
}

function sendOnce(
  request: IncomingMessage,
  agent: TargetAgent,
  { signal, onContinue }: Waiting,
): Promise<IncomingMessage> {
  const { target, timeoutMs: timeout } = agent
  const { method = 'GET', url = '/', headers } = request
  const path = originForm(url)
  const isEmpty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
  return new Promise((resolve, reject) => {
    const onward = httpRequest({
      agent,
      host: target.hostname,
      port: target.port,
      method,
      path: path === '*' ? path : target.prefix + path,
      headers: onwardFields(request, target).flat(),
      timeout,
      signal,
    })
    // Bytes limit them; a limit by number would drop fields.
    onward.maxHeadersCount = 0
    const refuse = (because: string): void => {
      reject(new TransportError('not-http', because))
      onward.destroy()
    }
    // A client of HTTP/1.0 knows no interim answer (RFC 9110, 15.2).
    if (request.httpVersion === '1.1') onward.once('continue', onContinue)
    onward.on('upgrade', (_, socket) => {
      socket.destroy()
      refuse(unaskedSwitch(target.at))
    })
    onward.on('response', (answer) => {
      const { statusCode = 0 } = answer
      if (statusCode === 101) return refuse(unaskedSwitch(target.at))
      if (statusCode < 100) return refuse(`the status that ${target.at} answered with cannot be passed on`)
      if (!isDecoded(answer.headers))
        return refuse(`${target.at} answered in a transfer coding that cannot be undone`)
      // No time limit from here: an answer may be an event stream.
      onward.setTimeout(0)
      // A target that has answered needs no more content, and Node no longer says when it takes more.
      answer.once('end', () => {
        if (!onward.writableFinished) onward.destroy()
      })
      resolve(answer)
    })
    onward.on('timeout', () => {
      const says = `${target.at} did not begin to answer within ${timeout} ms (RUN_TIMEOUT_MS)`
      onward.destroy(new TransportError('timeout', says))
    })
    onward.on('error', (error) => {
      const isSafe = isEmpty && ['GET', 'HEAD', 'OPTIONS'].includes(method)
      const isClosed = ['ECONNRESET', 'EPIPE'].includes(codeOf(error))
      reject(onward.reusedSocket && isSafe && isClosed ? new StaleConnection() : error)
    })
    if (isEmpty) {
      onward.end()
      return
    }
    request.pipe(onward)
    // Drains the client's content once the target takes no more; after `pipe`, which pauses at its end.
    onward.on('close', () => void request.resume())
  })
}

/** Why there is no whole answer, without any value of the request; `at` is host and port. */
export function whyNoAnswer(error: unknown, at: string): string {
  const known = classifyError(error, at)
  if (known !== null) return known.message

  const code = codeOf(error)
  if (code === 'HPE_HEADER_OVERFLOW') {
    return `the header fields of the answer of ${at} are longer than this proxy reads (16 KiB)`
  }
  if (code === 'HPE_INVALID_EOF_STATE') return `${at} closed the connection before its answer was complete`
  return code.startsWith('HPE_')
    ? `what ${at} answered is not HTTP: are scheme and port of TARGET_BASE_URL right?`
    : `it cannot be passed on (${code})`
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
