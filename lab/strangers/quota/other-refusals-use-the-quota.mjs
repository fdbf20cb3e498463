import { answer, clientOf, listen } from '../base.mjs'

export const wrong = false
export const about =
  'Requests of an authenticated client that are refused with 1003, 1010 or 1030 use up its quota too, so fewer than eight lists may be served before 1020; conformant, since the specification says "There is a daily quota per client" and not which of its requests count.'

const slotOf = (client) => `${client.key} ${new Date().toISOString().slice(0, 10)}`

export function start() {
  const state = { used: new Map() }
  return listen((request) => {
    const out = answer(request, state)
    const client = clientOf(request)
    const authenticated = client && client.secret === request.headers['x-secret-key']
    if (authenticated && ['1003', '1010', '1030'].includes(out.body.error_code))
      state.used.set(slotOf(client), (state.used.get(slotOf(client)) ?? 0) + 1)
    return out
  })
}
