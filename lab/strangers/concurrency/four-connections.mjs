import { answer, listen, pause } from '../base-concurrency.mjs'

export const about =
  'Conformant: every answer it gives is right; it holds at most four connections and resets any further one at the socket before reading a byte, so no wrong HTTP answer ever exists; idle connections are closed after three to four seconds.'
export const wrong = false

export function start() {
  const state = {}
  let open = 0
  return listen(
    async (request) => {
      await pause(12)
      return answer(request, state)
    },
    (server) => {
      server.keepAliveTimeout = 3000
      server.prependListener('connection', (socket) => {
        if (open >= 4) {
          socket.on('error', () => {}).resetAndDestroy()
          return
        }
        open += 1
        socket.on('close', () => {
          open -= 1
        })
      })
    },
  )
}
