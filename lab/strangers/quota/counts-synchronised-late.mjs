import { answer, clientOf, listen, refusal } from '../base.mjs'

export const wrong = false
export const about =
  'Each node reports its counts to the shared counter only every 200 ms and may serve three on its own account meanwhile, so a quick series gets 11 lists and a slow one 8 to 10; conformant, since "The quota size, its reset time and any per-second or per-minute rate limits: not shown", the overshoot is bounded, and after the first 1020 every request of the day fails.'

const slack = 3
const interval = 200
const slotOf = (client) => `${client.key} ${new Date().toISOString().slice(0, 10)}`

export function start() {
  const counts = new Map() // slot → { shared, own, at }
  return listen((request) => {
    const out = answer(request, {})
    const client = clientOf(request)
    if (out.status !== 200 || client.quota === Infinity) return out
    const slot = slotOf(client)
    const count = counts.get(slot) ?? { shared: 0, own: 0, at: performance.now() }
    counts.set(slot, count)
    if (performance.now() - count.at > interval)
      Object.assign(count, { shared: count.shared + count.own, own: 0, at: performance.now() })
    if (count.shared >= client.quota || count.shared + count.own >= client.quota + slack)
      return refusal('1020')
    count.own++
    return out
  })
}
