import { answer, listen } from '../base.mjs'

export const wrong = true
export const about =
  'Four workers share the port without shared memory and a connection stays with the worker that accepted it, so after 1020 on one connection the client is served on another, up to four quotas; breaks "There is a daily quota per client. Once it is exceeded, requests fail with 429 and error_code 1020."'

const accepts = [0, 1, 0, 2, 1, 0, 3] // which worker wins the next connection; uneven, as it is without reuseport

export function start() {
  const workers = [{}, {}, {}, {}]
  const workerOf = new WeakMap()
  let connections = 0
  return listen((request) => {
    if (!workerOf.has(request.socket))
      workerOf.set(request.socket, workers[accepts[connections++ % accepts.length]])
    return answer(request, workerOf.get(request.socket))
  })
}
