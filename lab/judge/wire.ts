import { createHash } from 'node:crypto'
import { Socket } from 'node:net'

type Note = (piece: string) => unknown

/** The observed part of a socket. */
const watched = ['connect', 'write', 'end'] as const

/** The port that the system chose for a service under test, which is not a decision of the run. */
const chosenPort = /(127\.0\.0\.1|localhost|\[::1\]):\d{4,5}/g

/**
 * Calls `note` with each piece that this process writes during `work`, in order and before it is written, to sockets that it opened to one
 * of these ports. For TLS, with the bytes before encryption.
 */
export async function whileWatched<T>(ports: readonly number[], note: Note, work: () => Promise<T>) {
  const opened = new WeakSet<object>()
  const see = (name: (typeof watched)[number], socket: object, given: readonly unknown[]): void => {
    const [first] = given
    if (name === 'connect' && ports.includes(portOf(first))) opened.add(socket)
    if (name === 'connect' || !opened.has(socket)) return
    if (typeof first === 'string') note(first)
    else if (first instanceof Uint8Array) note(Buffer.from(first).toString('latin1'))
  }
  const restore = watched.map((name) => {
    const own = Object.getOwnPropertyDescriptor(Socket.prototype, name)
    const call: unknown = Reflect.get(Socket.prototype, name)
    if (typeof call !== 'function') throw new TypeError(`sockets have no ${name}`)
    const value = function watching(this: object, ...given: readonly unknown[]): unknown {
      see(name, this, given)
      return Reflect.apply(call, this, given)
    }
    Object.defineProperty(Socket.prototype, name, { value, configurable: true, writable: true })
    return (): void => {
      if (own === undefined) Reflect.deleteProperty(Socket.prototype, name)
      else Object.defineProperty(Socket.prototype, name, own)
    }
  })
  try {
    return await work()
  } finally {
    for (const one of restore) one()
  }
}

/** Twelve digits of the SHA-256 of a text without its ports. */
export const digestOf = (text: string): string =>
  createHash('sha256').update(text.replaceAll(chosenPort, '$1'), 'utf8').digest('hex').slice(0, 12)

/** `connect` takes a port, an object with a port, or such an object in an array. */
function portOf(first: unknown): number {
  const options: unknown = Array.isArray(first) ? first[0] : first
  if (typeof options === 'number') return options
  return typeof options === 'object' && options !== null && 'port' in options
    ? Number(options.port)
    : Number.NaN
}
