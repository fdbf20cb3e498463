import { answer, clientOf, listen } from '../base.mjs'

export const wrong = false
export const about =
  'Refused requests are counted on, so x-ratelimit-remaining of an exhausted client goes to -1, -2, -3 and so on, while clients without a limit get "unlimited"; conformant, since such header fields are not specified, whether refusals count is not either, and the answers are 429/1020 as in "Once it is exceeded, requests fail with 429 and error_code 1020."'

export function start() {
  const state = {}
  const counts = new Map()
  return listen((request) => {
    const out = answer(request, state)
    if (out.status !== 200 && out.body.error_code !== '1020') return out
    const client = clientOf(request)
    const count = (counts.get(client) ?? 0) + 1
    counts.set(client, count)
    const remaining = client.quota === Infinity ? 'unlimited' : String(client.quota - count)
    return { ...out, headers: { ...out.headers, 'x-ratelimit-remaining': remaining } }
  })
}
