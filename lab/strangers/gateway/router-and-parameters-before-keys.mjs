// Route and parameters are looked at before the credentials, and those in another order.
import { answer, clients, listen, refusal } from '../base.mjs'

export const wrong = false
export const about =
  'A request with several flaws is refused for another one than usual: version before secret before ' +
  'key if absent, then endpoint, then parameters, then an unknown secret before an unknown key. ' +
  'Conformant: the specification gives no order, each code given is true of the request, and a single ' +
  'flaw gets its own code.'

const all = Object.values(clients)

export function start() {
  const state = {}
  return listen((request) => {
    const { headers } = request
    if (headers['x-version'] === undefined) return refusal('1003')
    if (headers['x-secret-key'] === undefined) return refusal('1002')
    if (headers['x-api-key'] === undefined) return refusal('1001')
    const { key, secret } = clients.target
    const trusted = { ...headers, 'x-api-key': key, 'x-secret-key': secret }
    const routed = answer({ ...request, headers: trusted }, {})
    if (routed.status !== 200) return routed
    if (all.every((client) => client.secret !== headers['x-secret-key'])) return refusal('1007')
    return answer(request, state)
  })
}
