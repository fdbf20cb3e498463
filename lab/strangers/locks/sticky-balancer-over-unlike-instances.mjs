import { answer, clientOf, listen, listPath, refusal, version } from '../base.mjs'

export const wrong = false
export const about =
  'Three instances behind a balancer with a sticky "route" cookie (without it: by connection) check in different orders and word their messages differently; looks inconsistent, but orders differ only where several rules apply at once, for which the specification states no precedence, and "Its wording and length may change without notice".'

const order = [
  () => answer,
  ({ headers }) => {
    if (headers['x-version'] === undefined) return '1003'
    if (headers['x-secret-key'] === undefined) return '1002'
    return answer
  },
  (request) => {
    const { method, path, headers } = request
    if (headers['x-api-key'] !== undefined && !clientOf(request)) return '1006'
    if (Object.keys(headers).filter((n) => /^x-(api-key|secret-key|version)$/.test(n)).length < 3)
      return answer
    return headers['x-version'] !== version || method !== 'GET' || path !== listPath ? '1010' : answer
  },
]
const wording = [
  (text) => text,
  (text) => `${text[0].toUpperCase()}${text.slice(1)}.`,
  (text) => `Refused: ${text}`,
]

export function start() {
  const state = {} // shared by the instances
  const byConnection = new WeakMap()
  let connections = 0
  return listen((request) => {
    const { socket, headers } = request
    if (!byConnection.has(socket)) byConnection.set(socket, connections++ % 3)
    const route = /(?:^|;\s*)route=i([012])\b/.exec(headers.cookie ?? '')?.[1]
    const instance = Number(route ?? byConnection.get(socket))
    const first = order[instance](request)
    const out = first === answer ? answer(request, state) : refusal(first)
    if (out.status !== 200) out.body.error_message = wording[instance](out.body.error_message)
    if (route === undefined) out.headers['set-cookie'] = `route=i${instance}; Path=/`
    return out
  })
}
