import { setTimeout as sleep } from 'node:timers/promises'
import { answer, listen } from '../base.mjs'

export const wrong = false
export const about =
  'Quota refusals are held back for 150 ms and end the connection ("connection: close"), to slow down clients that go on; conformant, since status and body are as specified ("Once it is exceeded, requests fail with 429 and error_code 1020.") and nothing is said of time or connections.'

export function start() {
  const state = {}
  return listen(async (request) => {
    const out = answer(request, state)
    if (out.body.error_code !== '1020') return out
    await sleep(150)
    return { ...out, headers: { ...out.headers, connection: 'close' } }
  })
}
