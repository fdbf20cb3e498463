// Response cache for lists with a query; its key is client, secret and URI, and the version is forgotten.
import { answer, listen, version } from '../base.mjs'

export const wrong = true
export const about =
  'GETs with a query (?page=1) are cached for a minute under key, secret and URI: once one was ' +
  'served, the same URI with another x-version is served too. Without a query nothing is cached. ' +
  'Breaks "A request that names a version under which the endpoint does not exist fails with 400 and ' +
  'error_code 1010."'

export function start() {
  const state = {}
  const kept = new Map()
  return listen((request) => {
    const { headers, method, url } = request
    const slot = JSON.stringify([method, url, headers['x-api-key'], headers['x-secret-key']])
    const hit = headers['x-version'] !== undefined && kept.get(slot) > Date.now()
    if (hit) headers['x-version'] = version
    const out = answer(request, state)
    if (!url.includes('?')) return out
    if (out.status === 200 && !hit) kept.set(slot, Date.now() + 60_000)
    out.headers['x-cache'] = hit ? 'HIT' : 'MISS'
    return out
  })
}
