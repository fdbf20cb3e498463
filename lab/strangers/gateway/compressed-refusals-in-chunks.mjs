// Everything is compressed on the fly for those who accept it, refusals too; no content-length, chunked.
import http from 'node:http'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { answer } from '../base.mjs'

export const wrong = false
export const about =
  'Answers and refusals come in brotli, gzip or deflate if accept-encoding allows it, in two chunks ' +
  'and without content-length. Conformant: content-encoding names the coding, decoded it is the ' +
  'documented JSON, and who accepts no coding gets none.'

const codings = { br: brotliCompressSync, gzip: gzipSync, deflate: deflateSync }

function chosen(accepted) {
  const weights = new Map()
  for (const item of accepted.toLowerCase().split(',')) {
    const [name, ...params] = item.split(';').map((part) => part.trim())
    const q = params.find((param) => param.startsWith('q='))
    weights.set(name, q === undefined ? 1 : Number(q.slice(2)))
  }
  const usable = Object.keys(codings).filter((name) => weights.get(name) > 0)
  return usable.toSorted((a, b) => weights.get(b) - weights.get(a))[0]
}

export function start() {
  const state = {}
  const server = http.createServer((req, res) => {
    req.resume()
    const at = `${req.url}?`.indexOf('?')
    const query = new URLSearchParams(req.url.slice(at + 1))
    const request = { method: req.method, path: req.url.slice(0, at), query, headers: { ...req.headers } }
    const out = answer(request, state)
    const coding = chosen(req.headers['accept-encoding'] ?? '')
    const plain = Buffer.from(JSON.stringify(out.body))
    const body = coding ? codings[coding](plain) : plain
    const named = coding ? { 'content-encoding': coding } : {}
    res.writeHead(out.status, { ...out.headers, vary: 'Accept-Encoding', ...named })
    res.write(body.subarray(0, 10))
    res.end(body.subarray(10))
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
