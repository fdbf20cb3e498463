import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { buildConnector } from 'undici'

/** Called when a request is written; the argument says whether its connection has been used before. */
type OnWritten = (reused: boolean) => void

/** Registers a callback for the request that undici is about to write. Call it in a handler's `onRequestStart`. */
export type WhenWritten = (onWritten: OnWritten) => void

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
export class InterimResponses {
  #place: 'status line' | 'interim head' | 'final response' = 'final response'
  /** The start of a status line that may be interim, or the end of an interim head so far. */
  #held: Buffer = nothing

  /** A request has been written, so a status line comes next. */
  begin(): void {
    this.#place = 'status line'
    this.#held = nothing
  }

  /** Returns the bytes to pass on. Holds back the end of a chunk until the next chunk if necessary. */
  passed(chunk: Buffer): Buffer {
    if (this.#place === 'final response') return chunk

    let bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    this.#held = nothing
    for (;;) {
      if (this.#place === 'interim head') {
        const end = endOfHead(bytes)
        if (end < 0) {
          this.#held = emptyLineSoFar(bytes)
          return nothing
        }
        bytes = bytes.subarray(end)
      }
      const kind = kindOf(bytes)
      if (kind === 'unknown') {
        this.#place = 'status line'
        this.#held = bytes
        return nothing
      }
      this.#place = kind
      if (kind === 'final response') return bytes
    }
  }

  /** The bytes still held at the end of the connection. */
  rest(): Buffer {
    const held = this.#place === 'status line' ? this.#held : nothing
    this.#held = nothing
    return held
  }
}

const nothing = Buffer.alloc(0)
const [lineFeed, carriageReturn] = [0x0a, 0x0d]
/** Parsers skip some empty lines before a status line. */
const maxLineEnds = 15
const interimStatus = 'HTTP/1.1 100'

function kindOf(bytes: Buffer): 'interim head' | 'final response' | 'unknown' {
  const text = bytes.toString('latin1', 0, maxLineEnds + interimStatus.length)
  const line = text.replace(/^[\r\n]{1,15}/, '')
  if (!/^HTTP\/\d\.\d 1(?!01)\d\d/.test(line + interimStatus.slice(line.length))) return 'final response'
  return line.length < interimStatus.length ? 'unknown' : 'interim head'
}

/** The index after the empty line that ends a head, or -1. */
export function endOfHead(bytes: Buffer): number {
  for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) {
    let next = at + 1
    while (bytes[next] === carriageReturn) next += 1
    if (bytes[next] === lineFeed) return next + 1
  }
  return -1
}

/** A line ending at the end of the bytes, which may be the start of an empty line. */
function emptyLineSoFar(bytes: Buffer): Buffer {
  let from = bytes.length
  while (bytes[from - 1] === carriageReturn) from -= 1
  return bytes[from - 1] === lineFeed ? bytes.subarray(from - 1) : nothing
}
