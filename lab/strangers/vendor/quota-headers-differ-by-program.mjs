import { answer, clientOf, listen } from '../base.mjs'

export const wrong = false
export const about =
  'The quota is told in other ways to other programs: browsers (Mozilla/) get x-ratelimit-* and ' +
  'Retry-After as a date, all others ratelimit-* and Retry-After in seconds; the counter is one per ' +
  'client, whatever the program. Conformant: 429 with 1020 comes as documented, and added headers and ' +
  'reset time are left open.'

const midnight = () => new Date().setUTCHours(24, 0, 0, 0)

export function start() {
  const state = {}
  return listen((request) => {
    const out = answer(request, state)
    if (out.status !== 200 && out.status !== 429) return out
    const { key, quota } = clientOf(request)
    const browser = (request.headers['user-agent'] ?? '').startsWith('Mozilla/')
    const seconds = Math.ceil((midnight() - Date.now()) / 1000)
    const used = state.used.get(`${key} ${new Date().toISOString().slice(0, 10)}`) ?? 0
    const headers = { ...out.headers }
    if (Number.isFinite(quota)) {
      headers[browser ? 'x-ratelimit-limit' : 'ratelimit-limit'] = String(quota)
      headers[browser ? 'x-ratelimit-remaining' : 'ratelimit-remaining'] = String(quota - used)
    }
    if (out.status === 429)
      headers['retry-after'] = browser ? new Date(midnight()).toUTCString() : String(seconds)
    return { ...out, headers }
  })
}
