import { createHash } from 'node:crypto'
import { answer, listen } from '../base.mjs'

export const wrong = true
export const about =
  'The conditional filter stands before the authentication: once an entity tag has been handed out, ' +
  'anyone who sends it in if-none-match gets 304, with a wrong secret or with no key at all. It ' +
  'breaks "Every request is authenticated with an API key and a secret key" and "When the secret key ' +
  'is not valid, the response is 401".'

const tagOf = (text) => `"${createHash('sha1').update(text).digest('base64url')}"`

export function start() {
  const state = {}
  const issued = new Map()
  return listen((request) => {
    const named = (request.headers['if-none-match'] ?? '').split(',').map((t) => t.trim().replace(/^W\//, ''))
    const known = issued.get(request.path)
    if (request.method === 'GET' && known && named.includes(known.tag))
      return { status: 304, headers: { etag: known.tag }, body: known.text }
    const out = answer(request, state)
    if (out.status !== 200) return out
    const text = JSON.stringify(out.body)
    const tag = tagOf(text)
    issued.set(request.path, { tag, text })
    const fields = { etag: tag, 'cache-control': 'private, no-cache' }
    return { ...out, headers: { ...out.headers, ...fields }, body: text }
  })
}
