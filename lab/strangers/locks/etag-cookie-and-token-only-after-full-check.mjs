import { randomUUID } from 'node:crypto'
import { answer, listen } from '../base.mjs'

export const wrong = false
export const about =
  'Successes hand out a session cookie, a bearer-like token and an etag; cookie and token are never read again, and a matching if-none-match gets 304 only after key, secret, version and quota have all been checked; looks like a way around the secret, but every request is authenticated by its three headers alone.'

const tag = '"cus-5f2c-2"'

export function start() {
  const state = {}
  return listen((request) => {
    const out = answer(request, state)
    out.headers['x-request-id'] = randomUUID()
    if (out.status !== 200) return out
    out.headers.etag = tag
    out.headers['set-cookie'] = `session=${randomUUID()}; Path=/; HttpOnly`
    out.headers['x-auth-token'] = randomUUID()
    out.headers.vary = 'x-api-key, x-secret-key, x-version'
    if (!request.headers['if-none-match']?.includes(tag)) return out
    delete out.headers['content-type']
    return { ...out, status: 304, body: '' }
  })
}
