import { answer, listen } from '../base.mjs'

export const wrong = true
export const about =
  'A quota refusal is cached for 1.5 s under the URL alone, so just after one client was refused other clients with quota left get its 429/1020 for the same URL; breaks "There is a daily quota per client." and "When the client\'s daily quota is used up, the response is 429 with error_code 1020."'

const freshFor = 1500

export function start() {
  const state = {}
  const cache = new Map() // url → { at, out }
  return listen((request) => {
    const hit = cache.get(request.url)
    if (hit && performance.now() - hit.at < freshFor) {
      const checked = answer(request, {}) // credentials, version and parameters are still checked, nothing is counted
      const code = checked.body.error_code
      return code === undefined || code === '1020' ? hit.out : checked
    }
    const out = answer(request, state)
    if (out.body.error_code === '1020') cache.set(request.url, { at: performance.now(), out })
    return out
  })
}
