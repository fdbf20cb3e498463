import { answer, clientOf, listen, refusal } from '../base.mjs'

export const wrong = false
export const about =
  'Filters run side by side and the quicker one answers: an exhausted client whose request has another flaw too (1003, 1010, 1030) gets that code and 429/1020 in turn for the same request; conformant, since both rules apply to such a request and no order among errors is given, nor that it be constant.'

const slotOf = (client) => `${client.key} ${new Date().toISOString().slice(0, 10)}`

export function start() {
  const state = { used: new Map() }
  let turn = 0
  return listen((request) => {
    const out = answer(request, state)
    const client = clientOf(request)
    if (!client || client.secret !== request.headers['x-secret-key']) return out
    const exhausted = (state.used.get(slotOf(client)) ?? 0) >= client.quota
    if (!exhausted || !['1003', '1010', '1030'].includes(out.body.error_code)) return out
    return turn++ % 2 ? refusal('1020') : out
  })
}
