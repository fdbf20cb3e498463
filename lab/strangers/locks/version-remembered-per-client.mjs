import { answer, clientOf, listen } from '../base.mjs'

export const wrong = true
export const about =
  'The version of a client\'s last success is remembered and filled in when the client later leaves x-version out, so such a request is served; breaks "When the version header is absent, the response is 400 with error_code 1003."'

export function start() {
  const state = {}
  const versions = new Map()
  return listen((request) => {
    const headers = { ...request.headers }
    const key = headers['x-api-key']
    const valid = clientOf(request)?.secret === headers['x-secret-key']
    if (headers['x-version'] === undefined && valid && versions.has(key))
      headers['x-version'] = versions.get(key)
    const out = answer({ ...request, headers }, state)
    if (out.status === 200) versions.set(key, headers['x-version'])
    return out
  })
}
