import { randomUUID } from 'node:crypto'
import { answer, listen } from '../base.mjs'

export const wrong = false
export const about =
  'Every answer sets a session cookie for stickiness, and requests with an Origin get CORS headers that ' +
  'allow this origin and the three fields, refusals and OPTIONS included. Neither cookie nor origin nor ' +
  'referer replaces a header: "Every request must carry all three headers" is kept for every request.'

export function start() {
  const state = {}
  return listen((request) => {
    const out = answer(request, state)
    const headers = { ...out.headers, vary: 'origin' }
    if (!/\bsession=/.test(request.headers.cookie ?? ''))
      headers['set-cookie'] = `session=${randomUUID()}; Path=/; HttpOnly; SameSite=Lax`
    const { origin } = request.headers
    if (origin) {
      headers['access-control-allow-origin'] = origin
      headers['access-control-allow-credentials'] = 'true'
      headers['access-control-allow-headers'] = 'accept, x-api-key, x-secret-key, x-version'
      headers['access-control-allow-methods'] = 'GET'
    }
    return { ...out, headers }
  })
}
