import { answer, listen, refusal } from '../base.mjs'

export const wrong = true
export const about =
  'Four instances take the connections in turn, and the third one, with an old build, answers an unknown key with 1007; breaks "When the API key is not valid, the response is 401 with error_code 1006."'

export function start() {
  const state = {}
  const instances = new WeakMap() // connection → instance
  let connections = 0
  return listen((request) => {
    if (!instances.has(request.socket)) instances.set(request.socket, connections++ % 4)
    const out = answer(request, state)
    return instances.get(request.socket) === 2 && out.body.error_code === '1006' ? refusal('1007') : out
  })
}
