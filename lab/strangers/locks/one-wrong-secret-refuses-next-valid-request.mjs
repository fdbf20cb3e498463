import { answer, clientOf, listen, refusal } from '../base.mjs'

export const wrong = true
export const about =
  'The verdict on a secret lives in one shared variable that is read before it is renewed, so after a single wrong secret the next request with a valid secret, whoever sends it and however much later, is refused with 1007; breaks "When the secret key is not valid, the response is 401 with error_code 1007." (here it is valid).'

export function start() {
  const state = {}
  let left = false // a wrong secret left its verdict behind
  return listen((request) => {
    const { headers } = request
    const valid =
      clientOf(request)?.secret === headers['x-secret-key'] && headers['x-secret-key'] !== undefined
    if (left && valid && headers['x-version'] !== undefined) {
      left = false
      return refusal('1007')
    }
    const out = answer(request, state)
    if (out.body.error_code === '1007') left = true
    return out
  })
}
