// base.mjs (same clients, same honest answers) with a listen that also hands out the connection, the response and the server.
import http from 'node:http'

export { answer, clients, refusal, success, version, listPath } from './base.mjs'
export const pause = (ms) => new Promise((done) => setTimeout(done, ms))

/** Writes one answer at once; a body of null is an empty body. */
export function send(res, { status, headers, body }) {
  const text =
    body === null || body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
  res.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) })
  res.end(text)
}

/**
 * handle(request, {req, res}) → answer or a promise of one (undefined: it wrote the answer itself), called once the
 * head of the request is read; prepare(server) is called before the server listens.
 */
export function listen(handle, prepare = () => {}) {
  const serve = async (req, res) => {
    req.on('error', () => {}).resume()
    res.on('error', () => {})
    const mark = req.url.indexOf('?')
    const path = mark < 0 ? req.url : req.url.slice(0, mark)
    const query = new URLSearchParams(mark < 0 ? '' : req.url.slice(mark + 1))
    const given = await handle({ method: req.method, path, query, headers: { ...req.headers } }, { req, res })
    if (given && !res.headersSent && !res.destroyed) send(res, given)
  }
  const server = http.createServer((req, res) => void serve(req, res))
  prepare(server)
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', () =>
      resolve({
        url: `http://127.0.0.1:${server.address().port}`,
        close: () =>
          new Promise((done) => {
            server.close(() => done())
            server.closeAllConnections()
          }),
      }),
    )
  })
}
