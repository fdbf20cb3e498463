import { answer, listen, pause } from '../base-concurrency.mjs'

export const about =
  'Conformant: every answer is right; refusals are held back (220 ms for the first in flight, less for later ones, so they come out in reverse order) while successes go at once and overtake them, and idle connections are closed after 100 ms without a keep-alive hint: the specification says nothing about time, order between connections, or idle connections.'
export const wrong = false

export function start() {
  const state = {}
  let held = 0
  const latest = new WeakMap() // connection → its latest request; node's own keepAliveTimeout adds a second to what it is told
  return listen(async (request, { req, res }) => {
    const { socket } = req
    latest.set(socket, req)
    res.setHeader('connection', 'keep-alive') // set by hand, node adds no "keep-alive: timeout" hint
    res.on('finish', () =>
      setTimeout(() => {
        if (latest.get(socket) === req) socket.end() // idle since
      }, 100),
    )
    const given = answer(request, state)
    if (given.status === 200) return given
    const time = Math.max(220 - 25 * held, 20)
    held += 1
    await pause(time)
    held -= 1
    return given
  })
}
