import { answer, clientOf, listen } from '../base.mjs'

export const wrong = true
export const about =
  'The counter of a client is kept with a sliding lifetime of 250 ms (an expiry meant as 24 h, renewed by each request), so any short silence gives the whole quota back; breaks "There is a daily quota per client. Once it is exceeded, requests fail with 429 and error_code 1020."'

const lifetime = 250
const slotOf = (client) => `${client.key} ${new Date().toISOString().slice(0, 10)}`

export function start() {
  const state = { used: new Map() }
  const seen = new Map()
  return listen((request) => {
    const client = clientOf(request)
    if (client) {
      const now = performance.now()
      if (now - (seen.get(client) ?? now) > lifetime) state.used.delete(slotOf(client))
      seen.set(client, now)
    }
    return answer(request, state)
  })
}
