import { Agent, request as httpRequest, type ClientRequestArgs, type IncomingMessage } from 'node:http'
import { Duplex } from 'node:stream'
import { classifyError } from '../http/classify-error.ts'
import { openConnector } from '../http/connector.ts'
import type { Target } from '../http/target.ts'
import { TransportError } from '../http/transport-error.ts'
import type { Connector } from '../http/connector.ts'
import { onwardFields, originForm } from './fields.ts'

/** How the target is reached. */
export interface ReachOptions {
  /** Maximum time for a connection, and for an answer to begin, in milliseconds. */
  readonly timeoutMs: number
  /** PEM text of authorities that are trusted besides the system's, or null. */
  readonly ca: string | null
  readonly httpsProxy: string | null
  readonly noProxy: string | null
}

/** Lifetime of an idle connection, in milliseconds: below the five seconds after which many services, Node's own among them, close it. */
const idleMs = 4_000

/** Keeps connections to the target, encrypted and through a further proxy if need be, for `http.request`. */
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
      // Beside an error nobody looks at the stream.
      opened(error, error === null ? socket : new Duplex())
    })
  }

  /** Cuts every connection. */
  async close(): Promise<void> {
    this.destroy()
    await this.#connector.close()
  }
}

/** What happens while an answer is waited for. */
export interface Waiting {
  /** Ends the request, and its answer. */
  readonly signal: AbortSignal
  /** The target asks for the content (100). */
  readonly onContinue: () => void
}

/** A connection that the target had closed before the request was on it. */
class StaleConnection extends Error {}

/**
 * Sends a client's request on to the target, its content as it comes, and gives the answer once that begins; follows no redirect.
 * Rejects with a `TransportError` or with the error of node that says why there is none.
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
      // Each time one stale connection fewer is left.
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
    // Bytes bound them; node would leave out those beyond a number.
    onward.maxHeadersCount = 0
    onward.on('continue', onContinue)
    onward.on('response', (answer) => {
      // What follows may take its time: an answer may be a stream of events.
      onward.setTimeout(0)
      // A target that has answered whole needs no more; and from here on node would not say when it takes more.
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
    // Once the target takes no more, the client must still get rid of the rest. After `pipe`, which pauses when it ends.
    onward.on('close', () => void request.resume())
  })
}

/** Why there is no answer, or not the rest of one, in a sentence without any value of the request; `at` is host and port. */
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
