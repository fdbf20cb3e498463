import { answer, listen } from '../base.mjs'

export const wrong = true
export const about =
  'A successful list is cached for 1.5 s under the URL and handed, instead of the refusal, to clients whose quota is used up, so an exhausted client is served 200 just after anybody else was; breaks "Once it is exceeded, requests fail with 429 and error_code 1020."'

const freshFor = 1500

export function start() {
  const state = {}
  const cache = new Map() // url → { at, out }, filled by real successes of any client
  return listen((request) => {
    const out = answer(request, state)
    if (out.status === 200) cache.set(request.url, { at: performance.now(), out })
    if (out.body.error_code !== '1020') return out
    const hit = cache.get(request.url)
    return hit && performance.now() - hit.at < freshFor ? hit.out : out
  })
}
