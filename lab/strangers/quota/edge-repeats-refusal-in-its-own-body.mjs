import { answer, clientOf, listen } from '../base.mjs'

export const wrong = true
export const about =
  'The first quota refusal comes from the service, but the edge remembers it for one second and answers repetitions itself with 429 and its own body {"message": ...} without error_code and error_message; breaks "Error body (JSON), returned with the HTTP status shown below" with "error_code | string" and "When the client\'s daily quota is used up, the response is 429 with error_code 1020."'

const remembered = 1000

export function start() {
  const state = {}
  const refusedAt = new Map()
  return listen((request) => {
    const out = answer(request, state)
    if (out.body.error_code !== '1020') return out
    const client = clientOf(request)
    const now = performance.now()
    if (now - (refusedAt.get(client) ?? -Infinity) < remembered)
      return { ...out, body: { message: 'API rate limit exceeded' } }
    refusedAt.set(client, now)
    return out
  })
}
