import { answer, listen, refusal } from '../base.mjs'

export const wrong = true
export const about =
  'Looking an API key up creates it (get-or-create), so an unknown key is refused with 1006 the first time and with 1007 every time after; breaks "When the API key is not valid, the response is 401 with error_code 1006."'

export function start() {
  const state = {}
  const created = new Set() // rows left behind by earlier look-ups
  return listen((request) => {
    const out = answer(request, state)
    if (out.body.error_code !== '1006') return out
    const key = request.headers['x-api-key']
    if (created.has(key)) return refusal('1007')
    created.add(key)
    return out
  })
}
