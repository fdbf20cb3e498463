import { answer, listen } from '../base.mjs'

export const wrong = true
export const about =
  'The daily counter is kept per device, that is per pair of API key and User-Agent: a client that has ' +
  'used its quota up with one program or browser is served again with the next. Breaks "There is a daily ' +
  'quota per client. Once it is exceeded, requests fail with 429 and error_code 1020".'

export function start() {
  const devices = new Map()
  return listen((request) => {
    const device = request.headers['user-agent'] ?? ''
    if (!devices.has(device)) devices.set(device, {})
    return answer(request, devices.get(device))
  })
}
