import { answer, listen } from '../base.mjs'

export const wrong = false
export const about =
  'Answers look cached (age, an old date, x-cache: HIT, via) because the rendered text is kept for a ' +
  'minute per client and address, yet each request, HEAD too, is authenticated and counted before the ' +
  'text is taken; refusals are never kept. HEAD has the status and the fields of the GET.'

const lifetime = 60_000

export function start() {
  const state = {}
  const kept = new Map()
  return listen((request) => {
    const { method, headers, url } = request
    const out = answer({ ...request, method: method === 'HEAD' ? 'GET' : method }, state)
    if (out.status !== 200) {
      const fields = { via: '1.1 edge', 'x-cache': 'MISS', 'cache-control': 'no-store' }
      return { ...out, headers: { ...out.headers, ...fields } }
    }
    const slot = JSON.stringify([headers['x-api-key'], headers['x-version'], url])
    const hit = kept.has(slot) && kept.get(slot).at + lifetime > Date.now()
    if (!hit) kept.set(slot, { at: Date.now(), text: JSON.stringify(out.body) })
    const { at, text } = kept.get(slot)
    const fields = {
      date: new Date(at).toUTCString(),
      age: String(Math.floor((Date.now() - at) / 1000)),
      via: '1.1 edge',
      'x-cache': hit ? 'HIT' : 'MISS',
      'cache-control': 'private, max-age=60',
      vary: 'X-Api-Key, X-Secret-Key, X-Version',
    }
    return { ...out, headers: { ...out.headers, ...fields }, body: text }
  })
}
