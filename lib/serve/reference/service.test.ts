import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { clients } from './clients.ts'
import { type ReferenceOptions, type ReferenceService, startReference } from './service.ts'
import { askOnce } from './testing/ask.ts'

const { permitted } = clients
const list = '/api/customizations/list'

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

// Every run against the service sees its other answers.
it.each([
  ['the list up to a limit', `${list}?limit=1`, /"name":"Evening"(?!.*"name").*"total":3\}$/],
  ['a path without parameters', '/api/cards/all', /^\[\{\}\]$/],
  ['a path with a parameter', '/api/cards/9', /^\{\}$/],
  ['a wrong parameter', '/api/cards/10', /"error_code":"1030"/],
])('the service answers %s from the endpoint with the best matching path', async (_what, target, says) => {
  const { body } = await askOnce(await started({ endpoints }), { target })

  expect(body).toMatch(says)
})

async function sends({ baseUrl }: ReferenceService, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1')
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
