import { setTimeout as wait } from 'node:timers/promises'
import { answer, listen } from '../base.mjs'

export const wrong = true
export const about =
  'The fields of the request lie in one holder of the service while the core system is asked for some ' +
  'milliseconds: of requests under way at the same time, all are judged by the fields of the latest. ' +
  'One after the other all is right. Breaks "When the secret key is not valid, the response is 401 with ' +
  'error_code 1007." (and every other rule of Authentication).'

export const start = () => {
  const state = {}
  const context = {}
  return listen(async (request) => {
    context.headers = request.headers
    await wait(20)
    return answer({ ...request, headers: context.headers }, state)
  })
}
