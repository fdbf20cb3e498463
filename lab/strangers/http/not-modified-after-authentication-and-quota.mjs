import { createHash } from 'node:crypto'
import { answer, listen } from '../base.mjs'

export const wrong = false
export const about =
  'Successful answers carry a weak entity tag and if-none-match gets 304, but only after the request ' +
  'has been authenticated, permitted and counted for the quota like any other. A 304 has no content ' +
  'by HTTP and comes only to those who ask for it; refusals are never conditional.'

const tagOf = (text) => `W/"${text.length.toString(16)}-${createHash('md5').update(text).digest('hex')}"`
const opaque = (tag) => tag.trim().replace(/^W\//, '')

export function start() {
  const state = {}
  return listen((request) => {
    const out = answer(request, state)
    if (out.status !== 200) return { ...out, headers: { ...out.headers, 'cache-control': 'no-store' } }
    const text = JSON.stringify(out.body)
    const etag = tagOf(`${request.headers['x-api-key']} ${text}`)
    const vary = 'X-Api-Key, X-Secret-Key, X-Version'
    const fields = { etag, vary, 'cache-control': 'private, no-cache' }
    const asked = request.headers['if-none-match']
    // 304 has the length of the 200; its body is not sent
    if (asked?.trim() === '*' || asked?.split(',').some((tag) => opaque(tag) === opaque(etag)))
      return { status: 304, headers: fields, body: text }
    return { ...out, headers: { ...out.headers, ...fields }, body: text }
  })
}
