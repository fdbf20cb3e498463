import { answer, listen } from '../base.mjs'

export const wrong = false
export const about =
  'The quota refusal has other wording each time, further properties (also nested, and before error_code), Retry-After and RateLimit fields; conformant, since "Its wording and length may change without notice", and "new properties in existing responses" and "a different order of properties in responses" are non-breaking changes.'

const day = 86_400
const wordings = ['Too many requests today.', 'Kontingent für heute verbraucht – bitte morgen wieder', '']

export function start() {
  const state = {}
  let refusals = 0
  return listen((request) => {
    const out = answer(request, state)
    if (out.body.error_code !== '1020') return out
    const left = day - (Math.floor(Date.now() / 1000) % day)
    const headers = { ...out.headers, 'retry-after': String(left), 'ratelimit-remaining': '0' }
    headers['ratelimit-reset'] = String(left)
    const error_message = wordings[refusals++ % wordings.length]
    const body = { request_id: `r-${refusals}`, quota: { period: 'day', resets_in: left }, error_message }
    return { ...out, headers, body: { ...body, error_code: '1020' } }
  })
}
