import { answer, clientOf, listen } from '../base.mjs'

export const wrong = true
export const about =
  'A fast path for pooled connections: after ten calls served in a row on one kept-alive connection the ' +
  'secret is no longer looked at there, only the API key; a refusal starts the count anew. Breaks "When ' +
  'the secret key is not valid, the response is 401 with error_code 1007", and 1002 where it is absent.'

const enough = 10

export function start() {
  const state = {}
  const row = new WeakMap()
  return listen((request) => {
    const good = row.get(request.socket) ?? 0
    const client = clientOf(request)
    const trusted = good >= enough && client
    const headers = trusted ? { ...request.headers, 'x-secret-key': client.secret } : request.headers
    const out = answer({ ...request, headers }, state)
    row.set(request.socket, out.status === 200 ? good + 1 : 0)
    return out
  })
}
