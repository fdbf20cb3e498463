import { answer, clientOf, listen, refusal } from '../base.mjs'

export const wrong = false
export const about =
  'Every request with right credentials counts for the quota, also one refused with 1010 or 1030, and ' +
  'the answers tell what is left (ratelimit-…, retry-after). The specification has "a daily quota per ' +
  'client" and does not say which requests count; once it is used up, the answer is 429 with 1020.'

const day = 86_400_000

export function start() {
  const state = {}
  const used = new Map()
  return listen((request) => {
    const client = clientOf(request)
    const known = client && client.secret === request.headers['x-secret-key'] && request.headers['x-version']
    if (!known || client.refused || client.quota === Infinity) return answer(request, state)
    const slot = `${client.key} ${Math.floor(Date.now() / day)}`
    const count = (used.get(slot) ?? 0) + 1
    used.set(slot, count)
    const out = count > client.quota ? refusal('1020') : answer(request, state)
    const reset = String(Math.ceil((day - (Date.now() % day)) / 1000))
    const fields = {
      'ratelimit-limit': String(client.quota),
      'ratelimit-remaining': String(Math.max(0, client.quota - count)),
      'ratelimit-reset': reset,
    }
    if (out.status === 429) fields['retry-after'] = reset
    return { ...out, headers: { ...out.headers, ...fields } }
  })
}
