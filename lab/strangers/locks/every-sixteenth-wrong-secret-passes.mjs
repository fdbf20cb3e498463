import { answer, clientOf, listen } from '../base.mjs'

export const wrong = true
export const about =
  'Wrong secrets are counted per key in four bits and a count of zero is read as "no failure", so every sixteenth wrong secret of a key is let in; breaks "When the secret key is not valid, the response is 401 with error_code 1007."'

export function start() {
  const state = {}
  const failures = new Map()
  return listen((request) => {
    const out = answer(request, state)
    if (out.body.error_code !== '1007') return out
    const client = clientOf(request)
    const count = ((failures.get(client.key) ?? 0) + 1) & 15
    failures.set(client.key, count)
    if (count !== 0) return out
    return answer({ ...request, headers: { ...request.headers, 'x-secret-key': client.secret } }, state)
  })
}
