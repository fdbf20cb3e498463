import { setTimeout as pause } from 'node:timers/promises'
import { answer, listen } from '../base.mjs'

export const wrong = true
export const about =
  'The credentials of the current request are kept in one variable of the module while the key store is ' +
  'asked; of requests that overlap (a page or an app that loads in parallel) the earlier are judged by ' +
  'the headers of the last. One after another all is well. Breaks "When the secret key is not valid, the ' +
  'response is 401 with error_code 1007": a wrong secret next to a good call is served, or the good call ' +
  'is refused.'

export function start() {
  const state = {}
  let current
  return listen(async (request) => {
    current = request.headers
    await pause(25)
    return answer({ ...request, headers: current }, state)
  })
}
