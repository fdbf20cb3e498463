import { answer, listen, pause } from '../base-concurrency.mjs'

export const about =
  'Conformant: every answer is right; latency grows with the number in flight (18 ms each) and is noisy by a factor of 0.3 to 1.7, one in fifteen takes 150 ms more, at most 280 ms: the specification says nothing about time.'
export const wrong = false

export function start() {
  const state = {}
  let flying = 0
  return listen(async (request) => {
    flying += 1
    const noise = 0.3 + 1.4 * Math.random()
    const straggler = Math.random() < 1 / 15 ? 150 : 0
    await pause(Math.min(18 * flying * noise + straggler, 280))
    flying -= 1
    return answer(request, state)
  })
}
