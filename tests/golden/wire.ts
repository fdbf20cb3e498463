import { createHash } from 'node:crypto'
import { Socket } from 'node:net'
import { Duplex } from 'node:stream'

/** What a run wrote to its sockets. */
export interface Written {
  /** SHA-256 of all bytes in the order in which they were written, in hexadecimal, cut to twelve digits. */
  readonly inOrder: string
}

type Write = (this: Socket, chunk: unknown, encoding?: unknown, done?: unknown) => boolean

/** Whatever the system chose is not what a run decides: the port of a service that listens for one test. */
const chosenPort = /(127\.0\.0\.1|localhost|\[::1\]):\d{4,5}/g

/**
 * Hashes what this process writes, while `work` lasts, to sockets that it opened, to one of these ports or to any; under TLS the bytes before they
 * are encrypted.
 */
export async function written<T>(
  ports: readonly number[] | null,
  work: () => Promise<T>,
): Promise<{ readonly came: T; readonly bytes: Written }> {
  const pieces: string[] = []
  const opened = new WeakSet<Socket>()
  const { connect, write, end } = prototype
  prototype.connect = function connecting(this: Socket, ...given: readonly unknown[]) {
    if (ports === null || ports.includes(portOf(given))) opened.add(this)
    return Reflect.apply(connect, this, given) as Socket
  }
  const keep = (socket: Socket, chunk: unknown): void => {
    if (!opened.has(socket)) return
    if (typeof chunk === 'string') pieces.push(chunk)
    else if (chunk instanceof Uint8Array) pieces.push(Buffer.from(chunk).toString('latin1'))
  }
  prototype.write = function writing(this: Socket, ...given) {
    keep(this, given[0])
    return Reflect.apply(write, this, given)
  }
  prototype.end = function ending(this: Socket, ...given: readonly unknown[]) {
    keep(this, given[0])
    return Reflect.apply(end, this, given) as Socket
  }
  try {
    const came = await work()
    return { came, bytes: { inOrder: digestOf(pieces.join('')) } }
  } finally {
    Object.assign(prototype, { connect, write, end })
  }
}

/** Twelve digits of the SHA-256 of a text in which no port stands. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text.replaceAll(chosenPort, '$1'), 'utf8').digest('hex').slice(0, 12)
}

const prototype: {
  connect: (this: Socket, ...given: readonly unknown[]) => Socket
  write: Write
  end: (this: Socket, ...given: readonly unknown[]) => Socket
} = Object.assign(Socket.prototype, { write: Duplex.prototype.write, end: Duplex.prototype.end }) as never

/** `connect` takes a port, or an object with one, or that object in an array. */
function portOf([first]: readonly unknown[]): number {
  const options: unknown = Array.isArray(first) ? first[0] : first
  if (typeof options === 'number') return options
  return typeof options === 'object' && options !== null && 'port' in options
    ? Number(options.port)
    : Number.NaN
}
