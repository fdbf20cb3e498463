import { answer, listen, pause } from '../base-concurrency.mjs'

export const about =
  'On a connection opened while at least two other new ones still await their first answer, the first request loses its x-api-key and gets 400/1001 whatever it carried; all later requests there are right: breaks "When the API key header is absent, the response is 400 with error_code 1001" (it was present), and e.g. "When the API key is not valid, the response is 401 with error_code 1006".'
export const wrong = true

export function start() {
  const state = {}
  const fresh = new Set() // connections without a first answer
  const burst = new Set() // of these, the ones opened in a burst
  return listen(
    async (request, { req }) => {
      const { socket } = req
      if (burst.delete(socket)) delete request.headers['x-api-key']
      await pause(20)
      fresh.delete(socket)
      return answer(request, state)
    },
    (server) => {
      server.keepAliveTimeout = 3000
      server.on('connection', (socket) => {
        if (fresh.size >= 2) burst.add(socket)
        fresh.add(socket)
        socket.on('close', () => {
          fresh.delete(socket)
          burst.delete(socket)
        })
      })
    },
  )
}
