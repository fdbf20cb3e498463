// Two workers behind one address (weights 2 and 1), each with its own counter; connections stay with one.
import { answer, listen } from '../base.mjs'

export const wrong = true
export const about =
  'The daily counters are local to each worker, and connections are spread over the workers: after a ' +
  '429 on one connection the same client is served again on another one. Breaks "There is a daily ' +
  'quota per client. Once it is exceeded, requests fail with 429 and error_code 1020."'

export function start() {
  const workers = [{}, {}]
  const turns = [0, 0, 1]
  const bound = new WeakMap()
  let opened = 0
  return listen((request) => {
    if (!bound.has(request.socket)) bound.set(request.socket, workers[turns[opened++ % turns.length]])
    return answer(request, bound.get(request.socket))
  })
}
