import { answer, clientOf, listen } from '../base.mjs'

export const wrong = true
export const about =
  'A success carries an etag, and a request whose if-none-match names it is answered 304 before the secret is compared, so a wrong secret gets 304; breaks "When the secret key is not valid, the response is 401 with error_code 1007."'

const tag = '"cus-5f2c-2"'

export function start() {
  const state = {}
  return listen((request) => {
    const { headers } = request
    const client = clientOf(request)
    if (client && headers['x-secret-key'] !== undefined && headers['if-none-match']?.includes(tag)) {
      const out = answer({ ...request, headers: { ...headers, 'x-secret-key': client.secret } }, state)
      if (out.status === 200) return { status: 304, headers: { etag: tag }, body: '' }
      return client.secret === headers['x-secret-key'] ? out : answer(request, state)
    }
    const out = answer(request, state)
    if (out.status === 200) out.headers.etag = tag
    return out
  })
}
