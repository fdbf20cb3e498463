import { answer, listen } from '../base.mjs'

export const wrong = true
export const about =
  'Lists with a query (?page=1) are dear to the core system and kept by URL for a minute; the cache ' +
  'stands behind authentication but before entitlement and quota. Once one client has fetched a page, ' +
  'it is served to a client that has no permission or no quota left. Breaks "When the client is not ' +
  'permitted to use the endpoint, the response is 401 with error_code 1013." and "Once it is exceeded, ' +
  'requests fail with 429".'

const lifetime = 60_000
const behind = ['1011', '1013', '1020']

export const start = () => {
  const state = {}
  const pages = new Map()
  return listen((request) => {
    const out = answer(request, state)
    const page = pages.get(request.url)
    if (behind.includes(out.body.error_code) && page && Date.now() < page.until) return page.out
    if (out.status === 200 && request.query.size > 0)
      pages.set(request.url, { out, until: Date.now() + lifetime })
    return out
  })
}
