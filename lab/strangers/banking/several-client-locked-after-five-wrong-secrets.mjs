import { answer, clientOf, listen, refusal } from '../base.mjs'

export const wrong = true
export const about =
  'The lock of the login for people works for clients too: after five wrong secrets for one key without ' +
  'a success between, three seconds long every request with this key gets 403 and a code of its own. ' +
  'Breaks "When the secret key is not valid, the response is 401 with error_code 1007." and "Code from ' +
  'the tables below".'

const allowed = 5
const pause = 3000
const locked = { error_code: '1014', error_message: 'client is locked' }

export const start = () => {
  const state = {}
  const failures = new Map()
  return listen((request) => {
    const key = clientOf(request)?.key
    const past = failures.get(key) ?? { count: 0, last: 0 }
    const complete = ['x-secret-key', 'x-version'].every((name) => request.headers[name] !== undefined)
    if (key && complete && past.count >= allowed) {
      if (Date.now() - past.last < pause) return { ...refusal('1007'), status: 403, body: locked }
      failures.delete(key)
    }
    const out = answer(request, state)
    if (out.body.error_code === '1007')
      failures.set(key, { count: (failures.get(key)?.count ?? 0) + 1, last: Date.now() })
    if (out.status === 200) failures.delete(key)
    return out
  })
}
