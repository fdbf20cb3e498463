import { answer, clientOf, listen, refusal } from '../base.mjs'

export const wrong = true
export const about =
  'A 429 for one client pulls a brake common to all: the next otherwise successful request of a different client within a second is refused with 429/1020 too, then the brake is off; breaks "There is a daily quota per client" and "When the client\'s daily quota is used up, the response is 429 with error_code 1020" (it is not used up).'

export function start() {
  const state = {}
  let brake // { client, at }
  return listen((request) => {
    const out = answer(request, state)
    const client = clientOf(request)
    if (out.status === 429) brake = { client, at: Date.now() }
    if (out.status !== 200 || !brake || brake.client === client) return out
    const fresh = Date.now() - brake.at < 1000
    brake = undefined
    return fresh ? refusal('1020') : out
  })
}
