import { answer, listen } from '../base.mjs'

export const wrong = false
export const about =
  'The connection is closed after every refusal and after each fifth call served on it, with ' +
  '"connection: close" told; the tenth and the first call of a connection are judged alike. Conformant: ' +
  'no sentence speaks of connections, and HTTP lets a server close them after an answer.'

export function start() {
  const state = {}
  const served = new WeakMap()
  return listen((request) => {
    const out = answer(request, state)
    const count = (served.get(request.socket) ?? 0) + 1
    served.set(request.socket, count)
    if (out.status === 200 && count < 5) return out
    return { ...out, headers: { ...out.headers, connection: 'close' } }
  })
}
