// The edge opens a session with an accepted request and takes its cookie for the credentials afterwards.
import { randomUUID } from 'node:crypto'
import { answer, clientOf, listen } from '../base.mjs'

export const wrong = true
export const about =
  'An accepted request sets the cookie edge_session; a client that sends it back (browser, library ' +
  'with a cookie jar) is known by it, and its key and secret headers are no longer looked at, wrong ' +
  'or absent. Breaks "Every request must carry all three headers" and "When the API key is not valid, ' +
  'the response is 401 with error_code 1006."'

export function start() {
  const state = {}
  const sessions = new Map()
  return listen((request) => {
    const id = /(?:^|;\s*)edge_session=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1]
    const known = sessions.get(id)
    if (known) {
      request.headers['x-api-key'] = known.key
      request.headers['x-secret-key'] = known.secret
    }
    const out = answer(request, state)
    if (out.status !== 200 || known) return out
    const fresh = randomUUID()
    sessions.set(fresh, clientOf(request))
    out.headers['set-cookie'] = `edge_session=${fresh}; Path=/; HttpOnly; SameSite=Lax`
    return out
  })
}
