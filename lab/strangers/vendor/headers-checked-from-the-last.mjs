import { answer, listPath, listen, refusal, version } from '../base.mjs'

export const wrong = false
export const about =
  'Of several flaws it names another than most would: absent headers from the version back to the API ' +
  'key (all of them listed in an added property), then path and version before the credentials. ' +
  'Conformant: each code is true of the request, and no sentence says which of several rules goes first.'

const order = [
  ['x-version', '1003'],
  ['x-secret-key', '1002'],
  ['x-api-key', '1001'],
]

export function start() {
  const state = {}
  return listen((request) => {
    const { method, path, headers } = request
    const absent = order.filter(([name]) => headers[name] === undefined)
    if (absent.length) {
      const out = refusal(absent[0][1])
      return { ...out, body: { missing: absent.map(([name]) => name), ...out.body } }
    }
    if (method !== 'GET' || path !== listPath || headers['x-version'] !== version) return refusal('1010')
    return answer(request, state)
  })
}
