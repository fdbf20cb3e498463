import { answer, listen } from '../base.mjs'

export const wrong = true
export const about =
  'The counter of the quota is kept per client and address, and the address is what x-forwarded-for ' +
  'says first (every gateway sets it): a client that has used up its quota goes on from another ' +
  'address. It breaks "There is a daily quota per client. Once it is exceeded, requests fail with 429 ' +
  'and error_code 1020."'

export function start() {
  const counters = new Map()
  return listen((request) => {
    const forwarded = (request.headers['x-forwarded-for'] ?? '').split(',')[0].trim()
    const address = forwarded || request.socket.remoteAddress
    if (!counters.has(address)) counters.set(address, {})
    return answer(request, counters.get(address))
  })
}
