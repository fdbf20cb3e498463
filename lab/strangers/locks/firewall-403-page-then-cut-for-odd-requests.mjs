import { answer, listen } from '../base.mjs'

export const wrong = false
export const about =
  'A firewall in front answers requests that look like an attack (quotes, tags or dots-dots in the address, overlong or doubled credential headers, a GET with a body) with a 403 page, and from the fourth within ten seconds cuts the connection of such a request; looks like an undocumented error, but it is not the service that answers, and no ordinary request is ever touched.'

const page = '<!doctype html><title>403 Forbidden</title><h1>Request blocked</h1><p>Incident 0x5f2c</p>'
const names = ['x-api-key', 'x-secret-key', 'x-version']

function odd({ url, method, headers, rawHeaders, body }) {
  if (/['"<>\\]|\.\.|%(?:00|22|27|2e%2e|3c|3e|5c)/i.test(url) || url.length > 1000) return true
  if (method === 'GET' && body !== '') return true
  const sent = rawHeaders.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase())
  return names.some((name) => headers[name]?.length > 256 || sent.indexOf(name) !== sent.lastIndexOf(name))
}

export function start() {
  const state = {}
  const blocked = new Map() // address → times of its odd requests
  return listen((request) => {
    if (!odd(request)) return answer(request, state)
    const address = request.socket.remoteAddress
    const now = Date.now()
    const recent = [...(blocked.get(address) ?? []).filter((t) => t > now - 10_000), now]
    blocked.set(address, recent)
    if (recent.length > 3) request.socket.destroy()
    return { status: 403, headers: { 'content-type': 'text/html', connection: 'close' }, body: page }
  })
}
