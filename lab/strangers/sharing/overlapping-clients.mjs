import { setTimeout as pause } from 'node:timers/promises'
import { answer, listen } from '../base.mjs'

export const wrong = true
export const about =
  'The authenticated client is kept in one variable across an asynchronous step of 10 ms, so of overlapping requests all are judged as the last arrived client (a not permitted client is served, a permitted one refused); breaks "When the client is not permitted to use the endpoint, the response is 401 with error_code 1013" (likewise 1011, 1012 and the quota "per client").'

export function start() {
  const state = {}
  let current // should have been a local variable
  return listen(async (request) => {
    const first = answer(request, {}) // own credentials are checked on arrival, without metering
    if (['1001', '1002', '1003', '1006', '1007'].includes(first.body.error_code)) return first
    current = { 'x-api-key': request.headers['x-api-key'], 'x-secret-key': request.headers['x-secret-key'] }
    await pause(10)
    return answer({ ...request, headers: { ...request.headers, ...current } }, state)
  })
}
