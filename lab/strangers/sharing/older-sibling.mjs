import { answer, listen } from '../base.mjs'

export const wrong = true
export const about =
  'Two instances behind one address; every third request reaches the one that takes a missing x-version for the default 1 and serves it; breaks "When the version header is absent, the response is 400 with error_code 1003."'

export function start() {
  const state = {} // shared store: quota is right on both
  let turn = 0
  const newer = (request) => answer(request, state)
  const older = (request) => answer({ ...request, headers: { 'x-version': '1', ...request.headers } }, state)
  return listen((request) => (++turn % 3 === 0 ? older : newer)(request))
}
