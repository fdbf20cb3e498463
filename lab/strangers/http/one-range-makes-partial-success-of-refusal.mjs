import { answer, listen } from '../base.mjs'

export const wrong = true
export const about =
  'The range filter stands behind the whole application and cuts every answer, not only those with ' +
  '200: a refused request with "range: bytes=0-" (download tools, media players) comes back as 206. ' +
  'It breaks "When the API key is not valid, the response is 401 with error_code 1006" and its like.'

function ranged(out, field) {
  const text = JSON.stringify(out.body)
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(field ?? '') ?? []
  const headers = { ...out.headers, 'accept-ranges': 'bytes' }
  if (from === undefined || Number(from) >= text.length || (to && Number(to) < Number(from)))
    return { ...out, headers, body: text }
  const last = to ? Math.min(Number(to), text.length - 1) : text.length - 1
  return {
    status: 206,
    headers: { ...headers, 'content-range': `bytes ${from}-${last}/${text.length}` },
    body: text.slice(Number(from), last + 1),
  }
}

export function start() {
  const state = {}
  return listen((request) => ranged(answer(request, state), request.headers.range))
}
