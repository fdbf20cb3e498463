// A response cache in front: its key holds all that an answer depends on, and every hit is still checked.
import { answer, listen } from '../base.mjs'

export const wrong = false
export const about =
  'Repeated requests get a stored answer (x-cache: HIT, a growing age, the same request_id), refusals ' +
  'too. Conformant: the key holds method, URI, key, secret, version and accept; checks and quota run ' +
  'before each hit, and an added property is one of the "changes treated as non-breaking".'

export function start() {
  const state = {}
  const kept = new Map()
  let serial = 0
  return listen((request) => {
    const { headers, method, url } = request
    const parts = ['x-api-key', 'x-secret-key', 'x-version', 'accept'].map((name) => headers[name] ?? null)
    const slot = JSON.stringify([method, url, ...parts])
    const out = answer(request, state)
    const now = Date.now()
    let entry = kept.get(slot)
    const hit = entry !== undefined && entry.status === out.status && now - entry.at < 30_000
    if (!hit) {
      const body = { request_id: `req-${++serial}`, ...out.body }
      entry = { status: out.status, at: now, body }
      kept.set(slot, entry)
    }
    const age = String(Math.floor((now - entry.at) / 1000))
    const marks = { age, 'x-cache': hit ? 'HIT' : 'MISS', via: '1.1 varnish (Varnish/7.4)' }
    const vary = 'x-api-key, x-secret-key, x-version, accept'
    const rules = { 'cache-control': 'private, max-age=30', vary }
    return { status: entry.status, headers: { ...out.headers, ...marks, ...rules }, body: entry.body }
  })
}
