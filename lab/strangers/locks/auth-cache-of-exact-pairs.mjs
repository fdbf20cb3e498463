import { setTimeout as wait } from 'node:timers/promises'
import { answer, clientOf, listen } from '../base.mjs'

export const wrong = false
export const about =
  'The verdict on each exact pair of key and secret, good or bad, is cached for two seconds, the first answer takes 150 ms and later ones say "x-auth-cache: hit", also on a refusal; looks like a wrong pair that got cached as good, but the verdict is always that of the very same pair and all other checks are made anew.'

export function start() {
  const state = {}
  const cache = new Map() // pair → { good, until }
  return listen(async (request) => {
    const { headers } = request
    const [key, secret] = [headers['x-api-key'], headers['x-secret-key']]
    if (key === undefined || secret === undefined || headers['x-version'] === undefined)
      return answer(request, state)
    const pair = JSON.stringify([key, secret])
    const hit = cache.get(pair)?.until > Date.now()
    if (!hit) {
      await wait(150)
      cache.set(pair, { good: clientOf(request)?.secret === secret, until: Date.now() + 2000 })
    }
    const out = answer(request, state)
    out.headers['x-auth-cache'] = hit ? 'hit' : 'miss'
    out.headers['x-auth-verdict'] = cache.get(pair).good ? 'good' : 'bad'
    return out
  })
}
