import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { answer, clientOf, listen } from '../base.mjs'

export const wrong = false
export const about =
  'Good calls of one client are worked off one at a time, 20 ms each, while refusals overtake them, so ' +
  'that overlapping requests are answered out of order and after different times. Each is judged by its ' +
  'own headers on arrival. Conformant: no sentence speaks of times or of order.'

export function start() {
  const state = {}
  const lines = new Map()
  return listen(async (request) => {
    const began = Date.now()
    const out = answer(request, state)
    if (out.status === 200) {
      const { key } = clientOf(request)
      const turn = (lines.get(key) ?? Promise.resolve()).then(() => pause(20))
      lines.set(key, turn)
      await turn
    }
    const timing = `queue;dur=${Date.now() - began}`
    return { ...out, headers: { ...out.headers, 'server-timing': timing, 'x-request-id': randomUUID() } }
  })
}
