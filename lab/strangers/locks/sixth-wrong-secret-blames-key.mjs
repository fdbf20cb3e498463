import { answer, clientOf, listen, refusal } from '../base.mjs'

export const wrong = true
export const about =
  'From the sixth wrong secret of a key on, further wrong secrets are answered 1006 although the key is valid and, with its own secret, served all the time; breaks "When the secret key is not valid, the response is 401 with error_code 1007."'

export function start() {
  const state = {}
  const failures = new Map()
  return listen((request) => {
    const out = answer(request, state)
    if (out.body.error_code !== '1007') return out
    const { key } = clientOf(request)
    failures.set(key, (failures.get(key) ?? 0) + 1)
    return failures.get(key) > 5 ? refusal('1006') : out
  })
}
