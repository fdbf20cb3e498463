// The server around an odd service, and the rows of a family. Forked with the path of a family and the name of a
// row, it starts that service, sends its address to the parent process, and ends with that process.

import http from 'node:http'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Memory, Request, honestly, pause } from './base.mjs'

/**
 * Writes an answer. A body is bytes, a text or a value. Without a body there is no length either. With `first`,
 * the body is written in two pieces, without its length: first this many bytes.
 */
function send(res, { status, headers, body, first }) {
  if (body === undefined) return res.writeHead(status, headers).end()
  const sent = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  if (first !== undefined) {
    res.writeHead(status, headers).write(sent.subarray(0, first))
    return res.end(sent.subarray(first))
  }
  res.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(sent) }).end(sent)
}

/** A request from what Node or another parser read. */
export function requestOf({ method, url, headers, rawHeaders, socket }) {
  const [path, search = ''] = url.split(/\?(.*)/s)
  const query = new URLSearchParams(search)
  return new Request({ method, url, path, query, headers: { ...headers }, rawHeaders, socket, body: '' })
}

/**
 * The start of a service: handle(request, honest, io) → an answer or a promise of one, or undefined if it has
 * written or cut.
 * io: memory and used (the counts by slot), which last as long as the service; connection, with its number
 * and its count of requests, which lasts as long as the connection; req and res.
 * atHead: handle is called once the head has been read, without the body. prepare(server) is called before
 * the server listens.
 */
export const serving =
  (handle, { atHead = false, prepare = () => {} } = {}) =>
  () => {
    const [memory, used] = [new Memory(), new Memory()]
    const honest = honestly(used)
    const connections = new WeakMap()
    let opened = 0
    const connectionOf = (socket) => {
      if (!connections.has(socket)) connections.set(socket, { number: opened++, requests: 0 })
      return connections.get(socket)
    }
    const serve = async (req, res) => {
      res.on('error', () => {})
      try {
        const request = requestOf(req)
        if (atHead) req.on('error', () => {}).resume()
        else for await (const chunk of req.setEncoding('utf8')) request.body += chunk
        const connection = connectionOf(req.socket)
        connection.requests += 1
        const given = handle(request, honest, { memory, used, connection, req, res })
        // available pieces are written at once, before more is read
        const out = given instanceof Promise ? await given : given
        if (out) send(res, out)
      } catch (error) {
        if (!res.headersSent) res.writeHead(500, { 'content-type': 'application/json' })
        res.end(JSON.stringify({ error_code: '500', error_message: String(error) }))
      }
    }
    const server = http.createServer((req, res) => void serve(req, res))
    prepare(server)
    return listening(server, () => server.closeAllConnections())
  }

/** Like `serving`, for a service that changes the honest answer: handle(out, request, io); `honest` is in io. */
const after = (handle) => serving((one, honest, io) => handle(honest(one), one, { honest, ...io }))
/** Like `after`, for a service that changes only the refusals with one code. */
const onRefusal = (code, handle) =>
  after((out, request, io) => (out.body.error_code === code ? handle(out, request, io) : out))
const atHead = (handle) => serving(handle, { atHead: true })
/** Like `serving`, for an honest service that counts the quota by the name that nameOf(request, io) returns. */
const countedBy = (nameOf) => serving((request, honest, io) => honest(request, nameOf(request, io)))
const started = (start) => start

/**
 * A service that judges requests after this many ms, with what `as` takes of the one that came last. One with an absent
 * header is judged at once if only the credentials are taken.
 */
const ofTheLast = (takesAll, as) => (ms) =>
  serving(async (request, honest, { memory }) => {
    if (!takesAll && request.absent.length) return honest(request)
    memory.set('last', request)
    await pause(ms)
    return honest(as(request, memory.get('last')))
  })
const fieldsOfTheLast = ofTheLast(true, (request, { headers }) => request.but({ headers }))
const credentialsOfTheLast = ofTheLast(false, (request, last) => request.by(last))

const ways = { serving, after, onRefusal, atHead, countedBy, fieldsOfTheLast, credentialsOfTheLast, started }

/** Makes rows of a family: kind.serving(handle), or by another of the ways above. */
function rowsOf(isWrong) {
  const row = (way, ...given) => ({ wrong: isWrong, start: way(...given) })
  return Object.fromEntries(Object.entries(ways).map(([name, way]) => [name, row.bind(undefined, way)]))
}
/**
 * A service that its author calls wrong. The comment above each row says its fault, and the sentence of the
 * specification that it breaks.
 */
export const wrong = rowsOf(true)
/** A service that is conformant but odd. The comment says its oddity, and why it is conformant. */
export const conformant = rowsOf(false)

/** Makes a server listen on a free port. `end` ends its connections. */
export function listening(server, end) {
  const close = () =>
    new Promise((done) => {
      server.close(() => done())
      end()
    })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve({ url: `http://127.0.0.1:${server.address().port}`, close }))
  })
}

async function startForked([family, name]) {
  process.once('disconnect', () => process.exit())
  const { strangers } = await import(pathToFileURL(family).href)
  const { url } = await strangers[name].start()
  process.send(url)
}

// Not awaited, because the family imports this module.
if (process.argv[1] === fileURLToPath(import.meta.url)) void startForked(process.argv.slice(2))
