import { answer, clientOf, listen } from '../base.mjs'

export const wrong = true
export const about =
  'Saying 429 clears the counter of that client, so after one refusal the whole daily quota is there again within the same moment; breaks "There is a daily quota per client. Once it is exceeded, requests fail with 429 and error_code 1020."'

export function start() {
  const state = {}
  return listen((request) => {
    const out = answer(request, state)
    if (out.status === 429)
      for (const slot of state.used?.keys() ?? [])
        if (slot.startsWith(`${clientOf(request).key} `)) state.used.delete(slot)
    return out
  })
}
