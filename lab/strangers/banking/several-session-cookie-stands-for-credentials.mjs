import { randomUUID } from 'node:crypto'
import { answer, clientOf, listen } from '../base.mjs'

export const wrong = true
export const about =
  'A served request opens a session (set-cookie: SESSION). Later requests with this cookie are taken as ' +
  'the client of the session; key and secret must be there but are not looked at any more: with a ' +
  'cookie jar a wrong secret is served. Breaks "When the secret key is not valid, the response is 401 ' +
  'with error_code 1007."'

export const start = () => {
  const state = {}
  const sessions = new Map()
  return listen((request) => {
    const { headers } = request
    const client = sessions.get(/(?:^|;\s*)SESSION=([\w-]+)/.exec(headers.cookie ?? '')?.[1])
    const complete = headers['x-api-key'] !== undefined && headers['x-secret-key'] !== undefined
    if (client && complete) {
      const known = { ...headers, 'x-api-key': client.key, 'x-secret-key': client.secret }
      return answer({ ...request, headers: known }, state)
    }
    const out = answer(request, state)
    if (out.status !== 200) return out
    const id = randomUUID()
    sessions.set(id, clientOf(request))
    const cookie = `SESSION=${id}; Path=/; HttpOnly; SameSite=Lax`
    return { ...out, headers: { ...out.headers, 'set-cookie': cookie } }
  })
}
