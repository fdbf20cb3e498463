import { answer, clientOf, listen } from '../base.mjs'

export const wrong = true
export const about =
  'An abuse filter takes a client that goes on after three quota refusals for an attacker and sends the same 1020 body under status 403 from the fourth refusal on; breaks "When the client\'s daily quota is used up, the response is 429 with error_code 1020."'

export function start() {
  const state = {}
  const refusals = new Map()
  return listen((request) => {
    const out = answer(request, state)
    if (out.body.error_code !== '1020') return out
    const client = clientOf(request)
    const count = (refusals.get(client) ?? 0) + 1
    refusals.set(client, count)
    return count > 3 ? { ...out, status: 403 } : out
  })
}
