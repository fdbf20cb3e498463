import { connect as dial, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { clients } from './clients.ts'
import { type ReferenceOptions, type ReferenceService, startReference } from './service.ts'
import { askOnce, connect, headersOf, type Question } from './testing/ask.ts'

const { permitted, second } = clients
const list = '/api/customizations/list'
const labelled = { 'content-type': 'application/json; charset=utf-8' }

/** A service that ends with the test. */
async function started(options: ReferenceOptions = {}): Promise<ReferenceService> {
  const service = await startReference(options)
  onTestFinished(() => service.close())
  return service
}

const id = { schema: { $ref: '#/definitions/Id', definitions: { Id: { type: 'integer', maximum: 9 } } } }
const endpoints = [
  { method: 'GET', path: '/api/cards/{id}', pathParameters: { id } },
  { method: 'GET', path: '/api/cards/all', success: { type: 'array', items: {} } },
]
const accepting = [...headersOf(permitted), 'accept', 'application/json']
const inAnyCase = ['X-VERSION', '1', 'x-SeCrEt-KeY', second.secretKey, 'X-Api-Key', second.apiKey]
const error = '{"error_code":"1001","error_message":"api key header is missing"}'
const customizations = [{ palette: { primary: '#1f2a44' } }, { name: 'Daylight' }, {}]
const first = [{ name: 'Evening' }]

it.each<[what: string, Question, came: object]>([
  ['the list', {}, { status: 200, headers: labelled, json: { customizations, total: 3 } }],
  ['the list up to a limit', { target: `${list}?limit=1` }, { json: { customizations: first, total: 3 } }],
  ['the second client', { headers: headersOf(second) }, { status: 200 }],
  ['a client that names the type it accepts', { headers: accepting }, { status: 200 }],
  ['names in any case and order', { headers: inAnyCase }, { status: 200 }],
  ['an error with only the documented object', { headers: [] }, { headers: labelled, body: error }],
  // The endpoint with the best matching path answers.
  ['a path without parameters', { target: '/api/cards/all' }, { status: 200, body: '[{}]' }],
  ['a path with a parameter', { target: '/api/cards/9' }, { status: 200, body: '{}' }],
  ['a wrong parameter', { target: '/api/cards/10' }, { status: 400, json: { error_code: '1030' } }],
])('the service answers %s', async (_, question, came) => {
  const reply = await askOnce(await started({ endpoints }), question)

  expect({ ...reply, json: JSON.parse(reply.body) }).toMatchObject(came)
})

function socketTo({ baseUrl }: ReferenceService): Socket {
  return dial(Number(new URL(baseUrl).port), '127.0.0.1')
}

async function sends(service: ReferenceService, bytes: string): Promise<string> {
  const socket = socketTo(service)
  socket.write(bytes, 'latin1')
  return text(socket)
}

const asking = `GET ${list} HTTP/1.1\r\nhost: a\r\n`
const wrong = 'x-api-key: a\r\nx-secret-key: b\r\nx-version: 1\r\n'

it.each([
  ['no request line', 'nonsense\r\n'],
  ['a lower-case method', 'get / HTTP/1.1\r\nhost: a\r\n'],
  ['a NUL in a header', `${asking}x-api-key: a\0b\r\n`],
  ['a blank before the colon', `${asking}x-api-key : a\r\n`],
  ['64 KiB of headers', `${asking}x-api-key: ${'a'.repeat(65_536)}\r\n`],
  ['a megabyte of headers', `${asking}x-api-key: ${'a'.repeat(1_048_576)}\r\n`],
  ['CONNECT', `CONNECT a:443 HTTP/1.1\r\nhost: a\r\n${wrong}`],
  ['no host', `GET ${list} HTTP/1.1\r\n${wrong}connection: close\r\n`],
])('the service answers %s with a documented error', async (_what, lines) => {
  const service = await started()
  const [head = '', body = ''] = (await sends(service, `${lines}\r\n`)).split('\r\n\r\n')

  expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
  expect(head.toLowerCase()).toContain('content-type: application/json; charset=utf-8')
  expect(head.toLowerCase()).toContain(`content-length: ${body.length}`)
  expect(JSON.parse(body)).toEqual({ error_code: '1030', error_message: 'invalid input parameters' })
  expect(service.requests()).toBe(1)
})

it.each([
  ['a target in absolute form', `GET ORIGIN${list}?limit=2 HTTP/1.1\r\nhost: a\r\n`, /^HTTP\/1\.1 200 OK/],
  ['an unknown expectation', `${asking}expect: patience\r\n`, /^HTTP\/1\.1 200 OK/],
  ['OPTIONS *', 'OPTIONS * HTTP/1.1\r\nhost: a\r\n', /"error_code":"1010"/],
])('the service accepts and answers %s', async (_what, head, says) => {
  const service = await started()
  const fields = `x-api-key: ${permitted.apiKey}\r\nx-secret-key: ${permitted.secretKey}\r\nx-version: 1\r\n`
  const whole = `${head.replace('ORIGIN', service.baseUrl)}${fields}connection: close\r\n\r\n`

  expect(await sends(service, whole)).toMatch(says)
})

it('the service closes at once, whatever the state of its connections', async () => {
  const slow = await started({ latencyMs: 60_000 })
  const [idle, malformed, waiting] = [socketTo(slow), socketTo(slow), connect(slow, 600_000)]
  const ended = Promise.all([idle, malformed].map((socket) => text(socket).catch(() => 'reset')))
  malformed.write('nonsense\r\n\r\n')
  const unanswered = waiting.ask()
  while (slow.requests() < 2) await new Promise(setImmediate)

  await slow.close()
  expect(await unanswered).toMatchObject({ status: 0 })
  await ended
  await waiting.close()
})
