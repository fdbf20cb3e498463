import { setTimeout as sleep } from 'node:timers/promises'
import { answer, clientOf, listen, success } from '../base.mjs'

export const wrong = true
export const about =
  'The counter of a client is locked for 25 ms per request and a request that finds it locked is let through uncounted (fail open), so parallel requests of an exhausted client are served all but the first, at any time and without bound; breaks "Once it is exceeded, requests fail with 429 and error_code 1020."'

export function start() {
  const state = {}
  const locked = new Set()
  return listen(async (request) => {
    const checked = answer(request, {}) // everything but the quota, nothing counted
    const code = checked.body.error_code
    if (code !== undefined && code !== '1020') return checked
    const client = clientOf(request)
    if (locked.has(client)) return success()
    locked.add(client)
    try {
      await sleep(25)
      return answer(request, state)
    } finally {
      locked.delete(client)
    }
  })
}
