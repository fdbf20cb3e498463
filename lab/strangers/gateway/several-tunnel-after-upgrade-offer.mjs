// The proxy takes a connection with an upgrade request for a tunnel from then on, though nobody answered 101.
import { answer, clients, listen, version } from '../base.mjs'

export const wrong = true
export const about =
  'After a request with an Upgrade field (Java HttpClient and curl --http2 offer h2c on plain http) ' +
  'the proxy passes all that follows on the same connection unchecked, with the credentials of its ' +
  'own: later requests with wrong or absent headers are served. Breaks "Every request must carry all ' +
  'three headers."'

export function start() {
  const state = {}
  const tunnels = new WeakSet()
  const { key, secret } = clients.target
  const own = { 'x-api-key': key, 'x-secret-key': secret, 'x-version': version }
  return listen((request) => {
    if (tunnels.has(request.socket))
      return answer({ ...request, headers: { ...request.headers, ...own } }, state)
    if (request.headers.upgrade !== undefined) tunnels.add(request.socket)
    return answer(request, state)
  })
}
