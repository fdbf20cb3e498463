import { setTimeout as wait } from 'node:timers/promises'
import { answer, listen } from '../base.mjs'

export const wrong = false
export const about =
  'Each refusal in a row makes the next one of the same sender 100 ms slower, up to one and a half seconds, and every refusal closes its connection; looks like a service in trouble, but status, code and body are as specified, and neither times nor connections are.'

export function start() {
  const state = {}
  const streaks = new Map() // address → refusals in a row
  return listen(async (request) => {
    const address = request.socket.remoteAddress
    const out = answer(request, state)
    const streak = out.status === 200 ? 0 : (streaks.get(address) ?? 0) + 1
    streaks.set(address, streak)
    if (streak === 0) return out
    await wait(Math.min(100 * (streak - 1), 1500))
    return { ...out, headers: { ...out.headers, connection: 'close' } }
  })
}
