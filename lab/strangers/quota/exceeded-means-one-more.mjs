import { answer, clientOf, listen } from '../base.mjs'

export const wrong = false
export const about =
  'Serves one request more than the quota (used > quota instead of used >= quota); conformant, since it is the letter of "Once it is exceeded, requests fail with 429 and error_code 1020." and the quota size is not shown.'

const slotOf = (client) => `${client.key} ${new Date().toISOString().slice(0, 10)}`

export function start() {
  const state = { used: new Map() }
  return listen((request) => {
    const client = clientOf(request)
    // The client with quota 0 went over it before this run and is refused as ever.
    if (client?.quota > 0 && !state.used.has(slotOf(client))) state.used.set(slotOf(client), -1)
    return answer(request, state)
  })
}
