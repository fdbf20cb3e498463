import { answer, clientOf, listen, refusal } from '../base.mjs'

export const wrong = false
export const about =
  'The quota is checked as soon as the API key is known, so an exhausted client gets 429/1020 also with a wrong or absent secret, an absent or unknown version, a wrong path or bad parameters; conformant, since x-api-key "Identifies the client application", "When the client\'s daily quota is used up, the response is 429 with error_code 1020." holds for those requests too, and no order among errors is given.'

const slotOf = (client) => `${client.key} ${new Date().toISOString().slice(0, 10)}`

export function start() {
  const state = { used: new Map() }
  return listen((request) => {
    const client = clientOf(request)
    if (client && (state.used.get(slotOf(client)) ?? 0) >= client.quota) return refusal('1020')
    return answer(request, state)
  })
}
