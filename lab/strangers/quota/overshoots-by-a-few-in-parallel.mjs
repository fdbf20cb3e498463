import { setTimeout as sleep } from 'node:timers/promises'
import { answer, clientOf, listen, refusal } from '../base.mjs'

export const wrong = false
export const about =
  'Requests are counted only when they end (15 ms later), so a parallel burst gets up to three answers more than the quota and in a burst a 200 may arrive after a 1020; conformant, since "The quota size, its reset time and any per-second or per-minute rate limits: not shown", the overshoot is bounded, and a request sent after a finished burst that was refused fails as long as the day lasts.'

const slack = 3
const slotOf = (client) => `${client.key} ${new Date().toISOString().slice(0, 10)}`

export function start() {
  const counts = new Map() // slot → { done, open }
  return listen(async (request) => {
    const out = answer(request, {})
    const client = clientOf(request)
    if (out.status !== 200 || client.quota === Infinity) return out
    const slot = slotOf(client)
    const count = counts.get(slot) ?? { done: 0, open: 0 }
    counts.set(slot, count)
    if (count.done >= client.quota || count.done + count.open >= client.quota + slack) return refusal('1020')
    count.open++
    await sleep(15)
    count.open--
    count.done++
    return out
  })
}
