import { answer, clientOf, listen } from '../base.mjs'

export const wrong = false
export const about =
  'The message of 1007 counts down "attempts left" from five, nothing happens at zero, and a success tells in a new property how many attempts failed since the last; looks like a lock-out that does not work, but "Its wording and length may change without notice" and "new properties in existing responses" cover both.'

export function start() {
  const state = {}
  const failures = new Map() // key → { count, at }
  return listen((request) => {
    const out = answer(request, state)
    const code = out.body.error_code
    if (code !== '1007' && out.status !== 200) return out
    const { key } = clientOf(request)
    const past = failures.get(key) ?? { count: 0, at: null }
    if (code === '1007') {
      failures.set(key, { count: past.count + 1, at: new Date().toISOString() })
      const left = Math.max(0, 4 - past.count)
      out.headers['x-attempts-left'] = String(left)
      out.body.error_message = left
        ? `invalid secret key, ${left} attempts left`
        : 'invalid secret key, account locked'
      return out
    }
    failures.delete(key)
    out.body = { failed_attempts: past.count, last_failed_attempt: past.at, ...out.body }
    return out
  })
}
