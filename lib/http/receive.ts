import type { Dispatcher } from 'undici'

import { TransportError, unaskedSwitch } from './transport-error.ts'
import { whenWritten } from './interim-responses.ts'
import { trimOws } from './request.ts'

/** Maximum size of an answer, in bytes, before and after decoding; documented answers are far smaller. */
export const MAX_ANSWER_BYTES = 4 * 1024 * 1024

/** Maximum size of an answer's names and values, in bytes; some honest heads exceed undici's 16 KiB. */
export const MAX_HEAD_BYTES = 64 * 1024

/** An answer before decoding. */
export interface RawAnswer {
  readonly status: number
  readonly reason: string
  readonly fields: Fields
  readonly bytes: Buffer
  readonly trailers: Fields
  /** Whether its connection carried a request before. */
  readonly reused: boolean
}

type Fields = readonly (readonly [name: string, value: string])[]

/** When to stop waiting for an answer. */
export interface Limits {
  /** Host and port of the target, for messages. */
  readonly at: string
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

/**
 * Sends a request and collects its answer, within a deadline for everything from waiting for a connection to the last byte.
 * `request` would notice a signal only once connected, so this uses `dispatch`. Rejects with the signal's reason, a
 * `TransportError` on timeout, or undici's own error.
 */
export function receive(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  { at, timeoutMs, signal }: Limits,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const answer = new AnswerHandler(
      (raw) => settle(() => resolve(raw)),
      (error) => settle(() => reject(error)),
      at,
    )
    let unlisten = (): void => {}
    const settle = (how: () => void): void => {
      clearTimeout(timer)
      unlisten()
      how()
    }
    const onAbort = (): void => answer.stop(signal?.reason)
    const timer = setTimeout(() => answer.stop(overdue(answer.phase, at, timeoutMs)), timeoutMs)

    if (signal?.aborted === true) {
      onAbort()
      return
    }
    if (signal !== undefined) unlisten = whenAborted(signal, onAbort)
    dispatcher.dispatch(options, answer)
  })
}

type Phase = 'connecting' | 'sent' | 'answering' | 'ended'

class AnswerHandler implements Dispatcher.DispatchHandler {
  phase: Phase = 'connecting'
  readonly #done: (answer: RawAnswer) => void
  readonly #failed: (error: unknown) => void
  readonly #at: string
  #controller: Dispatcher.DispatchController | null = null
  #reused = false
  #head: Pick<RawAnswer, 'status' | 'reason' | 'fields'> = { status: 0, reason: '', fields: [] }
  readonly #content = new Content()

  constructor(done: (answer: RawAnswer) => void, failed: (error: unknown) => void, at: string) {
    this.#done = done
    this.#failed = failed
    this.#at = at
  }

  /** Gives up and closes the socket if the request is already on it. */
  stop(reason: unknown): void {
    this.#fail(reason)
    this.#controller?.abort(new Error('stopped'))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Given up while waiting for a connection: if this throws, undici drops the request and keeps the connection.
    if (this.phase === 'ended') throw new Error('stopped')
    this.phase = 'sent'
    this.#controller = controller
    whenWritten((reused) => {
      this.#reused = reused
    })
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, _: unknown, reason = ''): void {
    if (status < 100) {
      this.stop(
        new TransportError('not-http', `the answer has the status ${status}, which HTTP does not know`),
      )
      return
    }
    if (status < 200) {
      this.stop(new TransportError('not-http', unaskedSwitch(this.#at)))
      return
    }
    this.phase = 'answering'
    this.#head = { status, reason, fields: pairs(controller.rawHeaders) }
    // Complete without a body (RFC 9112, section 6.3); undici misses this for a 304 with a content-length.
    if (status === 204 || status === 304) this.onResponseEnd(controller)
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.phase !== 'ended') this.#content.add(chunk)
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    if (this.phase === 'ended') return
    this.phase = 'ended'
    this.#done({
      ...this.#head,
      bytes: this.#content.taken(),
      trailers: pairs(controller.rawTrailers),
      reused: this.#reused,
    })
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error)
  }

  #fail(error: unknown): void {
    if (this.phase === 'ended') return
    this.phase = 'ended'
    this.#content.taken()
    this.#failed(error)
  }
}

/** Bytes of a body in one buffer: kept apart, a million chunks of one byte would take hundreds of MiB. */
class Content {
  #bytes = Buffer.alloc(0)
  #length = 0

  add(chunk: Buffer): void {
    const length = this.#length + chunk.length
    if (length > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#bytes.length))
      this.#bytes.copy(larger, 0, 0, this.#length)
      this.#bytes = larger
    }
    chunk.copy(this.#bytes, this.#length)
    this.#length = length
  }

  /** Takes all content and leaves none. */
  taken(): Buffer {
    const all = this.#bytes.subarray(0, this.#length)
    this.#bytes = Buffer.alloc(0)
    this.#length = 0
    return all
  }
}

/** Trims the white space that the parser leaves at the end of values. */
function pairs(raw: Dispatcher.DispatchController['rawHeaders']): Fields {
  if (!Array.isArray(raw)) return []

  const texts = raw.map((part) => (typeof part === 'string' ? part : part.toString('latin1')))
  return texts.flatMap((name, index) =>
    index % 2 === 0 ? [[name, trimOws(texts[index + 1] ?? '')] as const] : [],
  )
}

function overdue(phase: Phase, at: string, timeoutMs: number): TransportError {
  if (phase === 'connecting') {
    return new TransportError(
      'connect-timeout',
      `no connection to ${at} within ${timeoutMs} ms: is TARGET_BASE_URL right, does a firewall drop the packets?`,
    )
  }
  const what = phase === 'answering' ? 'the answer began and did not end' : 'no answer came'
  return new TransportError('timeout', `${what} within ${timeoutMs} ms (RUN_TIMEOUT_MS)`)
}

/** Waiters for each signal, behind one listener: thousands of requests share a signal. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>()

/** Registers a callback for the abort of a signal that is not aborted; returns a function that removes it. */
function whenAborted(signal: AbortSignal, callBack: () => void): () => void {
  const all = waiting.get(signal) ?? listening(signal)
  all.add(callBack)
  return () => void all.delete(callBack)
}

function listening(signal: AbortSignal): Set<() => void> {
  const all = new Set<() => void>()
  waiting.set(signal, all)
  signal.addEventListener('abort', () => all.forEach((callBack) => callBack()), { once: true })
  return all
}
