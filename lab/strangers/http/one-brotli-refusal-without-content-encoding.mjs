import http from 'node:http'
import zlib from 'node:zlib'
import { answer } from '../base.mjs'

export const wrong = true
export const about =
  'The error handler throws away the fields set so far, content-encoding among them, after the body ' +
  'has been put through brotli: a refused request whose accept-encoding allows br (browsers, curl ' +
  '--compressed) gets bytes that nobody can read. It breaks "Responses, including errors, are JSON."'

const wantsBrotli = (field = '') => /(^|[,\s])br\s*(,|$|;\s*q=(1|0?\.\d*[1-9]))/.test(field)

export function start() {
  const state = {}
  const server = http.createServer((req, res) => {
    req.resume().once('end', () => {
      const [path, search = ''] = req.url.split(/\?(.*)/s)
      const query = new URLSearchParams(search)
      const out = answer({ method: req.method, path, query, headers: req.headers }, state)
      const headers = { ...out.headers, vary: 'accept-encoding' }
      let body = Buffer.from(JSON.stringify(out.body))
      if (wantsBrotli(req.headers['accept-encoding'])) {
        body = zlib.brotliCompressSync(body)
        if (out.status < 400) headers['content-encoding'] = 'br'
      }
      res.writeHead(out.status, { ...headers, 'content-length': body.length }).end(body)
    })
  })
  const close = () =>
    new Promise((done) => {
      server.close(() => done())
      server.closeAllConnections()
    })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve({ url: `http://127.0.0.1:${server.address().port}`, close }))
  })
}
