import { answer, listen, pause } from '../base-concurrency.mjs'

export const about =
  'While a request is in flight, every other one with the same x-api-key is given that one\'s answer (single flight keyed by the API key alone), so a wrong secret beside a good request gets 200: breaks "When the secret key is not valid, the response is 401 with error_code 1007" (likewise 1002, 1003, 1010, 1030).'
export const wrong = true

export function start() {
  const state = {}
  const flights = new Map()
  return listen((request) => {
    const key = request.headers['x-api-key']
    if (key === undefined) return pause(35).then(() => answer(request, state))
    if (!flights.has(key)) {
      flights.set(
        key,
        pause(35).then(() => {
          flights.delete(key)
          return answer(request, state)
        }),
      )
    }
    return flights.get(key)
  })
}
