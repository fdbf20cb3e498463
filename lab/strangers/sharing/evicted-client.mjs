import { answer, clientOf, clients, listen } from '../base.mjs'

export const wrong = true
export const about =
  'Only the three most recently seen clients stay in memory, and one that was pushed out is reloaded without its (missing) customer, so the client without a customer is refused at first but served once three others came in between; breaks "When no customer matches the credentials, the response is 401 with error_code 1012."'

const ordinary = { 'x-api-key': clients.second.key, 'x-secret-key': clients.second.secret }

export function start() {
  const state = {}
  const known = new Set()
  const reloaded = new Set()
  let recent = [] // least recently used last, at most three
  return listen((request) => {
    const out = answer(request, state)
    const code = out.body.error_code
    if (['1001', '1002', '1003', '1006', '1007'].includes(code)) return out
    const client = clientOf(request)
    if (known.has(client) && !recent.includes(client)) reloaded.add(client)
    known.add(client)
    recent = [client, ...recent.filter((c) => c !== client)].slice(0, 3)
    if (code !== '1012' || !reloaded.has(client)) return out
    return answer({ ...request, headers: { ...request.headers, ...ordinary } }, {}) // the rest is still checked
  })
}
