import { setTimeout as wait } from 'node:timers/promises'
import { answer, listen } from '../base.mjs'

export const wrong = false
export const about =
  'Every further wrong key or secret is answered later (40 ms each, at most 320 ms, until a success), ' +
  'and after each 401 the connection is closed, so that answers overtake one another. Conformant: ' +
  'status, code and body stay the documented ones, nobody is locked, and neither times nor connections ' +
  'are specified.'

export const start = () => {
  const state = {}
  const failures = new Map()
  return listen(async (request) => {
    const out = answer(request, state)
    const key = request.headers['x-api-key']
    if (out.status === 200) failures.delete(key)
    if (out.status !== 401) return out
    if (['1006', '1007'].includes(out.body.error_code)) {
      const count = (failures.get(key) ?? 0) + 1
      failures.set(key, count)
      await wait(Math.min(40 * count, 320))
    }
    return { ...out, headers: { ...out.headers, connection: 'close' } }
  })
}
