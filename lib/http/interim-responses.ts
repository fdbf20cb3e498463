import type { Socket } from 'node:net'

import type { buildConnector } from 'undici'

/** Told, as a request is written, whether its connection has carried one before. */
type OnWritten = (reused: boolean) => void

/** undici calls back that a request starts and writes it in the same turn: so the next write is the one of that request. */
let starting: OnWritten | null = null

/** Calls back when the request is written that undici is about to write: a handler's `onRequestStart` is where to ask. */
export function whenWritten(onWritten: OnWritten): void {
  starting = onWritten
}

/**
 * The same connector, with every socket watched: interim responses never arrive, and each request learns whether its
 * connection was used before. Each request is one write, since none has a body, and goes out once the one before was answered.
 */
export function watching(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error === null) callback(null, watched(socket))
      else callback(error, null)
    })
}

function watched(socket: Socket): Socket {
  const interim = new InterimResponses()
  const push = socket.push.bind(socket)
  const write = socket.write.bind(socket)
  let requests = 0

  socket.push = (chunk: unknown, encoding) => {
    if (Buffer.isBuffer(chunk)) {
      const passed = interim.passed(chunk)
      return passed.length === 0 ? true : push(passed, encoding)
    }
    const held = interim.rest()
    if (held.length > 0) push(held)
    return push(chunk, encoding)
  }
  Object.assign(socket, {
    write: (...given: Parameters<typeof write>): boolean => {
      interim.begin()
      starting?.(requests > 0)
      starting = null
      requests += 1
      return write(...given)
    },
  })
  return socket
}

/**
 * Takes interim responses (1xx) out of the bytes of a connection: a client must be able to read them before the final one,
 * asked for or not, and undici refuses a 100. A 101 stays, since what follows it is no HTTP. Source: RFC 9110, 15.2.
 */
export class InterimResponses {
  #place: 'status line' | 'interim head' | 'final response' = 'final response'
  /** The beginning of a status line that may be an interim one, or the end of an interim head so far. */
  #held: Buffer = nothing

  /** A request goes out: what comes next is a status line. */
  begin(): void {
    this.#place = 'status line'
    this.#held = nothing
  }

  /** What is left of the bytes that came; the end of a chunk may be held back until the next one tells what it is. */
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

  /** What was held back when no more bytes come. */
  rest(): Buffer {
    const held = this.#place === 'status line' ? this.#held : nothing
    this.#held = nothing
    return held
  }
}

const nothing = Buffer.alloc(0)
const [lineFeed, carriageReturn] = [0x0a, 0x0d]
/** Parsers pass over some empty lines before a status line. */
const maxLineEnds = 15
const interimStatus = 'HTTP/1.1 100'

function kindOf(bytes: Buffer): 'interim head' | 'final response' | 'unknown' {
  const text = bytes.toString('latin1', 0, maxLineEnds + interimStatus.length)
  const line = text.replace(/^[\r\n]{1,15}/, '')
  if (!/^HTTP\/\d\.\d 1(?!01)\d\d/.test(line + interimStatus.slice(line.length))) return 'final response'
  return line.length < interimStatus.length ? 'unknown' : 'interim head'
}

/** Behind the empty line that ends a head, or -1. */
function endOfHead(bytes: Buffer): number {
  for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) {
    let next = at + 1
    while (bytes[next] === carriageReturn) next += 1
    if (bytes[next] === lineFeed) return next + 1
  }
  return -1
}

/** The end of bytes that may become an empty line: a line end, and nothing behind it. */
function emptyLineSoFar(bytes: Buffer): Buffer {
  let from = bytes.length
  while (bytes[from - 1] === carriageReturn) from -= 1
  return bytes[from - 1] === lineFeed ? bytes.subarray(from - 1) : nothing
}
