import { answer, clientOf, listen } from '../base.mjs'

export const wrong = true
export const about =
  'Once a client has been served on a connection, its secret is not compared again on that connection, so a wrong secret that follows a success there is let in; breaks "When the secret key is not valid, the response is 401 with error_code 1007."'

export function start() {
  const state = {}
  const served = new WeakMap() // connection → client served last
  return listen((request) => {
    const out = answer(request, state)
    const client = clientOf(request)
    if (out.status === 200) served.set(request.socket, client)
    if (out.body.error_code !== '1007' || served.get(request.socket) !== client) return out
    return answer({ ...request, headers: { ...request.headers, 'x-secret-key': client.secret } }, state)
  })
}
