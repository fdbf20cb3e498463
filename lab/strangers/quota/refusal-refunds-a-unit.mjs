import { answer, clientOf, listen } from '../base.mjs'

export const wrong = true
export const about =
  'Every quota refusal rolls back a reservation that was never made, so each 1020 frees one unit and the next request is served (200 and 429 alternate); breaks "Once it is exceeded, requests fail with 429 and error_code 1020."'

const slotOf = (client) => `${client.key} ${new Date().toISOString().slice(0, 10)}`

export function start() {
  const state = { used: new Map() }
  return listen((request) => {
    const out = answer(request, state)
    if (out.body.error_code !== '1020') return out
    const slot = slotOf(clientOf(request))
    const used = state.used.get(slot) ?? 0
    if (used > 0) state.used.set(slot, used - 1) // quota 0 has nothing to roll back and stays refused
    return out
  })
}
