import { answer, listen, listPath, success } from '../base.mjs'

export const wrong = true
export const about =
  'The router forgives a trailing slash, doubled slashes and ;parameters in the path, the table of ' +
  'entitlements is searched by the raw path and has no row for these: a client without permission is ' +
  'served at /api/customizations/list/. Breaks "When the client is not permitted to use the endpoint, ' +
  'the response is 401 with error_code 1013." (and rule 8 alike).'

const routed = (path) =>
  path
    .replace(/;[^/]*/g, '')
    .replace(/\/{2,}/g, '/')
    .replace(/(.)\/$/, '$1')

export const start = () => {
  const state = {}
  return listen((request) => {
    const path = routed(request.path)
    const out = answer({ ...request, path }, state)
    const hasRow = request.path === listPath
    if (!hasRow && ['1011', '1013'].includes(out.body.error_code)) return success()
    return out
  })
}
