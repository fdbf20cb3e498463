import { answer, listen, pause } from '../base-concurrency.mjs'

export const about =
  'A pool of four workers, the idlest first; the fourth, used only from four requests in flight on, is of an old release that answers every 401 refusal as 403 (right error_code): breaks "When the API key is not valid, the response is 401 with error_code 1006" and its like for 1007, 1011, 1012, 1013.'
export const wrong = true

export function start() {
  const state = {}
  const current = (request) => answer(request, state)
  const old = (request) => {
    const given = answer(request, state)
    return given.status === 401 ? { ...given, status: 403 } : given
  }
  const workers = [current, current, current, old].map((work) => ({ work, busy: 0 }))
  return listen(async (request) => {
    const worker = workers.reduce((best, one) => (one.busy < best.busy ? one : best))
    worker.busy += 1
    await pause(25)
    worker.busy -= 1
    return worker.work(request)
  })
}
