import { answer, clientOf, listen, listPath, refusal, version } from '../base.mjs'

export const wrong = false
export const about =
  'The checks run in another order (version first, the endpoint before the key), and a further ' +
  'property lists all flaws found; of several flaws any one may be named, since no order is ' +
  'specified, and status and code belong together. Clients must tolerate "new properties in existing ' +
  'responses" and "a different order of properties".'

function flaws(request) {
  const { method, path, headers } = request
  const { 'x-api-key': key, 'x-secret-key': secret, 'x-version': asked } = headers
  const client = clientOf(request)
  const found = []
  if (asked === undefined) found.push('1003')
  if (secret === undefined) found.push('1002')
  if (key === undefined) found.push('1001')
  if (asked !== undefined && (asked !== version || method !== 'GET' || path !== listPath)) found.push('1010')
  if (key !== undefined && !client) found.push('1006')
  if (client && secret !== undefined && client.secret !== secret) found.push('1007')
  if (client?.refused && client.secret === secret) found.push(client.refused)
  return found
}

export function start() {
  const state = {}
  return listen((request) => {
    const found = flaws(request)
    const out = found.length ? refusal(found[0]) : answer(request, state)
    if (out.status < 400) return out
    const { error_message, error_code } = out.body
    const all_errors = found.length ? found : [error_code]
    return { ...out, body: { all_errors, error_message, error_code } }
  })
}
