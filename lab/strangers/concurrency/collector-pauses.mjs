import { answer, listen, pause } from '../base-concurrency.mjs'

export const about =
  'Conformant: every answer is right; about once a second the whole service stands still for 300 ms, as a garbage collector makes it, then answers all that waited at once: the specification says nothing about time.'
export const wrong = false

export function start() {
  const state = {}
  let standsUntil = 0
  let next = Date.now() + 400
  // the pause is held per request, so that a tester in the same process is not stopped with it
  return listen(async (request) => {
    const now = Date.now()
    if (now >= next) {
      standsUntil = now + 300
      next = standsUntil + 600 + 500 * Math.random()
    }
    await pause(Math.max(standsUntil - now, 3))
    return answer(request, state)
  })
}
