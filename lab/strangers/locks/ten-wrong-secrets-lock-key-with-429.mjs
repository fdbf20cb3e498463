import { answer, clientOf, listen, refusal } from '../base.mjs'

export const wrong = false
export const about =
  'Ten wrong secrets within ten seconds suspend the quota of their client for six seconds: its valid secret gets 429 with 1020 while wrong ones still get 1007; looks like an error out of place, but how the quota is counted and reset and any other rate limit is "not shown", and the error is the documented one.'

export function start() {
  const state = {}
  const failures = new Map() // key → times of its wrong secrets
  const until = new Map() // key → end of its suspension
  return listen((request) => {
    const client = clientOf(request)
    const locked = client && until.get(client.key) > Date.now()
    const out = answer(request, locked ? { used: new Map() } : state) // nothing is counted while locked
    if (locked) return out.status === 200 ? refusal('1020') : out
    if (out.body.error_code !== '1007') return out
    const now = Date.now()
    const recent = [...(failures.get(client.key) ?? []).filter((t) => t > now - 10_000), now]
    failures.set(client.key, recent.length < 10 ? recent : [])
    if (recent.length === 10) until.set(client.key, now + 6000)
    return out
  })
}
