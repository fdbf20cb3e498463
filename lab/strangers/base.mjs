// The honest service of the specification, shared by the deliberately odd ones around it. No dependencies.
import http from 'node:http'

export const version = '1'
export const listPath = '/api/customizations/list'

// Fixed clients. quota = successful answers per (UTC) day.
export const clients = {
  target: { key: 'key-target-aaaa-1111-0001', secret: 'secret-target-aaaa-1111-0001', quota: Infinity },
  second: { key: 'key-second-bbbb-2222-0002', secret: 'secret-second-bbbb-2222-0002', quota: Infinity },
  noCustomer: {
    key: 'key-nocust-cccc-3333-0003',
    secret: 'secret-nocust-cccc-3333-0003',
    refused: '1012',
    quota: Infinity,
  },
  inactive: {
    key: 'key-inactive-dddd-4444-0004',
    secret: 'secret-inactive-dddd-4444-0004',
    refused: '1011',
    quota: Infinity,
  },
  unauthorized: {
    key: 'key-unauth-eeee-5555-0005',
    secret: 'secret-unauth-eeee-5555-0005',
    refused: '1013',
    quota: Infinity,
  },
  exhausted: { key: 'key-exhaust-ffff-6666-0006', secret: 'secret-exhaust-ffff-6666-0006', quota: 0 },
  disposable: { key: 'key-dispos-gggg-7777-0007', secret: 'secret-dispos-gggg-7777-0007', quota: 8 },
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
export const clientOf = (request) =>
  Object.values(clients).find((c) => c.key === request.headers['x-api-key'])

// request: { method, path, query: URLSearchParams, headers: lower-case names }. state: {} that the service keeps.
// body of the answer: a value to be serialised, or a string to be sent as it is.
export function answer(request, state) {
  const { method, path, query, headers } = request
  if (headers['x-api-key'] === undefined) return refusal('1001')
  if (headers['x-secret-key'] === undefined) return refusal('1002')
  if (headers['x-version'] === undefined) return refusal('1003')
  const client = clientOf(request)
  if (!client) return refusal('1006')
  if (client.secret !== headers['x-secret-key']) return refusal('1007')
  if (client.refused === '1012') return refusal('1012')
  if (headers['x-version'] !== version || method !== 'GET' || path !== listPath) return refusal('1010')
  if (client.refused) return refusal(client.refused)
  for (const [name, value] of query ?? [])
    if (/^(page|limit|offset|size|per_page|page_size)$/.test(name) && !/^\d{1,6}$/.test(value))
      return refusal('1030')
  state.used ??= new Map()
  const slot = `${client.key} ${new Date().toISOString().slice(0, 10)}`
  const used = state.used.get(slot) ?? 0
  if (used >= client.quota) return refusal('1020')
  state.used.set(slot, used + 1)
  return success()
}

// handle(request) → answer or promise of one; request also has socket (the connection), rawHeaders, url and body (text).
export function listen(handle) {
  const serve = async (req, res) => {
    let body = ''
    try {
      for await (const chunk of req.setEncoding('utf8')) body += chunk
      const at = req.url.indexOf('?')
      const out = await handle({
        method: req.method,
        url: req.url,
        path: at < 0 ? req.url : req.url.slice(0, at),
        query: new URLSearchParams(at < 0 ? '' : req.url.slice(at + 1)),
        headers: { ...req.headers },
        rawHeaders: req.rawHeaders,
        socket: req.socket,
        body,
      })
      const text = typeof out.body === 'string' ? out.body : JSON.stringify(out.body)
      res.writeHead(out.status, { ...out.headers, 'content-length': Buffer.byteLength(text) }).end(text)
    } catch (error) {
      if (!res.headersSent) res.writeHead(500, { 'content-type': 'application/json' })
      res.end(JSON.stringify({ error_code: '500', error_message: String(error) }))
    }
  }
  const server = http.createServer((req, res) => void serve(req, res))
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () =>
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
