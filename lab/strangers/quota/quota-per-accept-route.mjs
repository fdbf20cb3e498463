import { answer, listen } from '../base.mjs'

export const wrong = true
export const about =
  'The gateway has two routes, one matched by "accept: application/json" and a default one, and the limit is attached to the route, so a client refused with the accept header is served a second quota without it and the other way round; breaks "There is a daily quota per client. Once it is exceeded, requests fail with 429 and error_code 1020."'

export function start() {
  const jsonRoute = {}
  const defaultRoute = {}
  return listen((request) => {
    const json = /\bapplication\/json\b/i.test(request.headers.accept ?? '')
    return answer(request, json ? jsonRoute : defaultRoute)
  })
}
