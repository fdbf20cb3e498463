import { answer, listen } from '../base.mjs'

export const wrong = true
export const about =
  'Against double bookings by retries, the answer of a served request is kept under its idempotency-key ' +
  'or x-request-id and replayed for the same id, before anybody looks at who asks: a later request with ' +
  'this id and a wrong or missing credential gets the kept 200. Breaks "When the secret key is not ' +
  'valid, the response is 401 with error_code 1007."'

const idOf = (headers) => headers['idempotency-key'] ?? headers['x-request-id'] ?? headers['x-correlation-id']

export const start = () => {
  const state = {}
  const kept = new Map()
  return listen((request) => {
    const id = idOf(request.headers)
    if (id && kept.has(id)) return kept.get(id)
    const out = answer(request, state)
    if (id && out.status === 200) kept.set(id, out)
    return out
  })
}
