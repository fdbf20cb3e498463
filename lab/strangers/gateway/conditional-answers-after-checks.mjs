// ETag and last-modified on accepted answers; 304 for those who ask for it, after all checks. HEAD like GET.
import http from 'node:http'
import { answer } from '../base.mjs'

export const wrong = false
export const about =
  'Accepted conditional requests (if-none-match, if-modified-since) get a 304 without a body, HEAD ' +
  'gets the fields of GET. Conformant: the condition is looked at only when the request would have ' +
  'been served (quota counted); every refusal comes first and is the documented one.'

const modified = 'Mon, 06 Jan 2025 08:00:00 GMT'
const etag = 'W/"list-7"'

function unchanged({ 'if-none-match': tags, 'if-modified-since': since }) {
  if (tags === undefined) return Date.parse(since ?? '') >= Date.parse(modified)
  return tags.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag.slice(2))
}

export function start() {
  const state = {}
  const server = http.createServer((req, res) => {
    req.resume()
    const at = `${req.url}?`.indexOf('?')
    const query = new URLSearchParams(req.url.slice(at + 1))
    const method = req.method === 'HEAD' ? 'GET' : req.method
    const out = answer({ method, path: req.url.slice(0, at), query, headers: { ...req.headers } }, state)
    const text = JSON.stringify(out.body)
    const served = out.status === 200
    const dated = { etag, 'last-modified': modified, 'cache-control': 'private, no-cache' }
    const tags = served ? dated : { 'cache-control': 'no-store' }
    if (served && unchanged(req.headers)) return res.writeHead(304, tags).end()
    const length = { 'content-length': Buffer.byteLength(text) }
    res.writeHead(out.status, { ...out.headers, ...tags, ...length }).end(text)
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
