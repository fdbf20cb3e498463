// Connection management of an edge: at most four requests on one, refusals end it, upgrades are ignored.
import { answer, listen } from '../base.mjs'

export const wrong = false
export const about =
  'A refusal closes the connection, an accepted request leaves it open for four in all, and an ' +
  'offered upgrade is passed over. Conformant: each request is checked for itself, whatever stood on ' +
  'the connection before; the specification is silent on connections.'

export function start() {
  const state = {}
  const counted = new WeakMap()
  return listen((request) => {
    const number = (counted.get(request.socket) ?? 0) + 1
    counted.set(request.socket, number)
    const out = answer(request, state)
    if (out.status >= 400 || number >= 4) out.headers.connection = 'close'
    out.headers['x-connection-requests'] = String(number)
    return out
  })
}
