import { answer, clientOf, listen, refusal } from '../base.mjs'

export const wrong = false
export const about =
  'After three wrong secrets in a row a key is locked for four seconds, in which even its valid secret gets 401 with 1007; looks like a valid secret called invalid, but it is an ordinary lock-out in which no secret is valid, the specification forbids none, the error is documented and other clients are not touched.'

export function start() {
  const state = {}
  const locks = new Map() // key → { failures, until }
  return listen((request) => {
    const { headers } = request
    const complete = headers['x-secret-key'] !== undefined && headers['x-version'] !== undefined
    const client = clientOf(request)
    if (!client || !complete) return answer(request, state)
    const lock = locks.get(client.key) ?? { failures: 0, until: 0 }
    locks.set(client.key, lock)
    if (lock.until > Date.now()) return refusal('1007')
    const out = answer(request, state)
    lock.failures = out.body.error_code === '1007' ? lock.failures + 1 : 0
    if (lock.failures === 3) Object.assign(lock, { failures: 0, until: Date.now() + 4000 })
    return out
  })
}
