import http from 'node:http'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { answer } from '../base.mjs'

export const wrong = false
export const about =
  'Keeps finished answers per text and coding and says so (x-cache: HIT, age), sends br or gzip to those ' +
  'who accept it, chunked without content-length. Keys, version, path, query and quota are checked anew ' +
  'for every request before a copy is taken, so no copy goes to a request that should be refused. ' +
  'Conformant: still JSON.'

const codings = { br: brotliCompressSync, gzip: gzipSync, identity: (text) => Buffer.from(text) }

function codingFor(accepted = '') {
  const wanted = accepted.split(',').map((part) => part.trim().split(/\s*;\s*/))
  const takes = (name) => wanted.some(([n, q]) => n === name && !/^q=0(\.0*)?$/.test(q ?? ''))
  return ['br', 'gzip'].find(takes) ?? 'identity'
}

function serve(req, res, state, copies) {
  const [path, ...rest] = req.url.split('?')
  const query = new URLSearchParams(rest.join('?'))
  const out = answer({ method: req.method, path, query, headers: req.headers }, state)
  const coding = codingFor(req.headers['accept-encoding'])
  const text = JSON.stringify(out.body)
  const name = `${coding} ${text}`
  const hit = copies.has(name)
  if (!hit) copies.set(name, { bytes: codings[coding](text), since: Date.now() })
  const { bytes, since } = copies.get(name)
  const headers = { ...out.headers, vary: 'accept-encoding', 'x-cache': hit ? 'HIT' : 'MISS' }
  if (hit) headers.age = String(Math.floor((Date.now() - since) / 1000))
  if (coding !== 'identity') headers['content-encoding'] = coding
  res.writeHead(out.status, headers)
  res.write(bytes)
  res.end()
}

export function start() {
  const state = {}
  const copies = new Map()
  const server = http.createServer((req, res) => {
    req.resume().once('end', () => serve(req, res, state, copies))
  })
  const close = () => {
    server.closeAllConnections()
    return new Promise((done) => server.close(() => done()))
  }
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve({ url: `http://127.0.0.1:${server.address().port}`, close }))
  })
}
