import { answer, listen, pause } from '../base-concurrency.mjs'

export const about =
  'Conformant: every answer is right; requests wait in one queue and are served one after another, 18 ms each (less when the queue is long), and the specification says nothing about time or parallelism.'
export const wrong = false

export function start() {
  const state = {}
  let last = Promise.resolve()
  let queued = 0
  return listen((request) => {
    queued += 1
    const mine = last.then(async () => {
      await pause(Math.min(18, 160 / queued))
      queued -= 1
      return answer(request, state)
    })
    last = mine
    return mine
  })
}
