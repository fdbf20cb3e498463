// An "internal callers" rule believes the address in x-forwarded-for.
import { answer, clientOf, listen } from '../base.mjs'

export const wrong = true
export const about =
  'A caller whose x-forwarded-for begins with a private address (any request through an inner proxy) ' +
  'counts as internal, and the secret is not asked of it: with a valid key, a wrong or absent secret ' +
  'is served. Breaks "When the secret key is not valid, the response is 401 with error_code 1007" and ' +
  '"When the secret key header is absent, the response is 400 with error_code 1002."'

const inner = /^(10\.|127\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.)/

export function start() {
  const state = {}
  return listen((request) => {
    const first = (request.headers['x-forwarded-for'] ?? '').split(',')[0].trim()
    const client = clientOf(request)
    if (client && inner.test(first)) request.headers['x-secret-key'] = client.secret
    return answer(request, state)
  })
}
