import { answer, listen } from '../base.mjs'

export const wrong = true
export const about =
  'A kept-alive connection on which the same client succeeded twice keeps that client logged in, so a later request on it that lacks x-api-key or x-secret-key is served; breaks "Every request must carry all three headers" and "When the API key [secret key] header is absent, the response is 400 with error_code 1001 [1002]."'

export function start() {
  const state = {}
  const sessions = new WeakMap() // connection -> credentials and number of successes in a row of that client
  return listen((request) => {
    const { 'x-api-key': key, 'x-secret-key': secret } = request.headers
    const known = sessions.get(request.socket)
    if (known?.times >= 2 && (key ?? known.key) === known.key)
      request.headers = { ...request.headers, 'x-api-key': known.key, 'x-secret-key': secret ?? known.secret }
    const out = answer(request, state)
    const { 'x-api-key': now, 'x-secret-key': pair } = request.headers
    if (out.status === 200)
      sessions.set(request.socket, {
        key: now,
        secret: pair,
        times: known?.key === now ? known.times + 1 : 1,
      })
    return out
  })
}
