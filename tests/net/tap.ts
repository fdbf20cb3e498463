import { Server as HttpServer } from 'node:http'
import { Server as HttpsServer } from 'node:https'
import { Server as NetServer, Socket } from 'node:net'

let heard: Socket[] = []
const bytes = new WeakMap<Socket, Buffer[]>()

/** Notes whatever arrives at any server of this process from now on, without taking it from whom it is meant for. */
export function tapServers(): void {
  // oxlint-disable-next-line unbound-method -- called with its server below
  const { emit } = NetServer.prototype
  NetServer.prototype.emit = function tapped(this: NetServer, event: string | symbol, ...given: unknown[]) {
    const pass = (): boolean => Boolean(Reflect.apply(emit, this, [event, ...given]))
    const isHttp = this instanceof HttpServer || this instanceof HttpsServer
    const [socket] = given
    const arrives = event === (this instanceof HttpsServer ? 'secureConnection' : 'connection')
    if (!arrives || !(socket instanceof Socket)) return pass()
    const parts: Buffer[] = []
    bytes.set(socket, parts)
    heard.push(socket)
    if (isHttp) {
      // The parser reads past the stream; a listener that comes after it makes it read from the stream.
      const result = pass()
      socket.on('data', (part: Buffer) => parts.push(part))
      return result
    }
    const push = socket.push.bind(socket)
    socket.push = (part: unknown, ...more) => {
      if (Buffer.isBuffer(part)) parts.push(part)
      return push(part, ...more)
    }
    return pass()
  }
}

/** What has arrived since the last call, cut behind each head, sorted; the first request of all, the health check, only once. */
export function arrivedRequests(): readonly string[] {
  const texts = heard.map((socket) => Buffer.concat(bytes.get(socket) ?? []).toString('latin1'))
  heard = []
  const requests = texts
    .flatMap((text) => text.split(/(?<=\r\n\r\n)/))
    .filter((text) => text !== '')
    .map((text) => text.replaceAll(/(127\.0\.0\.1|localhost|\[::1\]):\d+/g, '$1:0'))
  const [healthCheck = ''] = requests
  return [healthCheck, ...requests.filter((text) => text !== healthCheck).toSorted()]
}
