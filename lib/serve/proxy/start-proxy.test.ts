import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { ok, serve } from '../../http/testing/servers.ts'
import { logLine } from './start-proxy.ts'
import { answering, ask, begin, proxyTo } from './testing/proxies.ts'

describe('a proxy', () => {
  it('says where it listens', async () => {
    const base = await answering('fine', {})

    expect((await proxyTo(base)).address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect((await proxyTo(base, { host: '::1' })).address).toMatch(/^http:\/\/\[::1\]:\d+$/)
  })

  it('does not start where something listens already', async () => {
    const base = await answering('fine', {})

    await expect(proxyTo(base, { port: Number(new URL(base).port) })).rejects.toThrow('EADDRINUSE')
  })

  it('numbers requests in the order in which they come, whatever the order of the answers', async () => {
    const waiting: Socket[] = []
    const server = await serve((socket, head) => {
      if (head.includes('/slow')) waiting.push(socket)
      else socket.write(ok('fine'))
    })
    const { address, lines } = await proxyTo(`http://127.0.0.1:${server.port}`)

    const slow = ask(address, { path: '/slow' })
    await expect.poll(() => waiting.length).toBe(1)
    await ask(address, { path: '/quick' })
    waiting[0]?.write(ok('fine'))
    await slow

    await expect.poll(() => lines.length).toBe(2)
    expect(lines.map((line) => line.split(' ').slice(1, 4).join(' '))).toEqual([
      '#2 GET /quick',
      '#1 GET /slow',
    ])
  })
})

describe('a proxy that closes', () => {
  it('lets what is in flight come to its end for a moment', async () => {
    const waiting: Socket[] = []
    const server = await serve((socket) => waiting.push(socket))
    const proxy = await proxyTo(`http://127.0.0.1:${server.port}`, { graceMs: 300_000 })
    const asked = ask(proxy.address)
    await expect.poll(() => waiting.length).toBe(1)

    const closed = proxy.close()
    waiting[0]?.write(ok('fine'))

    expect((await asked).text).toBe('fine')
    await closed
    await expect(ask(proxy.address)).rejects.toThrow('ECONNREFUSED')
  })

  it('cuts what takes longer, and idle connections', async () => {
    const server = await serve((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nsome'))
    const proxy = await proxyTo(`http://127.0.0.1:${server.port}`)
    const answer = await begin(proxy.address)
    const idle = connect(Number(new URL(proxy.address).port), '127.0.0.1')
    await once(idle, 'connect')
    const cut = once(answer, 'error')
    const ended = once(idle, 'close')

    await proxy.close()

    await cut
    await ended
    expect(answer.complete).toBe(false)
  })
})

const passed = {
  startedAt: new Date('2026-11-20T02:00:00Z'),
  number: 3,
  method: 'GET',
  target: '/api/customizations/list?key=hush',
  status: 200,
  durationMs: 12.4,
  says: 'added 2 properties; seed 7; answer 3',
}

describe('a line of the log', () => {
  it('says when, what, how it ended, how long it took and what was changed', () => {
    expect(logLine(passed)).toBe(
      '2026-11-20T02:00:00.000Z #3 GET /api/customizations/list 200 12 ms: added 2 properties; seed 7; answer 3',
    )
  })

  it('has no status where nobody got one', () => {
    expect(logLine({ ...passed, status: null, says: 'the client left before the end' })).toContain(
      'list - 12 ms: the client left',
    )
  })

  it('does not let a path steer the terminal or fill it', () => {
    const line = logLine({ ...passed, target: `/\u009b31m${'a'.repeat(5_000)}` })

    expect(line).toContain('/\\u009b31maaa')
    expect(line.length).toBeLessThan(400)
  })

  it.each([
    ['/api/a?key=secret', '/api/a'],
    ['/a#b', '/a'],
    ['http://user:word@service.example/a?b', '/a'],
  ])('shows %s as %s', (target, shown) => {
    expect(logLine({ ...passed, target })).toContain(` GET ${shown} 200 `)
  })
})
