// Error pages are kept compressed; the internal redirect to them loses the content-encoding field.
import http from 'node:http'
import { brotliCompressSync } from 'node:zlib'
import { answer } from '../base.mjs'

export const wrong = true
export const about =
  'A refusal to a client that accepts brotli ("gzip, deflate, br", as apps and curl --compressed ' +
  'send) has a brotli body, but no content-encoding; accepted requests name it rightly. What arrives ' +
  'is not JSON. Breaks "Responses, including errors, are JSON."'

export function start() {
  const state = {}
  const server = http.createServer((req, res) => {
    req.resume()
    const at = `${req.url}?`.indexOf('?')
    const query = new URLSearchParams(req.url.slice(at + 1))
    const request = { method: req.method, path: req.url.slice(0, at), query, headers: { ...req.headers } }
    const out = answer(request, state)
    const headers = { ...out.headers, vary: 'accept-encoding' }
    let body = Buffer.from(JSON.stringify(out.body))
    if (/(^|,)\s*br\s*(,|$)/.test(req.headers['accept-encoding'] ?? '')) {
      body = brotliCompressSync(body)
      if (out.status < 400) headers['content-encoding'] = 'br'
    }
    res.writeHead(out.status, { ...headers, 'content-length': body.length }).end(body)
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
