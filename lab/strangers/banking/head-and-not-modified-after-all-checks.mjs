import { createHash } from 'node:crypto'
import { answer, listen } from '../base.mjs'

export const wrong = false
export const about =
  'HEAD is answered like GET without a body, and if-none-match with the tag of the list (or *) gets 304 ' +
  'without type and body, both counted by the quota. Conformant: a refusal comes before, with condition ' +
  'or without, so only who would have got the 200 gets a 304; empty bodies are what these requests ask ' +
  'for.'

const tagOf = (body) => `W/"${createHash('sha256').update(JSON.stringify(body)).digest('hex').slice(0, 16)}"`

const matches = (field, tag) =>
  field !== undefined &&
  (field.trim() === '*' || field.split(',').some((one) => one.trim().replace(/^W\//, '') === tag.slice(2)))

export const start = () => {
  const state = {}
  return listen((request) => {
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const out = answer({ ...request, method }, state)
    if (out.status !== 200) return { ...out, headers: { ...out.headers, 'cache-control': 'no-store' } }
    const etag = tagOf(out.body)
    const kept = { etag, 'cache-control': 'private, no-cache', vary: 'x-api-key, x-secret-key, x-version' }
    if (matches(request.headers['if-none-match'], etag)) return { status: 304, headers: kept, body: out.body }
    return { ...out, headers: { ...out.headers, ...kept } }
  })
}
