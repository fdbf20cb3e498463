// The edge compares if-modified-since with the date of the last publication before any plugin runs.
import http from 'node:http'
import { answer, listPath } from '../base.mjs'

export const wrong = true
export const about =
  'A conditional GET of the list with if-modified-since of today (any cache or browser that asks ' +
  'again) is answered 304 by the edge before the credentials are looked at, also with wrong or absent ' +
  'ones. Breaks "When the API key is not valid, the response is 401 with error_code 1006", and the ' +
  'like for the other flaws.'

const modified = 'Mon, 06 Jan 2025 08:00:00 GMT'

export function start() {
  const state = {}
  const server = http.createServer((req, res) => {
    req.resume()
    const at = `${req.url}?`.indexOf('?')
    const path = req.url.slice(0, at)
    const since = Date.parse(req.headers['if-modified-since'] ?? '')
    if (req.method === 'GET' && path === listPath && since >= Date.parse(modified))
      return res.writeHead(304, { 'last-modified': modified }).end()
    const query = new URLSearchParams(req.url.slice(at + 1))
    const out = answer({ method: req.method, path, query, headers: { ...req.headers } }, state)
    const text = JSON.stringify(out.body)
    if (out.status === 200) out.headers['last-modified'] = modified
    res.writeHead(out.status, { ...out.headers, 'content-length': Buffer.byteLength(text) }).end(text)
  })
  const close = () =>
    new Promise((done) => {
      server.close(() => done())
      server.closeAllConnections()
    })
  return new Promise((done) => {
    server.listen(0, '127.0.0.1', () => done({ url: `http://127.0.0.1:${server.address().port}`, close }))
  })
}
