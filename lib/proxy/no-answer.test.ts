import { describe, expect, it } from 'vitest'
import { ok, serve } from '../http/testing/servers.ts'
import { ask, proxyTo } from './testing/proxies.ts'

describe('where there is no answer', () => {
  it('says why in plain text, and no header field', async () => {
    const { address, lines } = await proxyTo('http://127.0.0.1:1')

    const { status, headers, text } = await ask(address, { fields: ['x-secret-key', 'hush-hush-hush'] })

    expect(status).toBe(502)
    expect(headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(text).toMatch(/^The proxy has no answer of the service: nobody listens at 127\.0\.0\.1:1 /)
    expect(lines[0]).toMatch(/ 502 \d+ ms: no answer: nobody listens at 127\.0\.0\.1:1 /)
    expect(text + lines.join()).not.toContain('hush')
  })

  it.each([
    ['hangs up', '', 'closed the connection before its answer was complete'],
    ['speaks no HTTP', 'SSH-2.0-OpenSSH\r\n', 'is not HTTP'],
    [
      'has endless fields',
      `HTTP/1.1 200 OK\r\na: ${'a'.repeat(20_000)}\r\n\r\n`,
      'longer than this proxy reads',
    ],
    [
      'breaks off',
      'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
      'closed',
    ],
    ['has a status that is none', 'HTTP/1.1 042 What\r\nContent-Length: 0\r\n\r\n', 'cannot be passed on'],
  ])('since the target %s', async (_, bytes, says) => {
    const server = await serve((socket) => socket.end(bytes))
    const { address } = await proxyTo(`http://127.0.0.1:${server.port}`)

    const { status, text } = await ask(address)

    expect(status).toBe(502)
    expect(text).toContain(says)
  })

  it('in time', async () => {
    const server = await serve(() => {})
    const { address } = await proxyTo(`http://127.0.0.1:${server.port}`, { timeoutMs: 50 })

    const { status, text } = await ask(address)

    expect(status).toBe(502)
    expect(text).toContain('did not begin to answer within 50 ms (RUN_TIMEOUT_MS)')
  })

  it('to its end, the client does not take it for whole', async () => {
    const server = await serve((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'))
    const { address, lines } = await proxyTo(`http://127.0.0.1:${server.port}`)

    await expect(ask(address)).rejects.toThrow('aborted')
    await expect.poll(() => lines[0]).toMatch(/ 200 \d+ ms: cut: .* closed the connection before/)
  })

  it('for the first, there may be one for the next', async () => {
    const server = await serve((socket, head) => {
      if (head.includes('/bad')) socket.destroy()
      else socket.write(ok('fine'))
    })
    const { address } = await proxyTo(`http://127.0.0.1:${server.port}`)

    expect((await ask(address, { path: '/bad' })).status).toBe(502)
    expect((await ask(address)).text).toBe('fine')
  })
})
