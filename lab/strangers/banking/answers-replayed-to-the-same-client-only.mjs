import { answer, listen } from '../base.mjs'

export const wrong = false
export const about =
  'The body of a served request is kept under client, address and idempotency-key or x-request-id, and ' +
  'a repeated id gets the old body with its old time and age. Conformant: all checks, the quota too, ' +
  'come before, and the replay counts; generated_at is a new property of the response.'

const idOf = (headers) => headers['idempotency-key'] ?? headers['x-request-id'] ?? headers['x-correlation-id']

export const start = () => {
  const state = {}
  const kept = new Map()
  return listen((request) => {
    const out = answer(request, state)
    const id = idOf(request.headers)
    if (id) out.headers['x-request-id'] = id
    if (out.status !== 200) return out
    const fresh = { generated_at: new Date().toISOString(), ...out.body }
    const slot = JSON.stringify([request.headers['x-api-key'], request.url, id])
    const old = id && kept.get(slot)
    if (!old) {
      if (id) kept.set(slot, fresh)
      return { ...out, body: fresh }
    }
    const age = String(Math.floor((Date.now() - Date.parse(old.generated_at)) / 1000))
    const headers = { ...out.headers, age, 'idempotent-replayed': 'true', 'x-cache': 'HIT' }
    return { ...out, headers, body: old }
  })
}
