import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { answering } from '../../serve/proxy/testing/proxies.ts'
import { proxyForTest, referenceForTest, type ReferenceChoice } from './started-services.ts'

async function reference(choice?: ReferenceChoice) {
  const service = await referenceForTest(choice)
  onTestFinished(() => service.close())
  return service
}

async function proxyTo(baseUrl: string, choice: object = {}) {
  const proxy = await proxyForTest({ baseUrl, ...choice })
  onTestFinished(() => proxy.close())
  return proxy
}

function asked(url: string, fields = ''): string {
  return `GET /api/customizations/list HTTP/1.1\r\nhost: ${new URL(url).host}\r\n${fields}\r\n`
}

/** Connects and sends these bytes, then waits for the first bytes of the answer if one is expected. */
async function connected(url: string, bytes: string, isAnswered = true): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  if (bytes !== '') socket.write(bytes)
  if (isAnswered) await once(socket, 'data')
  else socket.resume()
  return socket
}

it('a reference service for a test answers its clients with the chosen fault and variant', async () => {
  const bent = { fault: 'missing-api-key-called-invalid', variant: 'list-empty' }
  const { url, clients } = await reference(bent)
  const list = `${url}/api/customizations/list`
  const { apiKey, secretKey } = clients.permitted
  const headers = { 'x-secret-key': secretKey, 'x-version': '1' }
  const served = await fetch(list, { headers: { ...headers, 'x-api-key': apiKey } })
  const refused = await fetch(list, { headers })

  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect([served.status, refused.status]).toEqual([200, 401])
  expect(await served.json()).toEqual([])
  expect(await refused.json()).toMatchObject({ error_code: '1006' })
})

it('a proxy for a test makes the requested changes, all by default, and repeats them for the same seed', async () => {
  const base = await answering('{"id":"a","b":[{"name":"c"}]}')
  const answer = async (choice: object) => (await fetch((await proxyTo(base, choice)).url)).text()

  const opaque = await answer({ changes: ['opaque'], opaque: ['name'], seed: 7 })
  expect(opaque).toMatch(/^\{"id":"a","b":\[\{"name":(?!"c")/)
  expect(await answer({ changes: ['opaque'], opaque: ['name'], seed: 7 })).toBe(opaque)
  const { url } = await proxyTo(base)
  const says = (await fetch(url)).headers.get('x-tolerated-changes')
  expect(says).toMatch(/^added .*; reordered .*; changed .*; seed 20260101; answer 1$/)
})

it('a proxy for a test has clients only for a service that this process started', async () => {
  const { url, clients, close } = await reference({ variant: 'path-prefix' })

  expect((await proxyTo(`${url}/`)).clients).toBe(clients)
  expect((await proxyTo(await answering('[]'))).clients).toBeNull()
  await close()
  expect((await proxyTo(url)).clients).toBeNull()
})

it.each([
  [{ changes: ['other'] }, 'unknown change "other"; known changes: added, order, opaque'],
  [{ baseUrl: 'http://a.example/api?b' }, 'baseUrl'],
])('a proxy for a test does not start with %j', async (choice, says) => {
  await expect(proxyTo('http://127.0.0.1:9', choice)).rejects.toThrow(says)
})

it.each(['reference', 'proxy'])('closing the %s ends every connection, and may be repeated', async (kind) => {
  const service = await reference({ fault: 'unauthorized-client-never-answered' })
  const started = kind === 'reference' ? service : await proxyTo(service.url)
  const { url } = started
  const { apiKey, secretKey } = service.clients.unauthorized
  const unanswered = `x-api-key: ${apiKey}\r\nx-secret-key: ${secretKey}\r\nx-version: 1\r\n`
  const sockets = [
    await connected(url, asked(url)),
    await connected(url, asked(url, unanswered), false),
    await connected(url, '', false),
    await connected(url, asked(url, 'a: b\r\nc'), false),
    await connected(url, 'nonsense\r\n\r\n'),
  ]
  const open = sockets.filter(({ closed }) => !closed)
  const ends = Promise.all(open.map((socket) => once(socket, 'close')))

  await Promise.all([started.close(), started.close()])
  await started.close()
  await ends
  const again = await reference({ port: Number(new URL(url).port) })

  expect(again.url).toBe(url)
})
