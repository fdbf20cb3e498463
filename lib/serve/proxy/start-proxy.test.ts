import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { ok } from '../../http/testing/servers.ts'
import { logLine } from './start-proxy.ts'
import { answering, ask, begin, proxyBefore, proxyTo } from './testing/proxies.ts'

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
    const { address, lines } = await proxyBefore((socket, head) => {
      if (head.includes('/slow')) waiting.push(socket)
      else socket.write(ok('fine'))
    })

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
    const proxy = await proxyBefore((socket) => waiting.push(socket), { graceMs: 300_000 })
    const asked = ask(proxy.address)
    await expect.poll(() => waiting.length).toBe(1)

    const closed = proxy.close()
    waiting[0]?.write(ok('fine'))

    expect((await asked).text).toBe('fine')
    await closed
    await expect(ask(proxy.address)).rejects.toThrow('ECONNREFUSED')
  })

  it('cuts what takes longer, and idle connections', async () => {
    const proxy = await proxyBefore('HTTP/1.1 200 OK\r\n\r\nsome')
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
  target: '/a',
  status: 200,
  durationMs: 12.4,
  says: 'seed 7; answer 3',
}

describe('a line of the log', () => {
  it.each<[Partial<Parameters<typeof logLine>[0]>, string]>([
    [{ target: '/api/a?key=hush' }, 'GET /api/a 200 12 ms: seed 7; answer 3'],
    [{ target: '/a#b' }, 'GET /a 200 12 ms: seed 7; answer 3'],
    [{ target: 'http://user:word@service.example/a?b' }, 'GET /a 200 12 ms: seed 7; answer 3'],
    [
      { status: null, says: 'the client left before the end' },
      'GET /a - 12 ms: the client left before the end',
    ],
  ])('says when, what, how it ended, how long it took and what was changed: %j', (changes, line) => {
    expect(logLine({ ...passed, ...changes })).toBe(`2026-11-20T02:00:00.000Z #3 ${line}`)
  })

  it('does not let a path steer the terminal or fill it', () => {
    const line = logLine({ ...passed, target: `/\u009b31m${'a'.repeat(5_000)}` })

    expect(line).toContain('/\\u009b31maaa')
    expect(line.length).toBeLessThan(400)
  })
})
