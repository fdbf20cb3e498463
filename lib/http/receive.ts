import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { Dispatcher, buildConnector } from 'undici'
import { readContent, type Exchange, type Response, trimOws } from './exchange.ts'
import { MAX_ANSWER_BYTES, MAX_HEAD_BYTES, TransportError, unaskedSwitch } from './transport-error.ts'

/** Options for undici. Its timeouts are accurate only to a second and restart with each byte; our timeout covers the whole exchange. */
export const boundsOfAnswers = {
  allowH2: false,
  maxResponseSize: MAX_ANSWER_BYTES,
  maxHeaderSize: MAX_HEAD_BYTES,
  headersTimeout: 0,
  bodyTimeout: 0,
} as const

/** What is received for a request. */
export type Received = Pick<Exchange, 'response' | 'reused' | 'behind'>

/** Sends a request, and reports when it has been written. */
type Sender = Readonly<{ dispatcher: Pick<Dispatcher, 'dispatch'>; whenWritten: WhenWritten }>

/** When to stop waiting for an answer. */
export type Limits = Readonly<{
  /** Host and port of the target, for messages. */
  at: string
  timeoutMs: number
  signal: AbortSignal | undefined
}>

/**
 * Sends a request and reads its answer, with a single deadline from waiting for a connection to the last byte. Uses `dispatch`, because
 * `request` notices a signal only once it is connected. Rejects with the signal's reason, a `TransportError` on timeout or for content that
 * cannot be decoded, or undici's error.
 */
export function receive(
  { dispatcher, whenWritten }: Sender,
  options: Dispatcher.DispatchOptions,
  limits: Limits,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const answer = new AnswerHandler({ resolve, reject, limits, whenWritten })
    if (limits.signal?.aborted === true) answer.stop(limits.signal.reason)
    else dispatcher.dispatch(options, answer)
  })
}

/** What an answer is for. */
type Wanted = Pick<Sender, 'whenWritten'> &
  Readonly<{
    resolve: (received: Received) => void
    reject: (error: unknown) => void
    limits: Limits
  }>

class AnswerHandler implements Dispatcher.DispatchHandler {
  #phase: 'connecting' | 'sent' | 'answering' | 'ended' = 'connecting'
  readonly #wanted: Wanted
  readonly #timer: NodeJS.Timeout
  readonly #onAbort: () => void
  #controller: Dispatcher.DispatchController | null = null
  #reused = false
  #head: Pick<Response, 'status' | 'reason' | 'fields'> = { status: 0, reason: '', fields: [] }
  /** The body so far: joined chunks, then the chunks since. */
  #chunks: Buffer[] = []

