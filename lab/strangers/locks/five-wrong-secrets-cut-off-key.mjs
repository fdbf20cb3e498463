import { answer, clientOf, listen } from '../base.mjs'

export const wrong = false
export const about =
  'After five wrong secrets in a row every request that names the key has its connection cut without an answer for three seconds, valid secret or not; looks like an outage, but it is a lock-out by the transport, no answer contradicts the specification, and everything is as specified before and after.'

export function start() {
  const state = {}
  const locks = new Map() // key → { failures, until }
  return listen((request) => {
    const client = clientOf(request)
    if (!client) return answer(request, state)
    const lock = locks.get(client.key) ?? { failures: 0, until: 0 }
    locks.set(client.key, lock)
    if (lock.until > Date.now()) {
      request.socket.destroy()
      return { status: 503, headers: {}, body: '' } // is never sent
    }
    const out = answer(request, state)
    const code = out.body.error_code
    if (code === '1007') lock.failures += 1
    else if (!['1002', '1003'].includes(code)) lock.failures = 0
    if (lock.failures === 5) Object.assign(lock, { failures: 0, until: Date.now() + 3000 })
    return out
  })
}
