import http from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { answer } from '../base.mjs'

export const wrong = false
export const about =
  'An interim 103 with a link to the documentation goes ahead of every final answer (not to ' +
  'HTTP/1.0), and answers take up to 30 ms, so that they overtake each other between connections. A ' +
  'client of HTTP/1.1 must be able to read interim answers; status and body of the final one are as ' +
  'specified.'

async function serve(req, res, state) {
  for await (const chunk of req) void chunk
  const [path, search = ''] = req.url.split(/\?(.*)/s)
  const query = new URLSearchParams(search)
  const link = '</docs/customizations.json>; rel=preload; as=fetch'
  if (req.httpVersionMinor > 0) res.writeEarlyHints({ link })
  await pause(Math.random() * 30)
  const out = answer({ method: req.method, path, query, headers: req.headers }, state)
  const text = JSON.stringify(out.body)
  res.writeHead(out.status, { ...out.headers, link, 'content-length': Buffer.byteLength(text) }).end(text)
}

export function start() {
  const state = {}
  const server = http.createServer((req, res) => {
    serve(req, res, state).catch(() => res.destroy())
  })
  const close = () =>
    new Promise((done) => {
      server.close(() => done())
      server.closeAllConnections()
    })
  const url = () => `http://127.0.0.1:${server.address().port}`
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve({ url: url(), close })))
}
