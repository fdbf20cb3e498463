import { answer, clients, listen } from '../base.mjs'

export const wrong = true
export const about =
  'For the "try it" console of its own documentation the service fills absent headers in with those of a ' +
  'demo client. It knows the console by what a browser sends from a page of the same host ' +
  '(sec-fetch-site: same-origin, or a referer of this host). Breaks "When the API key header is absent, ' +
  'the response is 400 with error_code 1001", and the same for 1002 and 1003.'

const demo = {
  'x-api-key': clients.second.key,
  'x-secret-key': clients.second.secret,
  'x-version': '1',
}

function ownPage({ headers }) {
  if (headers['sec-fetch-site'] === 'same-origin') return true
  const referer = headers.referer ?? ''
  return URL.canParse(referer) && new URL(referer).host === headers.host
}

export function start() {
  const state = {}
  return listen((request) =>
    answer(ownPage(request) ? { ...request, headers: { ...demo, ...request.headers } } : request, state),
  )
}
