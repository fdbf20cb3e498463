import type { Dispatcher } from 'undici'
import type { WhenWritten } from './interim-responses.ts'
import { trimOws } from './request.ts'
import { TransportError, unaskedSwitch } from './transport-error.ts'

/** Maximum size of an answer, in bytes, before and after decoding; documented answers are far smaller. */
export const MAX_ANSWER_BYTES = 4 * 1024 * 1024

/** Maximum size of an answer's names and values, in bytes; some legitimate heads exceed undici's 16 KiB. */
export const MAX_HEAD_BYTES = 64 * 1024

/** Options for undici. Its timeouts are accurate only to a second and restart with each byte; our timeout covers the whole exchange. */
export const boundsOfAnswers = {
  allowH2: false,
  maxResponseSize: MAX_ANSWER_BYTES,
  maxHeaderSize: MAX_HEAD_BYTES,
  headersTimeout: 0,
  bodyTimeout: 0,
} as const

/** An answer before decoding. */
export interface RawAnswer {
  readonly status: number
  readonly reason: string
  readonly fields: Fields
  readonly bytes: Buffer
  readonly trailers: Fields
  /** Whether its connection had been used before. */
  readonly reused: boolean
}

type Fields = readonly (readonly [name: string, value: string])[]

/** Sends a request, and reports when it has been written. */
interface Sender {
  readonly dispatcher: Pick<Dispatcher, 'dispatch'>
  readonly whenWritten: WhenWritten
}

/** When to stop waiting for an answer. */
export interface Limits {
  /** Host and port of the target, for messages. */
  readonly at: string
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

/**
 * Sends a request and collects its answer, with a single deadline from waiting for a connection to the last byte. Uses `dispatch`, because
 * `request` notices a signal only once it is connected. Rejects with the signal's reason, a `TransportError` on timeout, or undici's error.
 */
export function receive(
  { dispatcher, whenWritten }: Sender,
  options: Dispatcher.DispatchOptions,
  limits: Limits,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const answer = new AnswerHandler({ resolve, reject, limits, whenWritten })
    if (limits.signal?.aborted === true) answer.stop(limits.signal.reason)
    else dispatcher.dispatch(options, answer)
  })
}

/** What an answer is for. */
interface Wanted extends Pick<Sender, 'whenWritten'> {
  readonly resolve: (answer: RawAnswer) => void
  readonly reject: (error: unknown) => void
  readonly limits: Limits
}

class AnswerHandler implements Dispatcher.DispatchHandler {
  #phase: 'connecting' | 'sent' | 'answering' | 'ended' = 'connecting'
  readonly #wanted: Wanted
  readonly #timer: NodeJS.Timeout
  readonly #onAbort: () => void
  #controller: Dispatcher.DispatchController | null = null
  #reused = false
  #head: Pick<RawAnswer, 'status' | 'reason' | 'fields'> = { status: 0, reason: '', fields: [] }
  /** The body so far: blocks of joined chunks, then the chunks since. */
  #blocks: Buffer[] = []
  #chunks: Buffer[] = []

  constructor(wanted: Wanted) {
    const { timeoutMs, signal } = wanted.limits
    this.#wanted = wanted
    this.#timer = setTimeout(timeOut, timeoutMs, this)
    this.#onAbort = () => this.stop(signal?.reason)
    signal?.addEventListener('abort', this.#onAbort)
  }

  /** Gives up and closes the socket if the request is already on it. */
  stop(reason: unknown): void {
    this.#fail(reason)
    this.#controller?.abort(new Error('stopped'))
  }

  timeOut(): void {
    const { at, timeoutMs } = this.#wanted.limits
    if (this.#phase === 'connecting')
      return this.stop(
        new TransportError(
          'connect-timeout',
          `no connection to ${at} within ${timeoutMs} ms: check TARGET_BASE_URL and the firewall`,
        ),
      )
    const what = this.#phase === 'answering' ? 'the answer started but did not end' : 'no answer came'
    this.stop(new TransportError('timeout', `${what} within ${timeoutMs} ms (RUN_TIMEOUT_MS)`))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Already given up while waiting for a connection. If this throws, undici drops the request and keeps the connection.
    if (this.#phase === 'ended') throw new Error('stopped')
    this.#phase = 'sent'
    this.#controller = controller
    this.#wanted.whenWritten((reused) => {
      this.#reused = reused
    })
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, _: unknown, reason = ''): void {
    if (status < 200) {
      const unknown = `the answer has the status ${status}, which does not exist in HTTP`
      const says = status < 100 ? unknown : unaskedSwitch(this.#wanted.limits.at)
      return this.stop(new TransportError('not-http', says))
    }
    this.#phase = 'answering'
    this.#head = { status, reason, fields: pairs(controller.rawHeaders) }
    // Complete without a body (RFC 9112, section 6.3); undici misses this for a 304 with a content-length.
    if (status === 204 || status === 304) this.onResponseEnd(controller)
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#phase === 'ended') return
    this.#chunks.push(chunk)
    if (this.#chunks.length < chunksOfBlock) return
    this.#blocks.push(Buffer.concat(this.#chunks))
    this.#chunks = []
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    if (this.#phase === 'ended') return
    const bytes = Buffer.concat([...this.#blocks, ...this.#chunks])
    this.#end()
    const trailers = pairs(controller.rawTrailers)
    this.#wanted.resolve({ ...this.#head, bytes, trailers, reused: this.#reused })
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error)
  }

  #fail(error: unknown): void {
    if (this.#phase === 'ended') return
    this.#end()
    this.#wanted.reject(error)
  }

  #end(): void {
    this.#phase = 'ended'
    this.#blocks = []
    this.#chunks = []
    clearTimeout(this.#timer)
    this.#wanted.limits.signal?.removeEventListener('abort', this.#onAbort)
  }
}

function timeOut(answer: AnswerHandler): void {
  answer.timeOut()
}

/** Number of chunks that are joined into a block. A million chunks of one byte would take hundreds of MiB. */
const chunksOfBlock = 1_000

/** Trims the white space that the parser leaves at the end of values. */
function pairs(raw: Dispatcher.DispatchController['rawHeaders']): Fields {
  if (!Array.isArray(raw)) return []

  const fields: (readonly [name: string, value: string])[] = []
  for (let at = 0; at < raw.length; at += 2) fields.push([latin1Of(raw[at]), trimOws(latin1Of(raw[at + 1]))])
  return fields
}

function latin1Of(part: Buffer | string = ''): string {
  return typeof part === 'string' ? part : part.toString('latin1')
}
