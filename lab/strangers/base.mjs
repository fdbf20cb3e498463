// The common part of all strangers: the clients, the honest service of the specification, and the server
// around an odd service. No dependencies.
import http from 'node:http'

export const version = '1'
export const listPath = '/api/customizations/list'

const client = (name, number, quota, refused) => ({
  key: `key-${name}-${number}`,
  secret: `secret-${name}-${number}`,
  quota, // successful answers per (UTC) day
  refused, // the code for every good request
})

export const clients = {
  target: client('target', 'aaaa-1111-0001', Infinity),
  second: client('second', 'bbbb-2222-0002', Infinity),
  noCustomer: client('nocust', 'cccc-3333-0003', Infinity, '1012'),
  inactive: client('inactive', 'dddd-4444-0004', Infinity, '1011'),
  unauthorized: client('unauth', 'eeee-5555-0005', Infinity, '1013'),
  exhausted: client('exhaust', 'ffff-6666-0006', 0),
  disposable: client('dispos', 'gggg-7777-0007', 8),
}

export const codes = {
  1001: [400, 'api key header is missing'],
  1002: [400, 'secret key header is missing'],
  1003: [400, 'version header is missing'],
  1010: [400, 'endpoint not found for the specified version'],
  1030: [400, 'invalid input parameters'],
  1006: [401, 'invalid api key'],
  1007: [401, 'invalid secret key'],
  1011: [401, 'inactive endpoint'],
  1012: [401, 'customer not found'],
  1013: [401, 'unauthorized_endpoint'],
  1020: [429, 'daily quota limit exceeded'],
}

/** The required headers, and the code for each if it is absent. */
export const required = { 'x-api-key': '1001', 'x-secret-key': '1002', 'x-version': '1003' }

const json = () => ({ 'content-type': 'application/json; charset=utf-8' })
export const refusal = (code) => ({
  status: codes[code][0],
  headers: json(),
  body: { error_code: String(code), error_message: codes[code][1] },
})
export const success = () => ({
  status: 200,
  headers: json(),
  body: {
    customizations: [
      { id: 'cus_1', name: 'default' },
      { id: 'cus_2', name: 'dark' },
    ],
  },
})

export const absentIn = ({ headers }) => Object.keys(required).filter((name) => headers[name] === undefined)
/** Method, URL and the required headers, on which a response depends. */
export const wholeOf = ({ method, url, headers }) =>
  JSON.stringify([method, url, ...Object.keys(required).map((name) => headers[name])])
export const clientOf = ({ headers }) =>
  Object.values(clients).find(({ key }) => key === headers['x-api-key'])
/** The client whose key and secret a request carries. */
export const authentic = (request) => {
  const named = clientOf(request)
  return named?.secret === request.headers['x-secret-key'] ? named : undefined
}
export const isBadParameter = ([name, value]) =>
  /^(page|limit|offset|size|per_page|page_size)$/.test(name) && !/^\d{1,6}$/.test(value)

/** The slot in which the successes of a client are counted. */
export const slotOf = ({ key }) => `${key} ${new Date().toISOString().slice(0, 10)}`
export const isSpent = (used, who) => (used.get(slotOf(who)) ?? 0) >= who.quota

/** The answer that the specification requires. `used` counts successes by slot. Without it nothing is counted. */
export function answer(request, used = new Map()) {
  const { method, path, query, headers } = request
  const [absent] = absentIn(request)
  if (absent) return refusal(required[absent])
  const who = clientOf(request)
  if (!who) return refusal('1006')
  if (who.secret !== headers['x-secret-key']) return refusal('1007')
  if (who.refused === '1012') return refusal('1012')
  if (headers['x-version'] !== version || method !== 'GET' || path !== listPath) return refusal('1010')
  if (who.refused) return refusal(who.refused)
  if ([...query].some(isBadParameter)) return refusal('1030')
  if (isSpent(used, who)) return refusal('1020')
  counted(used, slotOf(who))
  return success()
}

/** The same request with other header fields. */
export const asIf = (request, fields) => ({ ...request, headers: { ...request.headers, ...fields } })
export const asGet = (request) => (request.method === 'HEAD' ? { ...request, method: 'GET' } : request)
export const credentials = ({ key, secret }) => ({ 'x-api-key': key, 'x-secret-key': secret })

