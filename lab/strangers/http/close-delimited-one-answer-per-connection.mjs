import http from 'node:http'
import { answer } from '../base.mjs'

export const wrong = false
export const about =
  'Each connection serves one request, the body has neither length nor chunks and ends with the ' +
  'connection, it comes in two pieces with white space around and in the JSON, and the media type is ' +
  'written with capitals and quotes. HTTP and JSON permit all that; the specification says only that ' +
  'responses are JSON.'

export function start() {
  const state = {}
  const server = http.createServer((req, res) => {
    req.resume().once('end', () => {
      const [path, search = ''] = req.url.split(/\?(.*)/s)
      const query = new URLSearchParams(search)
      const out = answer({ method: req.method, path, query, headers: req.headers }, state)
      const text = `\r\n${JSON.stringify(out.body, null, 4)}\n\n`
      res.useChunkedEncodingByDefault = false
      res.shouldKeepAlive = false
      res.writeHead(out.status, { 'Content-Type': 'Application/JSON;Charset="UTF-8"', Connection: 'close' })
      res.write(text.slice(0, 30))
      setTimeout(() => res.end(text.slice(30)), 5)
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
