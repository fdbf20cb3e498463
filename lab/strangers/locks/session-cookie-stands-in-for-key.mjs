import { randomUUID } from 'node:crypto'
import { answer, clientOf, listen } from '../base.mjs'

export const wrong = true
export const about =
  'Every success hands out a session cookie, and a request that brings it back needs no x-api-key any more (the secret is still checked); breaks "When the API key header is absent, the response is 400 with error_code 1001."'

export function start() {
  const state = {}
  const sessions = new Map()
  return listen((request) => {
    const headers = { ...request.headers }
    const id = /(?:^|;\s*)session=([\w-]+)/.exec(headers.cookie ?? '')?.[1]
    if (headers['x-api-key'] === undefined && sessions.has(id)) headers['x-api-key'] = sessions.get(id)
    const seen = { ...request, headers }
    const out = answer(seen, state)
    if (out.status === 200 && !sessions.has(id)) {
      const fresh = randomUUID()
      sessions.set(fresh, clientOf(seen).key)
      out.headers['set-cookie'] = `session=${fresh}; Path=/; HttpOnly`
    }
    return out
  })
}
