import { answer, listen, version } from '../base.mjs'

export const wrong = true
export const about =
  'The router keeps what it has found for an address with a query (?page=1), and the version is not part ' +
  'of the key: once version 1 of it has been served, the same address is served under any other ' +
  'x-version too. Breaks "A request that names a version under which the endpoint does not exist fails ' +
  'with 400 and error_code 1010".'

export function start() {
  const state = {}
  const routes = new Set()
  return listen((request) => {
    const named = request.headers['x-version']
    const kept = request.method === 'GET' && named !== undefined && routes.has(request.url)
    const headers = kept ? { ...request.headers, 'x-version': version } : request.headers
    const out = answer({ ...request, headers }, state)
    if (out.status === 200 && request.query.size) routes.add(request.url)
    return out
  })
}
