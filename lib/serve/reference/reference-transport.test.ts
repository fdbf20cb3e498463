import { connect as dial, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startReference, type ReferenceService } from './service.ts'
import { connect, headersOf, outcome } from './testing/ask.ts'

let service: ReferenceService
beforeEach(async () => {
  service = await startReference()
})
afterEach(() => service.close())

function socketTo({ baseUrl }: ReferenceService): Socket {
  return dial(Number(new URL(baseUrl).port), '127.0.0.1')
}

async function sends(bytes: string): Promise<string> {
  const socket = socketTo(service)
  socket.write(bytes, 'latin1')
  return text(socket)
}

const required = 'x-api-key: a\r\nx-secret-key: b\r\nx-version: 1\r\n'

it.each([
  ['no request line', 'nonsense\r\n\r\n'],
  ['a lower-case method', 'get / HTTP/1.1\r\nhost: a\r\n\r\n'],
  ['a NUL in a header', `GET / HTTP/1.1\r\nhost: a\r\nx-api-key: a\0b\r\n\r\n`],
  ['a blank before the colon', 'GET / HTTP/1.1\r\nhost: a\r\nx-api-key : a\r\n\r\n'],
  ['64 KiB of headers', `GET / HTTP/1.1\r\nhost: a\r\nx-api-key: ${'a'.repeat(65_536)}\r\n\r\n`],
  ['a megabyte of headers', `GET / HTTP/1.1\r\nhost: a\r\nx-api-key: ${'a'.repeat(1_048_576)}\r\n\r\n`],
  ['CONNECT', `CONNECT a:443 HTTP/1.1\r\nhost: a\r\n${required}\r\n`],
  ['no host', `GET /api/customizations/list HTTP/1.1\r\n${required}connection: close\r\n\r\n`],
])('the service answers %s with a documented error', async (_what, bytes) => {
  const [head = '', body = ''] = (await sends(bytes)).split('\r\n\r\n')

  expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
  expect(head.toLowerCase()).toContain('content-type: application/json; charset=utf-8')
  expect(head.toLowerCase()).toContain(`content-length: ${String(body.length)}`)
  expect(JSON.parse(body)).toEqual({ error_code: '1030', error_message: 'invalid input parameters' })
  expect(service.requests()).toBe(1)
})

it.each([
  [
    'a target in absolute form',
    'GET ORIGIN/api/customizations/list?limit=2 HTTP/1.1\r\nhost: a',
    /^HTTP\/1\.1 200 OK/,
  ],
  [
    'an unknown expectation',
    'GET /api/customizations/list HTTP/1.1\r\nhost: a\r\nexpect: patience',
    /^HTTP\/1\.1 200 OK/,
  ],
  ['OPTIONS *', 'OPTIONS * HTTP/1.1\r\nhost: a', /"error_code":"1010"/],
])('the service accepts and answers %s', async (_what, head, says) => {
  const { apiKey, secretKey } = service.clients.permitted
  const fields = `x-api-key: ${apiKey}\r\nx-secret-key: ${secretKey}\r\nx-version: 1\r\nconnection: close`

  expect(await sends(`${head.replace('ORIGIN', service.baseUrl)}\r\n${fields}\r\n\r\n`)).toMatch(says)
})

it('the service keeps a connection open for the next request', async () => {
  const ports = new Set<number | undefined>()
  const watched = await startReference({
    intervene: ({ socket }) => {
      ports.add(socket.remotePort)
      return false
    },
  })
  const connection = connect(watched)
  const replies = [await connection.ask(), await connection.ask({ headers: [] }), await connection.ask()]

  expect(replies.map((reply) => outcome(reply))).toEqual(['200/-', '400/1001', '200/-'])
  expect(ports.size).toBe(1)
  await connection.close()
  await watched.close()
})

it('the service closes at once, whatever the state of its connections', async () => {
  const slow = await startReference({ latencyMs: 60_000 })
  const idle = socketTo(slow)
  const malformed = socketTo(slow)
  const waiting = connect(slow, 600_000)
  const ended = Promise.all([idle, malformed].map((socket) => text(socket).catch(() => 'reset')))
  malformed.write('nonsense\r\n\r\n')
  const unanswered = waiting.ask({ headers: headersOf(slow.clients.permitted) })
  while (slow.requests() < 2) await new Promise(setImmediate)

  await slow.close()
  expect(await unanswered).toMatchObject({ status: 0 })
  await ended
  await waiting.close()
})
