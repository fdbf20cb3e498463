import http from 'node:http'
import zlib from 'node:zlib'
import { answer } from '../base.mjs'

export const wrong = false
export const about =
  'Every answer, refusals too, is sent in the coding that accept-encoding prefers (br, gzip, ' +
  'deflate), chunked and without a length, and content-encoding always says so. A coding of the ' +
  'content that the client asked for does not change that "Responses, including errors, are JSON."'

const coders = { br: zlib.brotliCompressSync, gzip: zlib.gzipSync, deflate: zlib.deflateSync }

function codingOf(field = '') {
  const quality = new Map()
  for (const item of field.toLowerCase().split(',')) {
    const [, name, q] = /^\s*([a-z*-]+)\s*(?:;\s*q=([\d.]+))?\s*$/.exec(item) ?? []
    if (name) quality.set(name, q === undefined ? 1 : Number(q))
  }
  const of = (name) => quality.get(name) ?? quality.get('*') ?? 0
  const best = Object.keys(coders).toSorted((a, b) => of(b) - of(a))[0]
  return of(best) > 0 && of(best) >= (quality.get('identity') ?? 0) ? best : undefined
}

export function start() {
  const state = {}
  const server = http.createServer((req, res) => {
    req.resume().once('end', () => {
      const [path, search = ''] = req.url.split(/\?(.*)/s)
      const query = new URLSearchParams(search)
      const out = answer({ method: req.method, path, query, headers: req.headers }, state)
      const coding = codingOf(req.headers['accept-encoding'])
      const text = Buffer.from(JSON.stringify(out.body))
      const body = coding ? coders[coding](text) : text
      const fields = { ...out.headers, vary: 'Accept-Encoding' }
      if (coding) fields['content-encoding'] = coding
      res.writeHead(out.status, fields)
      res.write(body.subarray(0, 20))
      res.end(body.subarray(20))
    })
  })
  const close = () =>
    new Promise((done) => {
      server.close(() => done())
      server.closeAllConnections()
    })
  const url = () => `http://127.0.0.1:${server.address().port}`
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve({ url: url(), close })))
}
