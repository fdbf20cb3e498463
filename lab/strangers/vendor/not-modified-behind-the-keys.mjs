import { createHash } from 'node:crypto'
import { answer, listen } from '../base.mjs'

export const wrong = false
export const about =
  'The list has an ETag and If-None-Match gets 304 without a body, HEAD is answered as GET; both only ' +
  'after keys, version, path and quota have been checked, and refusals have neither ETag nor 304. ' +
  'Conformant: 304 is asked for by the client, and every rule of authentication comes first.'

const tagOf = (body) => `W/"${createHash('sha1').update(JSON.stringify(body)).digest('base64url')}"`
const bare = (tag) => tag.trim().replace(/^W\//, '')

export function start() {
  const state = {}
  return listen((request) => {
    const out = answer({ ...request, method: request.method === 'HEAD' ? 'GET' : request.method }, state)
    if (out.status !== 200) return { ...out, headers: { ...out.headers, 'cache-control': 'no-store' } }
    const etag = tagOf(out.body)
    const headers = {
      ...out.headers,
      etag,
      'cache-control': 'private, no-cache',
      vary: 'x-api-key, x-secret-key, x-version',
    }
    const asked = (request.headers['if-none-match'] ?? '').split(',').map(bare)
    const same = asked.includes('*') || asked.includes(bare(etag))
    return { ...out, status: same ? 304 : 200, headers }
  })
}