/** The same answer with additional header fields, or also with another body. */
export const changed = (out, fields, body = out.body) => ({
  status: out.status,
  headers: { ...out.headers, ...fields },
  body,
})

export const cookieOf = ({ headers }, name) =>
  new RegExp(`(?:^|;\\s*)${name}=([\\w-]+)`).exec(headers.cookie ?? '')?.[1]
/** The original address of the request according to a proxy, or an empty string. */
export const forwardedFor = ({ headers }) => (headers['x-forwarded-for'] ?? '').split(',')[0].trim()
/** The tags of if-none-match, with weak ones as strong ones. */
export const tagsIn = ({ headers }) =>
  (headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
/** Whether if-none-match is a star, or contains this weak tag. */
export const matches = (request, etag) =>
  request.headers['if-none-match']?.trim() === '*' || tagsIn(request).includes(etag.slice('W/'.length))

export const pause = (ms) => new Promise((done) => setTimeout(done, ms))
export const secondsSince = (time) => String(Math.floor((Date.now() - time) / 1000))

/** Increments the count of a key and returns it. */
export function counted(counts, key) {
  counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts.get(key)
}

/**
 * Works for this many ms on the first of several overlapping requests in a slot, and gives its answer to all
 * of them.
 */
export function shared(flights, slot, ms, work) {
  const fly = async () => {
    await pause(ms)
    flights.delete(slot)
    return work()
  }
  if (!flights.has(slot)) flights.set(slot, fly())
  return flights.get(slot)
}

/** Writes an answer in two pieces, without its length. */
export function sendInPieces(res, { status, headers, body }, size) {
  res.writeHead(status, headers)
  res.write(body.subarray(0, size))
  res.end(body.subarray(size))
}

/** Writes an answer. A body is bytes, a text or a value. Without a body there is no length either. */
function send(res, { status, headers, body }) {
  if (body === undefined) return res.writeHead(status, headers).end()
  const sent = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  res.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(sent) }).end(sent)
}

function requestOf(req) {
  const [path, search = ''] = req.url.split(/\?(.*)/s)
  const { method, url, rawHeaders, socket } = req
  const query = new URLSearchParams(search)
  return { method, url, path, query, headers: { ...req.headers }, rawHeaders, socket, body: '' }
}

/**
 * The start of a service: handle(request, honest, io) → an answer or a promise of one, or undefined if it has
 * written or cut.
 * honest(request) is the correct answer, counted; honest(request, name) counts separately, in a counter with
 * this name.
 * io: memory and used (the counts by slot), which last as long as the service; connection, with its number
 * and its count of requests, which lasts as long as the connection; req and res.
 * atHead: handle is called once the head has been read, without the body. prepare(server) is called before
 * the server listens.
 */
export const serving =
  (handle, { atHead = false, prepare = () => {} } = {}) =>
  () => {
    const counters = new Map()
    const usedBy = (name) => counters.get(name) ?? counters.set(name, new Map()).get(name)
    const honest = (request, name = 'all') => answer(request, usedBy(name))
    const memory = new Map()
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
        const given = handle(request, honest, { memory, used: usedBy('all'), connection, req, res })
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
export const after = (handle) =>
  serving((request, honest, io) => handle(honest(request), request, { ...io, honest }))

/** Like `after`, for a service that changes only the refusals with one code. */
export const onRefusal = (code, handle) =>
  after((out, request, io) => (out.body.error_code === code ? handle(out, request, io) : out))

/** Like `serving`, for a service that needs more state than `io`: begin() returns its handle. */
export const remembering = (begin, how) => () => serving(begin(), how)()

/** A service that its author calls wrong: its fault, and the sentence of the specification that it breaks. */
export const wrong = (about, start) => ({ about, wrong: true, start })
/** A service that is conformant but odd: its oddity, and why it is conformant. */
export const conformant = (about, start) => ({ about, wrong: false, start })
/** The rows of a family, from its services by name. */
export const rowsOf = (services) => Object.entries(services).map(([name, row]) => ({ name, ...row }))

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
