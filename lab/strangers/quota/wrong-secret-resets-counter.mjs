import { answer, clientOf, listen } from '../base.mjs'

export const wrong = true
export const about =
  'A failed secret drops the cached record of the client, and the counter lives in that record, so after every 1007 an exhausted client has its whole quota again; breaks "There is a daily quota per client. Once it is exceeded, requests fail with 429 and error_code 1020."'

const slotOf = (client) => `${client.key} ${new Date().toISOString().slice(0, 10)}`

export function start() {
  const state = { used: new Map() }
  return listen((request) => {
    const out = answer(request, state)
    if (out.body.error_code === '1007') state.used.delete(slotOf(clientOf(request)))
    return out
  })
}
