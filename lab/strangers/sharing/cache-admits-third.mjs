import { answer, listen } from '../base.mjs'

export const wrong = true
export const about =
  'A response cache that admits an address only after its second success is keyed by API key and URL without x-version, so from the third asking on an unsupported version is answered 200; breaks "A request that names a version under which the endpoint does not exist fails with 400 and error_code 1010."'

export function start() {
  const state = {}
  const successes = new Map() // key + URL -> how often it went well
  return listen((request) => {
    const id = `${request.headers['x-api-key']} ${request.method} ${request.url}`
    const cached = (successes.get(id) ?? 0) >= 2 && request.headers['x-version'] !== undefined
    // a hit is still authenticated and metered, only the version no longer takes part
    const out = answer(
      cached ? { ...request, headers: { ...request.headers, 'x-version': '1' } } : request,
      state,
    )
    if (out.status === 200) successes.set(id, (successes.get(id) ?? 0) + 1)
    return out
  })
}