  constructor(wanted: Wanted) {
    const { timeoutMs, signal } = wanted.limits
    this.#wanted = wanted
    this.#timer = setTimeout(() => this.#timeOut(), timeoutMs)
    this.#onAbort = () => this.stop(signal?.reason)
    signal?.addEventListener('abort', this.#onAbort)
  }

  /** Gives up and closes the socket if the request is already on it. */
  stop(reason: unknown): void {
    this.#fail(reason)
    this.#controller?.abort(new Error('stopped'))
  }

  #timeOut(): void {
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
    if (this.#chunks.length > mostChunks) this.#chunks = [Buffer.concat(this.#chunks)]
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    if (this.#phase === 'ended') return
    const bytes = Buffer.concat(this.#chunks)
    this.#end()
    const trailers = pairs(controller.rawTrailers)
    try {
      const response = { ...this.#head, ...readContent(bytes, this.#head.fields), trailers }
      this.#wanted.resolve({ response, reused: this.#reused })
    } catch (error) {
      this.#wanted.reject(error)
    }
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
    this.#chunks = []
    clearTimeout(this.#timer)
    this.#wanted.limits.signal?.removeEventListener('abort', this.#onAbort)
  }
}

/** Maximum number of chunks before they are joined. A million chunks of one byte would take hundreds of MiB. */
const mostChunks = 1_000

/** Trims the white space that the parser leaves at the end of values. */
function pairs(raw: Dispatcher.DispatchController['rawHeaders']) {
  if (!Array.isArray(raw)) return []

  const fields: (readonly [name: string, value: string])[] = []
  for (let at = 0; at < raw.length; at += 2) fields.push([latin1Of(raw[at]), trimOws(latin1Of(raw[at + 1]))])
  return fields
}

function latin1Of(part: Buffer | string = '') {
  return typeof part === 'string' ? part : part.toString('latin1')
}

/** Called when a request is written; the argument says whether its connection has been used before. */
type OnWritten = (reused: boolean) => void

/** Registers a callback for the request that undici is about to write. Call it in a handler's `onRequestStart`. */
type WhenWritten = (onWritten: OnWritten) => void

/**
 * Wraps a connector so that interim responses never arrive and each request learns whether its connection has been used before. With
 * `instead`, a connection writes these bytes in place of the first data, and drops later data.
 */
export function watching(connect: buildConnector.connector, instead: Buffer | null = null) {
  /** undici announces and writes a request in the same turn, so the next write belongs to it. */
  let starting: OnWritten | null = null
  const onWrite: OnWritten = (reused) => {
    starting?.(reused)
    starting = null
  }
  const watched: buildConnector.connector = (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error === null) callback(null, asSocket(new Wire(socket, onWrite, instead)))
      else callback(error, null)
    })
  const whenWritten: WhenWritten = (onWritten) => {
    starting = onWritten
  }
  return { connect: watched, whenWritten }
}

/** undici uses a connection as a stream, and needs no other methods of a socket. */
export function asSocket(stream: Duplex): Socket
export function asSocket(stream: unknown): unknown {
  return stream
}

/** A connection as undici sees it: a stream around its socket. */
class Wire extends Duplex {
  readonly #socket: Socket
  readonly #interim = new InterimResponses()
  readonly #onWrite: OnWritten
  readonly #instead: Buffer | null
  #requests = 0

  constructor(socket: Socket, onWrite: OnWritten, instead: Buffer | null) {
    super({ allowHalfOpen: false })
    this.#socket = socket
    this.#onWrite = onWrite
    this.#instead = instead
    socket.on('data', (chunk: Buffer) => {
      const passed = this.#interim.passed(chunk)
      if (passed.length > 0 && !this.push(passed)) socket.pause()
    })
    socket.on('end', () => {
      this.push(this.#interim.rest())
      this.push(null)
    })
    socket.on('error', (error) => this.destroy(error))
    // Data read before the end must still be passed on.
    socket.on('close', () => socket.readableEnded || this.destroy())
  }

  override _read(): void {
    this.#socket.resume()
  }

  /** Does not wait until the data is sent, because the next write is the next announced request. */
  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    done()
    if (this.#instead !== null && this.#requests > 0) return
    this.#interim.begin()
    this.#onWrite(this.#requests > 0)
    this.#requests += 1
    this.#socket.write(this.#instead ?? chunk)
  }

  override _final(done: () => void): void {
    this.#socket.end(done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy()
    done(error)
  }
}

/**
 * Removes interim responses (1xx) from a connection's bytes, because clients must accept unexpected ones and undici refuses a 100. A 101
 * stays, since no HTTP follows it. Source: RFC 9110, 15.2.
 */
class InterimResponses {
  #isFinal = true
  /** What has come of the next response, if its status is unknown or interim so far. */
  #held: Buffer = nothing

  /** A request has been written, so a status line comes next. */
  begin(): void {
    this.#isFinal = false
    this.#held = nothing
  }

  /** Returns the bytes to pass on. Holds back the end of a chunk until the next chunk if necessary. */
  passed(chunk: Buffer): Buffer {
    if (this.#isFinal) return chunk

    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    for (;;) {
      const isInterim = interimHead(this.#held)
      const end = isInterim === true ? endOfHead(this.#held) : -1
      this.#isFinal = isInterim === false || (end < 0 && this.#held.length > MAX_HEAD_BYTES)
      if (this.#isFinal) return this.rest()
      if (end < 0) return nothing
      this.#held = this.#held.subarray(end)
    }
  }

  /** The bytes still held, as at the end of the connection. */
  rest(): Buffer {
    const held = this.#held
    this.#held = nothing
    return held
  }
}

const nothing = Buffer.alloc(0)
const lineFeed = 0x0a
const carriageReturn = 0x0d
/** Parsers skip some empty lines before a status line. */
const maxLineEnds = 15
const interimStatus = 'HTTP/1.1 100'

/** Whether bytes begin with an interim head; null if that is still open. */
function interimHead(bytes: Buffer): boolean | null {
  const text = bytes.toString('latin1', 0, maxLineEnds + interimStatus.length)
  const line = text.replace(/^[\r\n]{1,15}/, '')
  if (!/^HTTP\/\d\.\d 1(?!01)\d\d/.test(line + interimStatus.slice(line.length))) return false
  return line.length < interimStatus.length ? null : true
}

/** The index after the empty line that ends a head, or -1. */
export function endOfHead(bytes: Buffer) {
  for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) {
    let next = at + 1
    while (bytes[next] === carriageReturn) next += 1
    if (bytes[next] === lineFeed) return next + 1
  }
  return -1
}
