import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { Target } from '../http/target.ts'
import { TransportError } from '../http/transport-error.ts'
import { originForm } from './address.ts'
import { onwardFields } from './fields.ts'
import { isClosed } from './no-answer.ts'
import type { TargetAgent } from './target-agent.ts'

/** The way to the target. */
export interface Way {
  readonly target: Target
  readonly agent: TargetAgent
  /** How long to wait for a connection, and how long for the answer to begin, in milliseconds. */
  readonly timeoutMs: number
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
export async function sendOn(request: IncomingMessage, way: Way, waiting: Waiting): Promise<IncomingMessage> {
  for (;;) {
    try {
      return await sendOnce(request, way, waiting)
    } catch (error) {
      // Each time one stale connection fewer is left.
      if (!(error instanceof StaleConnection)) throw error
    }
  }
}

function sendOnce(
  request: IncomingMessage,
  { target, agent, timeoutMs }: Way,
  { signal, onContinue }: Waiting,
): Promise<IncomingMessage> {
  const path = originForm(request.url ?? '/')
  const isEmpty = !hasContent(request)

  return new Promise((resolve, reject) => {
    const onward = httpRequest({
      agent,
      host: target.hostname,
      port: target.port,
      method: request.method ?? 'GET',
      path: path === '*' ? path : target.prefix + path,
      headers: onwardFields(request, target).flat(),
      timeout: timeoutMs,
      signal,
    })
    // Bytes bound them; node would leave out those beyond a number.
    onward.maxHeadersCount = 0
    onward.on('continue', onContinue)
    onward.on('response', (answer) => {
      // What follows may take its time: an answer may be a stream of events.
      onward.setTimeout(0)
      // Who has answered whole needs no more; and from here on node would not say when it takes more.
      answer.once('end', () => {
        if (!onward.writableFinished) onward.destroy()
      })
      resolve(answer)
    })
    onward.on('timeout', () => {
      const says = `${target.at} did not begin to answer within ${timeoutMs} ms (RUN_TIMEOUT_MS)`
      onward.destroy(new TransportError('timeout', says))
    })
    onward.on('error', (error) => {
      const isStale = onward.reusedSocket && isEmpty && isSafe(request) && isClosed(error)
      reject(isStale ? new StaleConnection() : error)
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

function hasContent({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) > 0)
}

function isSafe({ method = '' }: IncomingMessage): boolean {
  return ['GET', 'HEAD', 'OPTIONS'].includes(method)
}
