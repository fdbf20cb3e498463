import { answer, clientOf, clients, listen } from '../base.mjs'

export const wrong = true
export const about =
  'For 30 seconds after a success the result is cached under the secret alone and consulted when the key is not found, so an unknown key with a secret that has just worked is served; breaks "When the API key is not valid, the response is 401 with error_code 1006."'

export function start() {
  const state = {}
  const cache = new Map() // secret → end of its entry
  return listen((request) => {
    const out = answer(request, state)
    const secret = request.headers['x-secret-key']
    if (out.status === 200) cache.set(secret, Date.now() + 30_000)
    if (out.body.error_code !== '1006' || clientOf(request) || !(cache.get(secret) > Date.now())) return out
    const owner = Object.values(clients).find((c) => c.secret === secret)
    return answer({ ...request, headers: { ...request.headers, 'x-api-key': owner.key } }, state)
  })
}
