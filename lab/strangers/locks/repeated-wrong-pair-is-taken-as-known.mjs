import { answer, clientOf, listen } from '../base.mjs'

export const wrong = true
export const about =
  'Pairs of key and secret are cached for 30 seconds whatever the verdict was, and a cached pair counts as verified, so the same wrong secret sent a second time is let in; breaks "When the secret key is not valid, the response is 401 with error_code 1007."'

export function start() {
  const state = {}
  const cache = new Map() // pair → end of its entry
  return listen((request) => {
    const out = answer(request, state)
    if (out.body.error_code !== '1007') return out
    const client = clientOf(request)
    const pair = JSON.stringify([client.key, request.headers['x-secret-key']])
    if (!(cache.get(pair) > Date.now())) {
      cache.set(pair, Date.now() + 30_000)
      return out
    }
    return answer({ ...request, headers: { ...request.headers, 'x-secret-key': client.secret } }, state)
  })
}
