import { createHash } from 'node:crypto'
import { answer, listen } from '../base.mjs'

export const wrong = true
export const about =
  'The middleware for conditional requests stands before the one for the keys: once a list has been ' +
  'served, If-None-Match with its ETag gets 304 whatever the three headers say. Breaks "When the API key ' +
  'is not valid, the response is 401 with error_code 1006" and the other rules of authentication.'

const tagOf = (body) => `"${createHash('sha1').update(JSON.stringify(body)).digest('hex').slice(0, 20)}"`
const bare = (tag) => tag.trim().replace(/^W\//, '')

export function start() {
  const state = {}
  const served = new Map()
  return listen((request) => {
    const known = served.get(request.url)
    const asked = request.headers['if-none-match']?.split(',').map(bare)
    if (request.method === 'GET' && known && asked?.includes(known.tag))
      return { status: 304, headers: known.headers, body: known.body }
    const out = answer(request, state)
    if (out.status !== 200) return out
    const tag = tagOf(out.body)
    const headers = { ...out.headers, etag: tag, 'cache-control': 'private, no-cache' }
    served.set(request.url, { tag, headers, body: out.body })
    return { ...out, headers }
  })
}
