// The edge limits its key check to GET (limit_except, <Limit GET>), so that HEAD walks past it.
import { answer, listPath, listen, refusal, success } from '../base.mjs'

export const wrong = true
export const about =
  'The access rule is written for the method GET alone: a HEAD request (monitors, curl -I) is ' +
  'answered 200 with any or no credentials. Breaks "Every request must carry all three headers" and ' +
  '"When the API key header is absent, the response is 400 with error_code 1001."'

export function start() {
  const state = {}
  return listen((request) => {
    if (request.method === 'HEAD') return request.path === listPath ? success() : refusal('1010')
    return answer(request, state)
  })
}
